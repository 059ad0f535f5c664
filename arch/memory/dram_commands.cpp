// SPDX-License-Identifier: Apache-2.0
// The commands of a DRAM channel and the times that they reserve: activate, precharge, column and refresh.
#include <algorithm>
#include <numeric>

#include "arch/memory/dram_channel.h"

namespace sassim::arch {

void DramChannel::issue(const Choice& choice, DramCycle now, Reader& reader) {
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

void DramChannel::activate(Bank& bank, std::size_t index, Waiting& waiting, DramCycle now) {
  bank.row = waiting.access.row;
  bank.column_at = now + config_.tRCD;
  bank.precharge_at = now + config_.tRAS;
  bank.activate_at = now + config_.tRC;
  activate_any_ = now + config_.tRRDS;
  activate_group_[group(index)] = now + config_.tRRDL;
  recent_activates_[activates_++ % 4] = now;
  waiting.opened = true;
}

void DramChannel::column(Bank& bank, std::size_t index, std::size_t place, DramCycle now, Reader& reader) {
  std::vector<Waiting>& list = bank.waiting[writing_];
  Waiting& waiting = list[place];
  const std::uint32_t g = group(index);
  const std::uint32_t bursts = chained_ ? waiting.left : 1;
  const DramCycle last = now + std::uint64_t{bursts - 1} * std::max(burst_cycles_, config_.tCCDS);
  if (waiting.first) {
    ++(waiting.opened ? counters_.row_misses : counters_.row_hits);
    waiting.first = false;
    (writing_ ? counters_.write_bursts : counters_.read_bursts) += waiting.access.bursts;
    counters_.check_bursts += waiting.access.checks;
    if (!writing_) counters_.queue_wait += (now + config_.tCL - waiting.arrival).value;
  }
  column_any_ = last + config_.tCCDS;
  column_group_[g] = last + config_.tCCDL;
  const DramCycle end = last + (writing_ ? config_.tCWL : config_.tCL) + burst_cycles_;
  data_free_ = end;
  counters_.busy += std::uint64_t{bursts} * burst_cycles_;
  if (writing_) {
    bank.precharge_at = std::max(bank.precharge_at, end + config_.tWR);
    read_after_write_ = end + config_.tWTRS;
    read_after_write_group_[g] = end + config_.tWTRL;
  } else {
    bank.precharge_at = std::max(bank.precharge_at, last + config_.tRTP);
    // The bus needs one idle cycle between read data and write data.
    write_after_read_ = end.value + 1 > config_.tCWL ? end + 1 - config_.tCWL : DramCycle{};
  }
  waiting.left -= bursts;
  if (waiting.left != 0) return;
  if (!writing_) reader.read_done(waiting.access.tag, end);
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
  --queued_[writing_];
  if (closes_rows_ && !wanted(bank)) {
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

void DramChannel::refresh_bank(Bank& bank, DramCycle due, std::uint32_t duration) {
  DramCycle start = std::max(due, bank.activate_at);
  if (bank.row != kClosed) start = std::max(due, bank.precharge_at) + config_.tRP;
  bank.row = kClosed;
  bank.activate_at = start + duration;
}

namespace {

/// The number at `place` of a permutation of 0 to count - 1, which begins with first % count and depends on `random`.
std::uint64_t shuffled(std::uint64_t place, std::uint64_t count, std::uint64_t random, std::uint64_t first) {
  std::uint64_t step = random % count | 1;
  while (std::gcd(step, count) != 1) step += 2;
  return (place * step + first) % count;
}

}  // namespace

/// per_bank: each round refreshes every bank once, in an order that differs between channels. With the same order in
/// all channels, a warp that walks through the banks at a constant rate would meet refreshes either always or never.
std::size_t DramChannel::bank_to_refresh(std::uint64_t refresh_index) const {
  const std::uint64_t random = (index_ + 1) * 0x9e3779b97f4a7c15u;
  return shuffled(refresh_index, banks_.size(), random, random >> 32);
}

/// Begins the refresh that is due: of all banks, of one, or of the banks with the same number in two neighbouring bank
/// groups. The pairs' order is the same in all channels, as measured. It changes from round to round, so that loads of
/// an even pace seldom meet the refreshes in step (assumed).
void DramChannel::refresh_next() {
  if (config_.refresh == "all_bank") {
    for (Bank& bank : banks_) refresh_bank(bank, next_refresh_, config_.tRFC);
  } else if (config_.refresh == "per_bank") {
    refresh_bank(banks_[bank_to_refresh(refreshed_)], next_refresh_, config_.tRFCpb);
  } else {
    const std::uint64_t pairs = banks_.size() / 2, groups = config_.bank_groups / 2;
    const std::uint64_t random = (refreshed_ / pairs + 1) * 0x9e3779b97f4a7c15u >> 32;
    const std::uint64_t pair = shuffled(refreshed_ % pairs, pairs, random, random >> 8);
    const std::uint64_t first = pair % groups * 2 * config_.banks_per_group + pair / groups;
    refresh_bank(banks_[first], next_refresh_, config_.tRFCpb);
    refresh_bank(banks_[first + config_.banks_per_group], next_refresh_, config_.tRFCpb);
  }
}

/// Performs the refreshes that are due. Those of an idle period take place in the cycles in which they were due.
void DramChannel::refresh(DramCycle now) {
  if (now < next_refresh_) return;
  const std::uint64_t missed = (now - next_refresh_).value / refresh_interval_;
  const std::uint64_t round = config_.refresh == "all_bank" ? 1 : banks_.size();
  if (missed > round) {  // only the last round can still delay an access
    const std::uint64_t skipped = missed - round;
    next_refresh_ += DramCycle(skipped * refresh_interval_);
    refreshed_ += skipped;
    counters_.refreshes += skipped;
  }
  for (; next_refresh_ <= now; next_refresh_ += DramCycle(refresh_interval_)) {
    refresh_next();
    ++refreshed_;
    ++counters_.refreshes;
  }
}

}  // namespace sassim::arch
