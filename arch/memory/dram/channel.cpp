// SPDX-License-Identifier: Apache-2.0
// The queues of a DRAM channel: when reads and writes enter, when the bus turns, and which access is served next.
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
      commands_(banks_.size(), config.bank_groups) {
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

/// Bursts of check bits that an access which enters its bank's queue moves itself: none if one that waits there will
/// bring those of its piece. In a channel that is idle the first burst leaves at once, and each further one, which
/// comes too late for the check bits of the first, moves them again.
std::uint32_t DramChannel::own_checks(const DramAccess& access) const {
  const std::vector<Waiting>& queued = banks_[access.bank].waiting[access.write];
  const bool brought = std::any_of(queued.begin(), queued.end(), [&](const Waiting& other) {
    return other.first && other.access.piece == access.piece && other.access.checks != 0;
  });
  if (brought) return 0;
  return queued_[0] + queued_[1] == 0 ? access.checks : std::min(access.checks, 1u);
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

void DramChannel::enqueue(Waiting waiting) {
  if (config_.check_span != 0) {
    waiting.access.checks = own_checks(waiting.access);
    waiting.left = waiting.access.bursts + waiting.access.checks;
  }
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
  forget_commands();
  ++counters_.turnarounds;
  if (writing_) write_until_ = now + config_.write_stay;
}

/// When the channel turns back to waiting reads; kNeverDram if no time determines this.
DramCycle DramChannel::turns_back() const { return writing_ && queued_[0] > 0 ? write_until_ : kNeverDram; }

void DramChannel::find_command(std::size_t index, DramCycle now) {
  using Kind = Commands::Kind;
  const Bank& bank = banks_[index];
  const std::vector<Waiting>& waiting = bank.waiting[writing_];
  std::size_t place = 0;
  if (bank.row != kClosed && waiting[0].access.row != bank.row && prefers_open_row_) {
    const DramCycle starves = waiting[0].arrival + config_.starvation_limit + 1;
    if (now < starves) {
      while (place < waiting.size() && waiting[place].access.row != bank.row) ++place;
      if (place == waiting.size()) place = 0;
      commands_.until = std::min(commands_.until, starves);
    } else {
      commands_.from = std::max(commands_.from, starves);
    }
  }
  const bool open = bank.row == waiting[place].access.row, closed = bank.row == kClosed;
  const Kind kind = open ? Kind::column : closed ? Kind::activate : Kind::precharge;
  const std::uint64_t bit = std::uint64_t{1} << index;
  commands_.place[index] = static_cast<std::uint32_t>(place);
  commands_.arrival[index] = waiting[place].order;
  commands_.limit[index] =
      static_cast<std::uint16_t>(static_cast<std::uint32_t>(kind) * config_.bank_groups + group(index));
  commands_.bank_ready[index] = open ? bank.column_at : closed ? bank.activate_at : bank.precharge_at;
  commands_.columns = open ? commands_.columns | bit : commands_.columns & ~bit;
  commands_.known |= bit;
}

void DramChannel::find_commands(DramCycle now) {
  if (now < commands_.from || now >= commands_.until) {
    commands_.known = 0;
    commands_.from = {};
    commands_.until = kNeverDram;
  }
  for (std::uint64_t left = busy_banks_[writing_] & ~commands_.known; left != 0; left &= left - 1)
    find_command(static_cast<std::size_t>(std::countr_zero(left)), now);
}

void DramChannel::set_limits() {
  const std::uint32_t groups = config_.bank_groups;
  auto& [columns, activates, precharges] = commands_.limits_known;
  if (!activates)
    for (std::uint32_t group = 0; group < groups; ++group) commands_.limits[groups + group] = timings_.activate(group);
  activates = true;
  if (columns || (commands_.columns & busy_banks_[writing_]) == 0) return;
  for (std::uint32_t group = 0; group < groups; ++group) commands_.limits[group] = timings_.column(group, writing_);
  columns = true;
}

DramCycle DramChannel::ready(std::size_t bank, DramCycle now) {
  find_commands(now);
  const DramCycle bank_ready = commands_.bank_ready[bank];
  if (moves_data(bank)) return std::max(bank_ready, timings_.column(group(bank), writing_));
  return banks_[bank].row == kClosed ? std::max(bank_ready, timings_.activate(group(bank))) : bank_ready;
}

template <class Visit>
void DramChannel::each_command(DramCycle now, Visit visit) {
  find_commands(now);
  set_limits();
  for (std::uint64_t left = busy_banks_[writing_]; left != 0; left &= left - 1) {
    const auto bank = static_cast<std::size_t>(std::countr_zero(left));
    visit(bank, std::max(commands_.bank_ready[bank], commands_.limits[commands_.limit[bank]]));
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
  each_command(now, [&](std::size_t bank, DramCycle ready) {
    if (ready > now) return keep(moves_data(bank), ready);
    const Choice choice = choice_of(bank, ready);
    if (found && !scheduler_->before(choice.candidate, best.candidate)) return keep(choice.candidate.column, ready);
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
  each_command(now, [&](std::size_t bank, DramCycle ready) {
    if (found && commands_.arrival[bank] >= best.candidate.arrival) return;
    best = choice_of(bank, ready);
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
  each_command(now, [&](std::size_t bank, DramCycle ready) {
    if (!only_oldest_) {
      next_ = std::min(next_, ready);
    } else if (commands_.arrival[bank] < oldest) {
      oldest = commands_.arrival[bank];
      next_ = ready;
    }
  });
  next_ = std::max(now, std::min({next_, refreshes_.next(), turns_back()}));
}

}  // namespace sassim::arch
