// SPDX-License-Identifier: Apache-2.0
// When a command may be sent to a DRAM channel, as far as commands to its other banks decide: command bus, data bus,
// bank groups, and the window of four activations.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "arch/common/state_parts.h"
#include "sim/base/types.h"
#include "sim/config/groups/dram.h"

namespace sassim::arch {

class DramTimings {
 public:
  explicit DramTimings(const config::DramConfig& config)
      : config_(config),
        burst_cycles_(std::max(1u, config.burst / config.beats_per_clock)),
        column_group_(config.bank_groups),
        activate_group_(config.bank_groups),
        read_after_write_group_(config.bank_groups) {}

  /// Cycles from opening a row until the last of so many bursts has arrived.
  std::uint64_t idle_read(std::uint32_t bursts) const {
    return std::uint64_t{config_.tRCD} + config_.tCL + std::uint64_t{bursts} * burst_cycles_;
  }
  /// True if the column commands of one access follow each other without a gap.
  bool chained() const { return config_.tCCDL <= burst_cycles_; }

  /// The first cycles for a command to a bank of this group: a column command in this direction, and an activation.
  DramCycle column(std::uint32_t group, bool writing) const {
    const DramCycle ready = std::max(bus(writing), column_group_[group]);
    return writing ? std::max(ready, write_after_read_)
                   : std::max({ready, read_after_write_, read_after_write_group_[group]});
  }
  DramCycle activate(std::uint32_t group) const {
    DramCycle ready = std::max(activate_any_, activate_group_[group]);
    if (activates_ >= 4) ready = std::max(ready, recent_activates_[activates_ % 4] + config_.tFAW);
    return ready;
  }
  /// When command bus and data bus are free for the next column command in this direction.
  DramCycle bus(bool writing) const {
    const std::uint32_t lead = writing ? config_.tCWL : config_.tCL;
    return data_free_.value > lead ? std::max(column_any_, data_free_ - lead) : column_any_;
  }

  void activated(std::uint32_t group, DramCycle now) {
    activate_any_ = now + config_.tRRDS;
    activate_group_[group] = now + config_.tRRDL;
    recent_activates_[activates_++ % 4] = now;
  }
  struct Data {
    DramCycle last, end;  ///< the last column command, and the end of its data
    std::uint64_t busy;   ///< cycles with data on the bus
  };
  /// Column commands for so many bursts begin at `now`.
  Data transfer(std::uint32_t group, std::uint32_t bursts, bool writing, DramCycle now) {
    const DramCycle last = now + std::uint64_t{bursts - 1} * std::max(burst_cycles_, config_.tCCDS);
    column_any_ = last + config_.tCCDS;
    column_group_[group] = last + config_.tCCDL;
    const DramCycle end = last + (writing ? config_.tCWL : config_.tCL) + burst_cycles_;
    data_free_ = end;
    if (writing) {
      read_after_write_ = end + config_.tWTRS;
      read_after_write_group_[group] = end + config_.tWTRL;
    } else {
      // The bus needs one idle cycle between read data and write data.
      write_after_read_ = end.value + 1 > config_.tCWL ? end + 1 - config_.tCWL : DramCycle{};
    }
    return {last, end, std::uint64_t{bursts} * burst_cycles_};
  }

  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, column_group_, activate_group_, read_after_write_group_);
    archive(data_free_, column_any_, activate_any_, read_after_write_, write_after_read_, recent_activates_,
            activates_);
  }

 private:
  const config::DramConfig& config_;
  std::uint32_t burst_cycles_;           ///< cycles of data per column command
  DramCycle data_free_;                  ///< when the data bus is free
  DramCycle column_any_, activate_any_;  ///< the first cycle allowed in any bank
  std::vector<DramCycle> column_group_, activate_group_;
  DramCycle read_after_write_, write_after_read_;
  std::vector<DramCycle> read_after_write_group_;
  std::array<DramCycle, 4> recent_activates_{};
  std::uint32_t activates_ = 0;
};

}  // namespace sassim::arch
