// SPDX-License-Identifier: Apache-2.0
// The refresh policies of DRAM that a configuration can name (memory.dram.refresh): none, all_bank, per_bank and
// bank_pairs.
#include <fmt/format.h>

#include <algorithm>

#include "arch/memory/dram/refresh.h"
#include "sim/config/checker.h"
#include "sim/config/groups/dram.h"

namespace sassim::arch {
namespace {

/// No refreshes.
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

/// All banks of a channel at a time.
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

/// One bank at a time. Each round refreshes every bank once, in an order that differs between channels. With the same
/// order in all channels, a warp that walks through the banks at a constant rate would meet refreshes either always or
/// never.
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

/// The banks with the same number in two neighbouring bank groups at a time, all channels nearly together: the first
/// half of them begins within `refresh_skew`, the second half half an interval later. The order of the pairs is the
/// same in all channels, as measured. It changes from round to round, so that loads of an even pace seldom meet the
/// refreshes in step (assumed).
class BankPairs final : public DramRefresh {
 public:
  BankPairs(const config::DramConfig& config, std::uint32_t index)
      : banks_(std::uint64_t{config.bank_groups} * config.banks_per_group),
        interval_(config.tREFI == 0 ? 0 : std::max<std::uint64_t>(1, 2 * config.tREFI / banks_)),
        groups_(config.bank_groups),
        banks_per_group_(config.banks_per_group),
        duration_(config.tRFCpb) {
    const std::uint32_t half = std::max(1u, config.channels * config.pseudo_channels / 2);
    first_ = interval_ + (index >= half ? interval_ / 2 : 0) +
             index / config.pseudo_channels * 37 % std::max(1u, config.refresh_skew);
  }
  std::uint64_t interval() const override { return interval_; }
  std::uint64_t first() const override { return first_; }
  std::uint64_t round() const override { return banks_; }
  std::size_t at_a_time() const override { return 2; }
  void choose(std::uint64_t number, std::vector<std::size_t>& banks) const override {
    const std::uint64_t pairs = banks_ / 2, groups = groups_ / 2;
    const std::uint64_t random = (number / pairs + 1) * 0x9e3779b97f4a7c15u >> 32;
    const std::uint64_t pair = shuffled(number % pairs, pairs, random, random >> 8);
    const std::uint64_t first = pair % groups * 2 * banks_per_group_ + pair / groups;
    banks.push_back(first);
    banks.push_back(first + banks_per_group_);
  }
  std::uint32_t duration() const override { return duration_; }
  const char* duration_key() const override { return "tRFCpb"; }
  void check(config::Checker& c, const config::DramConfig& config) const override {
    if (interval_ == 0) return;
    if (groups_ % 2 != 0)
      c.refuse(
          "memory.dram.bank_groups",
          fmt::format("{} is odd, and memory.dram.refresh = bank_pairs needs pairs of bank groups; expected an even "
                      "number",
                      groups_));
    if (config.refresh_skew > interval_)
      c.refuse(
          "memory.dram.refresh_skew",
          fmt::format("{} is more than the {} cycles of clock.dram from one pair of banks to the next (tREFI / {}), "
                      "so that channels would not refresh the same banks together; expected at most {}",
                      config.refresh_skew, interval_, banks_ / 2, interval_));
  }

 private:
  std::uint64_t banks_, interval_, first_ = 0;
  std::uint32_t groups_, banks_per_group_, duration_;
};

const Registered<DramRefresh, BankPairs, const config::DramConfig&, std::uint32_t> bank_pairs_registered("bank_pairs");

}  // namespace
}  // namespace sassim::arch
