// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/channel.h"

#include <algorithm>
#include <bit>

#include "sim/base/state_archive.h"

namespace sassim::arch {

namespace {
const Registered<Dram, DramChannel, const config::DramConfig&, const DramStart&> channel_registered("ddr");
}

DramChannel::DramChannel(const config::DramConfig& config, const DramStart& start)
    : config_(config),
      scheduler_(DramSchedulers::instance().make(config.scheduler)),
      prefers_open_row_(scheduler_->prefers_open_row()),
      only_oldest_(scheduler_->only_oldest()),
      rows_(DramRowPolicies::instance().make(config.row_policy)),
      refreshes_(config, start),
      timings_(config_),
      banks_(std::size_t{config.bank_groups} * config.banks_per_group),
      commands_(banks_.size()),
      limits_(std::size_t{3} * config.bank_groups) {
  for (std::size_t bank = 0; bank < banks_.size(); ++bank)
    commands_[bank].group = static_cast<std::uint16_t>(group(bank));
  refreshes_.in_progress([&](std::size_t bank, DramCycle end) { banks_[bank].activate_at = end; });
}

void DramChannel::save(StateWriter& writer) const { writer(*this); }
void DramChannel::load(StateReader& reader) { reader(*this); }

void DramChannel::accept(const DramAccess& access, DramCycle now) {
  const bool was_idle = idle();
  if (was_idle) refresh(now);
  (access.write ? counters_.writes : counters_.reads) += 1;
  later_[access.write].push({access, now, order_++, access.bursts + access.checks});
  const bool admitted = admit();
  const bool direction = writing_;
  choose_direction(now);
  if (was_idle || only_oldest_ || writing_ != direction) return plan(now);
  if (!admitted || access.write != writing_) return;
  next_ = std::min(next_, std::max(now, ready(access.bank, now)));
}

/// Moves accesses into the scheduler's queues while there is room; returns true if any was moved.
bool DramChannel::admit() {
  bool any = false;
  for (int write = 0; write < 2; ++write)
    while (!later_[write].empty() && queued_[write] < (write != 0 ? config_.write_queue : config_.queue)) {
      enqueue(later_[write].front());
      later_[write].pop();
      any = true;
    }
  return any;
}

void DramChannel::enqueue(const Waiting& waiting) {
  banks_[waiting.access.bank].waiting[waiting.access.write].push_back(waiting);
  ++queued_[waiting.access.write];
  busy_banks_[waiting.access.write] |= std::uint64_t{1} << waiting.access.bank;
  changed(waiting.access.bank);
}

/// Reads go first. Writes gather and are drained together, because each turnaround of the bus takes time. For the same
/// reason a channel that has turned to writes waits some time for more of them, even if reads wait.
void DramChannel::choose_direction(DramCycle now) {
  const bool before = writing_;
  if (!writing_)
    writing_ = queued_[1] > 0 && (queued_[0] == 0 || queued_[1] >= config_.write_high);
  else
    writing_ = now < write_until_ || (queued_[1] > 0 && (queued_[0] == 0 || queued_[1] > config_.write_low));
  if (writing_ == before) return;
  known_ = 0;
  ++counters_.turnarounds;
  if (writing_) write_until_ = now + config_.write_stay;
}

/// When the channel turns back to waiting reads; kNeverDram if no time determines this.
DramCycle DramChannel::turns_back() const { return writing_ && queued_[0] > 0 ? write_until_ : kNeverDram; }

void DramChannel::find_command(std::size_t index, DramCycle now) {
  const Bank& bank = banks_[index];
  Command& command = commands_[index];
  const std::vector<Waiting>& waiting = bank.waiting[writing_];
  std::size_t place = 0;
  command.until = kNeverDram;
  if (bank.row != kClosed && waiting[0].access.row != bank.row && prefers_open_row_ &&
      waiting[0].arrival + config_.starvation_limit >= now) {
    while (place < waiting.size() && waiting[place].access.row != bank.row) ++place;
    if (place == waiting.size()) place = 0;
    command.until = waiting[0].arrival + config_.starvation_limit + 1;
  }
  const bool open = bank.row == waiting[place].access.row, closed = bank.row == kClosed;
  command.place = static_cast<std::uint32_t>(place);
  command.arrival = waiting[place].order;
  command.kind = open ? Command::Kind::column : closed ? Command::Kind::activate : Command::Kind::precharge;
  command.bank_ready = open ? bank.column_at : closed ? bank.activate_at : bank.precharge_at;
  known_ |= std::uint64_t{1} << index;
}

template <class Visit>
void DramChannel::each_command(DramCycle now, Visit visit) {
  const std::uint32_t groups = config_.bank_groups;
  for (std::uint32_t group = 0; group < groups; ++group) {
    limits_[group] = channel_ready(Command::Kind::column, group);
    limits_[groups + group] = channel_ready(Command::Kind::activate, group);
  }
  for (std::uint64_t left = busy_banks_[writing_]; left != 0; left &= left - 1) {
    const auto bank = static_cast<std::size_t>(std::countr_zero(left));
    const Command& next = command(bank, now);
    visit(bank, next, std::max(next.bank_ready, limits_[static_cast<std::uint32_t>(next.kind) * groups + next.group]));
  }
}

void DramChannel::work(DramCycle now, Reader& reader) {
  refresh(now);
  choose_direction(now);
  if (only_oldest_) return work_oldest(now, reader);
  Choice best;
  bool found = false;
  DramCycle columns = kNeverDram, rows = kNeverDram;  // the earliest candidates that were not chosen
  const auto keep = [&](bool column, DramCycle ready) {
    DramCycle& earliest = column ? columns : rows;
    earliest = std::min(earliest, ready);
  };
  each_command(now, [&](std::size_t bank, const Command& command, DramCycle ready) {
    const bool column = command.kind == Command::Kind::column;
    if (ready > now) return keep(column, ready);
    const Choice choice{{ready, command.arrival, column}, bank, command.place};
    if (found && !scheduler_->before(choice.candidate, best.candidate)) return keep(column, ready);
    if (found) keep(best.candidate.column, best.candidate.ready);
    best = choice;
    found = true;
  });
  const bool direction = writing_;
  if (found) issue(best, now, reader);
  choose_direction(now);
  if (writing_ != direction || idle()) return plan(now + 1);
  // A lower limit for the next command of the other banks after this one; work() checks again.
  if (columns != kNeverDram) columns = std::max(columns, timings_.bus(writing_));
  next_ = std::min({columns, rows, refreshes_.next(), turns_back()});
  if (found && (busy_banks_[writing_] >> best.bank & 1) != 0) next_ = std::min(next_, ready(best.bank, now + 1));
  next_ = std::max(next_, now + 1);
}

void DramChannel::work_oldest(DramCycle now, Reader& reader) {
  Choice best;
  bool found = false;
  each_command(now, [&](std::size_t bank, const Command& command, DramCycle ready) {
    if (found && command.arrival >= best.candidate.arrival) return;
    best = {{ready, command.arrival, command.kind == Command::Kind::column}, bank, command.place};
    found = true;
  });
  if (found && best.candidate.ready <= now) issue(best, now, reader);
  plan(now + 1);
}

/// The next cycle, from `now` on, in which a command may issue or a refresh is due.
void DramChannel::plan(DramCycle now) {
  next_ = kNeverDram;
  if (idle()) return;
  choose_direction(now);
  std::uint64_t oldest = ~std::uint64_t{0};
  each_command(now, [&](std::size_t, const Command& command, DramCycle ready) {
    if (!only_oldest_) {
      next_ = std::min(next_, ready);
    } else if (command.arrival < oldest) {
      oldest = command.arrival;
      next_ = ready;
    }
  });
  next_ = std::max(now, std::min({next_, refreshes_.next(), turns_back()}));
}

}  // namespace sassim::arch
