// SPDX-License-Identifier: Apache-2.0
// The commands of a DRAM channel and the times that they reserve: activate, precharge, column and refresh.
#include <algorithm>

#include "arch/memory/dram/channel.h"

namespace sassim::arch {

void DramChannel::issue(const Choice& choice, DramCycle now, Reader& reader) {
  Bank& bank = banks_[choice.bank];
  Waiting& waiting = bank.waiting[writing_][choice.place];
  changed(choice.bank);
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

void DramChannel::activate(Bank& bank, std::size_t index, Waiting& waiting, DramCycle now) {
  bank.row = waiting.access.row;
  bank.column_at = now + config_.tRCD;
  bank.precharge_at = now + config_.tRAS;
  bank.activate_at = now + config_.tRC;
  timings_.activated(group(index), now);
  commands_.limits_known[static_cast<std::size_t>(Commands::Kind::activate)] = false;
  waiting.opened = true;
}

void DramChannel::column(Bank& bank, std::size_t index, std::size_t place, DramCycle now, Reader& reader) {
  std::vector<Waiting>& list = bank.waiting[writing_];
  Waiting& waiting = list[place];
  const std::uint32_t bursts = timings_.chained() ? waiting.left : 1;
  if (waiting.first) {
    ++(waiting.opened ? counters_.row_misses : counters_.row_hits);
    waiting.first = false;
    (writing_ ? counters_.write_bursts : counters_.read_bursts) += waiting.access.bursts;
    counters_.check_bursts += waiting.access.checks;
    if (!writing_) counters_.queue_wait += (now + config_.tCL - waiting.arrival).value;
  }
  const DramTimings::Data data = timings_.transfer(group(index), bursts, writing_, now);
  commands_.limits_known[static_cast<std::size_t>(Commands::Kind::column)] = false;
  counters_.busy += data.busy;
  bank.precharge_at = std::max(bank.precharge_at, writing_ ? data.end + config_.tWR : data.last + config_.tRTP);
  waiting.left -= bursts;
  if (waiting.left != 0) return;
  if (!writing_) reader.read_done(waiting.access.tag, data.end);
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
  --queued_[writing_];
  if (rows_->closes_unwanted() && !wanted(bank)) {
    bank.row = kClosed;
    bank.activate_at = std::max(bank.activate_at, bank.precharge_at + config_.tRP);
  }
  if (list.empty()) busy_banks_[writing_] &= ~(std::uint64_t{1} << index);
  admit();
}

bool DramChannel::wanted(const Bank& bank) const {
  const auto same = [&bank](const Waiting& waiting) { return waiting.access.row == bank.row; };
  return std::any_of(bank.waiting[0].begin(), bank.waiting[0].end(), same) ||
         std::any_of(bank.waiting[1].begin(), bank.waiting[1].end(), same);
}

void DramChannel::refresh_bank(std::size_t index, DramCycle due, std::uint32_t duration) {
  Bank& bank = banks_[index];
  changed(index);
  DramCycle start = std::max(due, bank.activate_at);
  if (bank.row != kClosed) start = std::max(due, bank.precharge_at) + config_.tRP;
  bank.row = kClosed;
  bank.activate_at = start + duration;
}

/// Performs the refreshes that are due.
void DramChannel::refresh(DramCycle now) {
  counters_.refreshes += refreshes_.advance(
      now, [&](std::size_t bank, DramCycle due, std::uint32_t duration) { refresh_bank(bank, due, duration); });
}

}  // namespace sassim::arch
