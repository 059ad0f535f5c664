// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram_channel.h"

#include <algorithm>

#include "sim/base/error.h"

namespace sassim::arch {

namespace {

std::uint64_t refresh_interval(const config::DramConfig& config) {
  if (config.refresh == "none") return 0;
  if (config.refresh == "all_bank") return config.tREFI;
  if (config.refresh == "per_bank") return std::max(1u, config.tREFI / (config.bank_groups * config.banks_per_group));
  throw InputError("memory.dram.refresh is '{}'; known: none, all_bank, per_bank", config.refresh);
}

}  // namespace

DramChannel::DramChannel(const config::DramConfig& config, std::uint32_t index)
    : config_(config),
      scheduler_(DramScheduler::make(config.scheduler)),
      burst_cycles_(std::max(1u, config.burst / config.beats_per_clock)),
      chained_(config.tCCDL <= burst_cycles_),
      refresh_interval_(refresh_interval(config)),
      banks_(std::size_t{config.bank_groups} * config.banks_per_group),
      column_group_(config.bank_groups),
      activate_group_(config.bank_groups),
      read_after_write_group_(config.bank_groups) {
  // Channels refresh one after the other, not all at once.
  next_refresh_ = refresh_interval_ == 0 ? kNoCycle : refresh_interval_ + index * 37 % refresh_interval_;
}

void DramChannel::accept(const DramAccess& access, std::uint64_t now) {
  if (idle()) refresh(now);
  (access.write ? counters_.writes : counters_.reads) += 1;
  later_[access.write].push({access, now, order_++});
  admit();
  plan(now);
}

void DramChannel::admit() {
  for (int write = 0; write < 2; ++write)
    while (!later_[write].empty() && queued_[write] < (write != 0 ? config_.write_queue : config_.queue)) {
      enqueue(later_[write].front());
      later_[write].pop();
    }
}

void DramChannel::enqueue(const Waiting& waiting) {
  banks_[waiting.access.bank].waiting[waiting.access.write].push_back(waiting);
  ++queued_[waiting.access.write];
}

/// Reads go first; writes gather, and are drained together, because each turn of the bus costs time.
void DramChannel::choose_direction() {
  const bool before = writing_;
  if (!writing_)
    writing_ = queued_[1] > 0 && (queued_[0] == 0 || queued_[1] >= config_.write_high);
  else
    writing_ = queued_[1] > 0 && (queued_[0] == 0 || queued_[1] > config_.write_low);
  if (writing_ != before) ++counters_.turnarounds;
}

void DramChannel::refresh_bank(Bank& bank, std::uint64_t due, std::uint32_t duration) {
  std::uint64_t start = std::max(due, bank.activate_at);
  if (bank.row != kClosed) start = std::max(due, bank.precharge_at) + config_.tRP;
  bank.row = kClosed;
  bank.activate_at = start + duration;
}

/// Does the refreshes that are due; those of an idle time at the times at which they were due.
void DramChannel::refresh(std::uint64_t now) {
  if (now < next_refresh_) return;
  const bool all = config_.refresh == "all_bank";
  const std::uint64_t missed = (now - next_refresh_) / refresh_interval_;
  const std::uint64_t seen = all ? 1 : banks_.size();
  if (missed > seen) {  // only the last round can still be felt
    const std::uint64_t skipped = missed - seen;
    next_refresh_ += skipped * refresh_interval_;
    refresh_bank_ = static_cast<std::uint32_t>((refresh_bank_ + skipped) % banks_.size());
    counters_.refreshes += skipped;
  }
  for (; next_refresh_ <= now; next_refresh_ += refresh_interval_) {
    if (all) {
      for (Bank& bank : banks_) refresh_bank(bank, next_refresh_, config_.tRFC);
    } else {
      refresh_bank(banks_[refresh_bank_], next_refresh_, config_.tRFCpb);
      refresh_bank_ = (refresh_bank_ + 1) % static_cast<std::uint32_t>(banks_.size());
    }
    ++counters_.refreshes;
  }
}

std::uint64_t DramChannel::column_ready(std::size_t bank) const {
  const std::uint32_t g = group(bank);
  std::uint64_t ready = std::max({banks_[bank].column_at, column_any_, column_group_[g]});
  const std::uint32_t lead = writing_ ? config_.tCWL : config_.tCL;
  if (data_free_ > lead) ready = std::max(ready, data_free_ - lead);
  return writing_ ? std::max(ready, write_after_read_)
                  : std::max({ready, read_after_write_, read_after_write_group_[g]});
}

std::uint64_t DramChannel::activate_ready(std::size_t bank) const {
  std::uint64_t ready = std::max({banks_[bank].activate_at, activate_any_, activate_group_[group(bank)]});
  if (activates_ >= 4) ready = std::max(ready, recent_activates_[activates_ % 4] + config_.tFAW);
  return ready;
}

/// What the bank would do next in the current direction; false if it has nothing.
bool DramChannel::consider(std::size_t index, std::uint64_t now, Choice& choice) const {
  const Bank& bank = banks_[index];
  const std::vector<Waiting>& waiting = bank.waiting[writing_];
  if (waiting.empty()) return false;
  std::size_t place = 0;
  const bool starved = waiting[0].arrival + config_.starvation_limit < now;
  if (bank.row != kClosed && waiting[0].access.row != bank.row && scheduler_->prefers_open_row() && !starved) {
    while (place < waiting.size() && waiting[place].access.row != bank.row) ++place;
    if (place == waiting.size()) place = 0;
  }
  const bool open = bank.row == waiting[place].access.row;
  choice.bank = index;
  choice.place = place;
  choice.candidate.arrival = waiting[place].order;
  choice.candidate.column = open;
  choice.candidate.ready = open ? column_ready(index) : bank.row == kClosed ? activate_ready(index) : bank.precharge_at;
  return true;
}

void DramChannel::work(std::uint64_t now, Reader& reader) {
  refresh(now);
  choose_direction();
  Choice best, choice;
  bool found = false;
  for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
    if (!consider(bank, now, choice)) continue;
    if (scheduler_->only_oldest()) {
      if (!found || choice.candidate.arrival < best.candidate.arrival) best = choice, found = true;
    } else if (choice.candidate.ready <= now && (!found || scheduler_->before(choice.candidate, best.candidate))) {
      best = choice;
      found = true;
    }
  }
  if (found && best.candidate.ready <= now) issue(best, now, reader);
  plan(now + 1);
}

void DramChannel::issue(const Choice& choice, std::uint64_t now, Reader& reader) {
  Bank& bank = banks_[choice.bank];
  Waiting& waiting = bank.waiting[writing_][choice.place];
  if (choice.candidate.column) {
    column(bank, choice.bank, choice.place, now, reader);
  } else if (bank.row == kClosed) {
    activate(bank, choice.bank, waiting, now);
  } else {
    bank.row = kClosed;
    bank.activate_at = std::max(bank.activate_at, now + config_.tRP);
    ++counters_.row_conflicts;
  }
}

void DramChannel::activate(Bank& bank, std::size_t index, Waiting& waiting, std::uint64_t now) {
  bank.row = waiting.access.row;
  bank.column_at = now + config_.tRCD;
  bank.precharge_at = now + config_.tRAS;
  bank.activate_at = now + config_.tRC;
  activate_any_ = now + config_.tRRDS;
  activate_group_[group(index)] = now + config_.tRRDL;
  recent_activates_[activates_++ % 4] = now;
  waiting.opened = true;
}

void DramChannel::column(Bank& bank, std::size_t index, std::size_t place, std::uint64_t now, Reader& reader) {
  std::vector<Waiting>& list = bank.waiting[writing_];
  Waiting& waiting = list[place];
  const std::uint32_t g = group(index);
  const std::uint32_t bursts = chained_ ? waiting.access.bursts : 1;
  const std::uint64_t last = now + std::uint64_t{bursts - 1} * std::max(burst_cycles_, config_.tCCDS);
  if (waiting.first) {
    ++(waiting.opened ? counters_.row_misses : counters_.row_hits);
    waiting.first = false;
    if (!writing_) counters_.queue_wait += now + config_.tCL - waiting.arrival;
  }
  column_any_ = last + config_.tCCDS;
  column_group_[g] = last + config_.tCCDL;
  const std::uint64_t end = last + (writing_ ? config_.tCWL : config_.tCL) + burst_cycles_;
  data_free_ = end;
  counters_.busy += std::uint64_t{bursts} * burst_cycles_;
  if (writing_) {
    counters_.write_bursts += bursts;
    bank.precharge_at = std::max(bank.precharge_at, end + config_.tWR);
    read_after_write_ = end + config_.tWTRS;
    read_after_write_group_[g] = end + config_.tWTRL;
  } else {
    counters_.read_bursts += bursts;
    bank.precharge_at = std::max(bank.precharge_at, last + config_.tRTP);
    // The bus is turned: one idle cycle between read data and write data.
    write_after_read_ = end + 1 > config_.tCWL ? end + 1 - config_.tCWL : 0;
  }
  waiting.access.bursts -= bursts;
  if (waiting.access.bursts != 0) return;
  if (!writing_) reader.read_done(waiting.access.tag, end);
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
  --queued_[writing_];
  admit();
}

/// The next cycle, from `now` on, at which a command can be issued or a refresh is due.
void DramChannel::plan(std::uint64_t now) {
  next_ = kNoCycle;
  if (idle()) return;
  choose_direction();
  std::uint64_t oldest = kNoCycle;
  Choice choice;
  for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
    if (!consider(bank, now, choice)) continue;
    if (!scheduler_->only_oldest()) {
      next_ = std::min(next_, choice.candidate.ready);
    } else if (choice.candidate.arrival < oldest) {
      oldest = choice.candidate.arrival;
      next_ = choice.candidate.ready;
    }
  }
  next_ = std::max(now, std::min(next_, next_refresh_));
}

}  // namespace sassim::arch
