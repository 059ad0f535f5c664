// SPDX-License-Identifier: Apache-2.0
// One bank at a time. Each round refreshes every bank once, in an order that differs between channels. With the same
// order in all channels, a warp that walks through the banks at a constant rate would meet refreshes either always or
// never.
#include <algorithm>

#include "arch/memory/dram/refresh.h"
#include "sim/config/groups/dram.h"

namespace sassim::arch {
namespace {

class PerBank final : public DramRefresh {
 public:
  PerBank(const config::DramConfig& config, std::uint32_t index)
      : banks_(std::uint64_t{config.bank_groups} * config.banks_per_group),
        interval_(config.tREFI == 0 ? 0 : std::max<std::uint64_t>(1, config.tREFI / banks_)),
        first_(staggered(interval_, index)),
        random_((index + 1) * 0x9e3779b97f4a7c15u),
        duration_(config.tRFCpb) {}
  std::uint64_t interval() const override { return interval_; }
  std::uint64_t first() const override { return first_; }
  std::uint64_t round() const override { return banks_; }
  std::size_t at_a_time() const override { return 1; }
  void choose(std::uint64_t number, std::vector<std::size_t>& banks) const override {
    banks.push_back(shuffled(number, banks_, random_, random_ >> 32));
  }
  std::uint32_t duration() const override { return duration_; }
  const char* duration_key() const override { return "tRFCpb"; }

 private:
  std::uint64_t banks_, interval_, first_, random_;
  std::uint32_t duration_;
};

const Registered<DramRefresh, PerBank, const config::DramConfig&, std::uint32_t> per_bank_registered("per_bank");

}  // namespace
}  // namespace sassim::arch
