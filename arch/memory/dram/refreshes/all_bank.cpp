// SPDX-License-Identifier: Apache-2.0
// All banks of a channel at a time.
#include "arch/memory/dram/refresh.h"
#include "sim/config/groups/dram.h"

namespace sassim::arch {
namespace {

class AllBanks final : public DramRefresh {
 public:
  AllBanks(const config::DramConfig& config, std::uint32_t index)
      : interval_(config.tREFI),
        first_(staggered(interval_, index)),
        banks_(std::size_t{config.bank_groups} * config.banks_per_group),
        duration_(config.tRFC) {}
  std::uint64_t interval() const override { return interval_; }
  std::uint64_t first() const override { return first_; }
  std::uint64_t round() const override { return 1; }
  std::size_t at_a_time() const override { return banks_; }
  void choose(std::uint64_t, std::vector<std::size_t>& banks) const override {
    for (std::size_t bank = 0; bank < banks_; ++bank) banks.push_back(bank);
  }
  std::uint32_t duration() const override { return duration_; }
  const char* duration_key() const override { return "tRFC"; }

 private:
  std::uint64_t interval_, first_;
  std::size_t banks_;
  std::uint32_t duration_;
};

const Registered<DramRefresh, AllBanks, const config::DramConfig&, std::uint32_t> all_banks_registered("all_bank");

}  // namespace
}  // namespace sassim::arch
