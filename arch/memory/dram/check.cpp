// SPDX-License-Identifier: Apache-2.0
// Checks that a configuration's values for its DRAM model (memory.dram) fit each other.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "arch/memory/dram/channel.h"
#include "arch/memory/dram/dram.h"
#include "arch/memory/dram/refresh.h"
#include "sim/config/checker.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

using config::Checker, config::DramConfig, config::GpuConfig;

/// Between two refreshes a bank needs time to open a row and use it, or it never replies.
void check_refresh(Checker& c, const GpuConfig& config, const DramRefresh& refresh) {
  const DramConfig& dram = config.memory.dram;
  if (refresh.interval() == 0) return;
  const std::uint64_t banks = std::uint64_t{dram.bank_groups} * dram.banks_per_group;
  const std::uint64_t between = refresh.interval() * (banks / refresh.at_a_time());
  const std::pair<const char*, std::uint64_t> parts[] = {{refresh.duration_key(), refresh.duration()},
                                                         {"tRCD", dram.tRCD},
                                                         {"tRAS", dram.tRAS},
                                                         {"tRP", dram.tRP},
                                                         {"tRRDL", dram.tRRDL}};
  std::uint64_t sum = 0;
  const auto* longest = &parts[0];
  for (const auto& part : parts) {
    sum += part.second;
    if (part.second > longest->second) longest = &part;
  }
  if (sum < between) return;
  const std::uint64_t others = sum - longest->second;
  const std::string most = others < between ? fmt::format("at most {}, or ", between - 1 - others) : "";
  c.refuse(fmt::format("memory.dram.{}", longest->first),
           fmt::format("{} leaves no time between refreshes (tREFI = {}): {}, tRCD, tRAS, tRP and tRRDL take {} of {} "
                       "cycles at clock.dram = {}; expected {}memory.dram.tREFI = 0, which means no refresh",
                       longest->second, dram.tREFI, parts[0].first, sum, between,
                       config::format_quantity(config.clock.dram, config::Unit::hertz), most));
}

void check_banks(Checker& c, const DramConfig& dram) {
  constexpr std::uint32_t kMostBanks = 64;  // the channel keeps its banks in one 64-bit word
  if (dram.bank_groups * dram.banks_per_group <= kMostBanks) return;
  const bool groups = c.level("memory.dram.bank_groups") > c.level("memory.dram.banks_per_group");
  c.refuse(
      groups ? "memory.dram.bank_groups" : "memory.dram.banks_per_group",
      fmt::format("bank_groups x banks_per_group = {} x {} are more than {} banks; at most {} fit", dram.bank_groups,
                  dram.banks_per_group, kMostBanks, kMostBanks / (groups ? dram.banks_per_group : dram.bank_groups)));
}

class DramCheck final : public config::ConfigCheck {
 public:
  void check(Checker& c, const GpuConfig& config) const override {
    const DramConfig& dram = config.memory.dram;
    Drams::instance().make(dram.model, dram, {})->check(c, config);
  }
};

const Registered<config::ConfigCheck, DramCheck> dram_check_registered("memory.dram");

}  // namespace

void DramChannel::check(Checker& c, const GpuConfig& config) const {
  const auto at_least = [&](const char* key, std::uint32_t value, const char* other, std::uint32_t least) {
    if (value < least)
      c.refuse(fmt::format("memory.dram.{}", key),
               fmt::format("{} is below {} = {} (memory.dram.{}, at clock.dram = {})", value, other, least, other,
                           config::format_quantity(config.clock.dram, config::Unit::hertz)));
  };
  at_least("tRC", config_.tRC, "tRAS", config_.tRAS);
  at_least("tCCDL", config_.tCCDL, "tCCDS", config_.tCCDS);
  at_least("tRRDL", config_.tRRDL, "tRRDS", config_.tRRDS);
  at_least("tWTRL", config_.tWTRL, "tWTRS", config_.tWTRS);
  if (config_.check_span % config.memory.l2.line != 0)
    c.refuse("memory.dram.check_span", fmt::format("{} bytes cut lines of the L2; expected a multiple of {}, or 0",
                                                   config_.check_span, config.memory.l2.line));
  check_refresh(c, config, *refresh());
  check_banks(c, config_);
  refresh()->check(c, config_);
}

}  // namespace sassim::arch
