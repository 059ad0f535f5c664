// SPDX-License-Identifier: Apache-2.0
// The DRAM channel of `memory.dram.model: ddr`: banks, rows and the timing of each command, simulated from event to
// event. Every command issues in the first cycle that all timings allow. An idle channel takes no simulation time: its
// refreshes are made up for when the next access arrives, with the cycles in which they were due.
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
    if constexpr (Archive::kLoading) forget_commands();
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
  /// The next command of each bank with accesses in the current direction.
  struct Commands {
    enum class Kind : std::uint8_t { column, activate, precharge };
    static constexpr std::size_t kKinds = 3;
    explicit Commands(std::size_t banks, std::size_t groups)
        : bank_ready(banks), arrival(banks), place(banks), limit(banks), limits(kKinds * groups) {}

    std::vector<DramCycle> bank_ready;   ///< by bank: the first cycle that its own timings allow
    std::vector<std::uint64_t> arrival;  ///< by bank: order of arrival of the access that the command is for
    std::vector<std::uint32_t> place;    ///< by bank: of this access
    std::vector<std::uint16_t> limit;    ///< by bank: index into `limits`: its kind, then its group
    /// What the timings of the channel allow, by kind and group; set_limits() fills it in.
    std::vector<DramCycle> limits;
    std::array<bool, kKinds> limits_known{};  ///< by kind: up to date
    std::uint64_t known = 0;                  ///< one bit per bank whose command is up to date
    std::uint64_t columns = 0;                ///< one bit per bank whose command moves data
    DramCycle from, until = kNeverDram;       ///< between these cycles they are what they are if nothing changes
  };
  struct Choice {
    DramCandidate candidate;
    std::size_t bank = 0, place = 0;
  };

  bool idle() const { return accesses_waiting() == 0; }
  std::uint32_t own_checks(const DramAccess& access) const;
  bool admit();
  void enqueue(Waiting waiting);
  void choose_direction(DramCycle now);
  DramCycle turns_back() const;
  void refresh(DramCycle now);
  void refresh_bank(std::size_t index, DramCycle due, std::uint32_t duration);
  /// True if a queued access needs the open row.
  bool wanted(const Bank& bank) const;
  void find_commands(DramCycle now);
  void set_limits();
  bool moves_data(std::size_t bank) const { return (commands_.columns >> bank & 1) != 0; }
  Choice choice_of(std::size_t bank, DramCycle ready) const {
    return {{ready, commands_.arrival[bank], moves_data(bank)}, bank, commands_.place[bank]};
  }
  /// Calls `visit(bank, ready)` for each bank with accesses in the current direction.
  template <class Visit>
  void each_command(DramCycle now, Visit visit);
  /// When the next command of the bank may issue.
  DramCycle ready(std::size_t bank, DramCycle now);
  void find_command(std::size_t index, DramCycle now);
  /// Something that all commands depend on has changed.
  void forget_commands() {
    commands_.known = 0;
    commands_.limits_known = {};
  }
  /// Something that the next command of the bank depends on has changed.
  void changed(std::size_t bank) { commands_.known &= ~(std::uint64_t{1} << bank); }
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
  Commands commands_;
  std::array<Fifo<Waiting>, 2> later_;  ///< accesses for which the scheduler's queues have no room
  std::array<std::uint32_t, 2> queued_{};
  std::array<std::uint64_t, 2> busy_banks_{};  ///< one bit per bank with accesses
  bool writing_ = false;
  DramCycle write_until_;  ///< the channel does not turn back to reads before
  std::uint64_t order_ = 0;
};

}  // namespace sassim::arch
