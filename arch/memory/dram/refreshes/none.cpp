// SPDX-License-Identifier: Apache-2.0
// No refreshes.
#include "arch/memory/dram/refresh.h"

namespace sassim::arch {
namespace {

class NoRefresh final : public DramRefresh {
 public:
  NoRefresh(const config::DramConfig&, std::uint32_t) {}
  std::uint64_t interval() const override { return 0; }
  std::uint64_t first() const override { return 0; }
  std::uint64_t round() const override { return 1; }
  std::size_t at_a_time() const override { return 0; }
  void choose(std::uint64_t, std::vector<std::size_t>&) const override {}
  std::uint32_t duration() const override { return 0; }
  const char* duration_key() const override { return "tRFC"; }
};

const Registered<DramRefresh, NoRefresh, const config::DramConfig&, std::uint32_t> no_refresh_registered("none");

}  // namespace
}  // namespace sassim::arch
