// SPDX-License-Identifier: Apache-2.0
// `memory.dram.model: ddr`: banks, rows and the timing of each command, simulated from event to event. Every command
// issues in the first cycle that all timings allow. An idle channel takes no simulation time: its refreshes are made up
// for when the next access arrives, with the cycles in which they were due.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "arch/common/fifo.h"
#include "arch/common/state_parts.h"
#include "arch/memory/dram/dram.h"
#include "arch/memory/dram/refresh_clock.h"
#include "arch/memory/dram/row_policy.h"
#include "arch/memory/dram/scheduler.h"
#include "arch/memory/dram/timings.h"
#include "sim/config/groups/dram.h"

namespace sassim::arch {

class DramChannel final : public Dram {
 public:
  /// The values have passed check().
  DramChannel(const config::DramConfig& config, const DramStart& start);

  std::uint64_t idle_read(std::uint32_t bursts) const override { return timings_.idle_read(bursts); }
  const DramRefresh* refresh() const override { return &refreshes_.policy(); }
  void check(config::Checker& c, const config::GpuConfig& config) const override;
  void accept(const DramAccess& access, DramCycle now) override;
  void work(DramCycle now, Reader& reader) override;
  std::uint64_t writes_waiting() const override { return later_[1].size(); }
  std::uint64_t accesses_waiting() const override {
    return queued_[0] + queued_[1] + later_[0].size() + later_[1].size();
  }
  void save(StateWriter& writer) const override;
  void load(StateReader& reader) override;
  template <class Archive>
  void state(Archive& archive) {
    state_of_all(archive);
    state_of_fixed(archive, banks_);
    archive(later_, queued_, busy_banks_, writing_, write_until_, order_, refreshes_, timings_);
    if constexpr (Archive::kLoading) known_ = 0;
  }

 private:
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};

  struct Waiting {
    DramAccess access;
    DramCycle arrival;
    std::uint64_t order;
    std::uint32_t left;   ///< column commands that have not been issued
    bool opened = false;  ///< a row was opened for it, so it is not a row hit
    bool first = true;    ///< no column command has been issued
  };
  struct Bank {
    std::uint64_t row = kClosed;
    DramCycle activate_at, column_at, precharge_at;  ///< the first cycles that the timings allow
    std::array<std::vector<Waiting>, 2> waiting;     ///< reads, writes; the oldest first
  };
  /// The next command of a bank with accesses in the current direction.
  struct Command {
    enum class Kind : std::uint8_t { column, activate, precharge };
    std::uint64_t arrival = 0;  ///< order of arrival of the access that it is for
    DramCycle bank_ready;       ///< the first cycle that the bank's own timings allow
    DramCycle until;            ///< it may be another command from then on, though nothing has changed
    std::uint32_t place = 0;    ///< of the access
    std::uint16_t group = 0;    ///< of the bank
    Kind kind = Kind::activate;
  };
  struct Choice {
    DramCandidate candidate;
    std::size_t bank = 0, place = 0;
  };

  bool idle() const { return accesses_waiting() == 0; }
  bool admit();
  void enqueue(const Waiting& waiting);
  void choose_direction(DramCycle now);
  DramCycle turns_back() const;
  void refresh(DramCycle now);
  void refresh_bank(std::size_t index, DramCycle due, std::uint32_t duration);
  /// True if a queued access needs the open row.
  bool wanted(const Bank& bank) const;
  /// The next command of a bank with accesses in the current direction.
  const Command& command(std::size_t bank, DramCycle now) {
    if ((known_ >> bank & 1) == 0 || now >= commands_[bank].until) find_command(bank, now);
    return commands_[bank];
  }
  /// The first cycle for a command that the timings of the channel allow.
  DramCycle channel_ready(Command::Kind kind, std::uint32_t group) const {
    return kind == Command::Kind::column     ? timings_.column(group, writing_)
           : kind == Command::Kind::activate ? timings_.activate(group)
                                             : DramCycle{};
  }
  DramCycle ready(std::size_t bank, DramCycle now) {
    const Command& next = command(bank, now);
    return std::max(next.bank_ready, channel_ready(next.kind, next.group));
  }
  /// Calls `visit(bank, command, ready)` for each bank with accesses in the current direction.
  template <class Visit>
  void each_command(DramCycle now, Visit visit);
  void find_command(std::size_t bank, DramCycle now);
  /// Something that the next command of the bank depends on has changed.
  void changed(std::size_t bank) { known_ &= ~(std::uint64_t{1} << bank); }
  void issue(const Choice& choice, DramCycle now, Reader& reader);
  void column(Bank& bank, std::size_t index, std::size_t place, DramCycle now, Reader& reader);
  void activate(Bank& bank, std::size_t index, Waiting& waiting, DramCycle now);
  void work_oldest(DramCycle now, Reader& reader);
  void plan(DramCycle now);
  std::uint32_t group(std::size_t bank) const { return static_cast<std::uint32_t>(bank) / config_.banks_per_group; }

  config::DramConfig config_;
  std::unique_ptr<DramScheduler> scheduler_;
  bool prefers_open_row_, only_oldest_;
  std::unique_ptr<DramRowPolicy> rows_;
  RefreshClock refreshes_;
  DramTimings timings_;
  std::vector<Bank> banks_;
  std::vector<Command> commands_;       ///< by bank
  std::uint64_t known_ = 0;             ///< one bit per bank whose command is up to date
  std::vector<DramCycle> limits_;       ///< in each_command(): channel_ready() by kind and group
  std::array<Fifo<Waiting>, 2> later_;  ///< accesses for which the scheduler's queues have no room
  std::array<std::uint32_t, 2> queued_{};
  std::array<std::uint64_t, 2> busy_banks_{};  ///< one bit per bank with accesses
  bool writing_ = false;
  DramCycle write_until_;  ///< the channel does not turn back to reads before
  std::uint64_t order_ = 0;
};

}  // namespace sassim::arch
