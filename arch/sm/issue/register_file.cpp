// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/issue/register_file.h"

#include <algorithm>
#include <bit>

#include "sim/base/error.h"
#include "sim/config/groups/register_file.h"

namespace sassim::arch {

RegisterFile::RegisterFile(const config::RegisterFile& config)
    : banks_(config.banks),
      ports_(config.read_ports),
      window_(config.read_window),
      use_reuse_(config.reuse_cache),
      reuse_after_yield_(config.reuse_after_yield),
      queued_read_delay_(config.queued_reads.delay),
      reuse_(config.reuse_lost_on_switch) {
  if (config.banks == 0 || config.banks > kMaxBanks || ports_ == 0 || ports_ > busy_[0].size() || window_ == 0 ||
      window_ > 16)
    throw InputError(
        "sm.register_file: {} banks with {} read ports and a window of {} cycles; this model holds 1 to {} banks, "
        "1 to {} ports and 1 to 16 cycles",
        config.banks, ports_, window_, kMaxBanks, busy_[0].size());
}

bool RegisterFile::flags_count(WarpIndex warp, const StaticInstruction& instruction) {
  const bool count = reuse_after_yield_ || (yielded_ >> warp & 1) == 0;
  yielded_ = (yielded_ & ~(1u << warp)) | std::uint32_t{instruction.issue.yields} << warp;
  return count;
}

void RegisterFile::advance(Cycle to) {
  if (to <= base_) return;
  const std::uint64_t shift = to.value - base_.value;
  base_ = to;
  if (shift >= 64) {
    for (auto& bank : busy_) bank.fill(0);
    queued_.fill(0);
    return;
  }
  for (std::uint32_t bank = 0; bank < banks_; ++bank) {
    for (std::uint32_t port = 0; port < ports_; ++port) busy_[bank][port] >>= shift;
    queued_[bank] >>= shift;
  }
}

bool RegisterFile::fits(std::uint32_t bank, std::uint32_t shift, std::uint32_t window, std::uint32_t count) const {
  const std::uint64_t mask = ((1ull << window) - 1) << shift;
  for (std::uint32_t port = 0; port < ports_; ++port)
    for (std::uint64_t free = ~busy_[bank][port] & mask; free != 0; free &= free - 1)
      if (--count == 0) return true;
  return false;
}

void RegisterFile::reserve(std::uint32_t bank, std::uint32_t shift, std::uint32_t count) {
  if (ports_ == 1) {
    for (std::uint64_t free = ~busy_[bank][0] & ~0ull << shift; count > 0; --count, free &= free - 1)
      busy_[bank][0] |= free & (~free + 1);
    return;
  }
  for (std::uint32_t cycle = shift; count > 0; ++cycle)
    for (std::uint32_t port = 0; port < ports_ && count > 0; ++port) {
      if (busy_[bank][port] >> cycle & 1) continue;
      busy_[bank][port] |= 1ull << cycle;
      --count;
    }
}

RegisterFile::Wanted RegisterFile::wanted(WarpIndex warp, const StaticInstruction& instruction) {
  Wanted wanted;
  if (use_reuse_)
    reuse_.read(warp, instruction, flags_count(warp, instruction), [&](std::uint8_t bank) { wanted.add(bank); });
  else
    for (std::uint32_t i = 0; i < instruction.registers.count; ++i) wanted.add(instruction.registers.reads[i].bank);
  return wanted;
}

std::uint32_t RegisterFile::queued(std::uint32_t banks, std::uint32_t hold) const {
  std::uint64_t taken = 0;
  for (; banks != 0; banks &= banks - 1) taken |= queued_[static_cast<std::size_t>(std::countr_zero(banks))];
  return hold >= 64 ? 0 : static_cast<std::uint32_t>(std::countr_one(taken >> hold));
}

Cycle RegisterFile::allocate(WarpIndex warp, const StaticInstruction& instruction, Cycle earliest) {
  const Wanted reads = wanted(warp, instruction);
  reads_ += reads.sum;
  reuse_hits_ += instruction.registers.count - reads.sum;
  std::uint32_t hold = alone_until_ > earliest ? static_cast<std::uint32_t>(alone_until_.value - earliest.value) : 0;
  waited_ = 0;
  if (reads.sum == 0) return port_stalls_ += hold, earliest + hold;
  advance(earliest);
  waited_ = queued(reads.banks, hold);
  hold += waited_;

  // An instruction with more reads than the window holds extends the window, and the next instruction waits until its
  // reads are done. Tensor instructions do not delay the next one: their operands take another path.
  const std::uint32_t needed = reads.most <= ports_ ? 1 : (reads.most + ports_ - 1) / ports_;
  const std::uint32_t window = std::max(window_, needed);
  for (std::uint32_t bank = 0; bank < banks_; ++bank)
    while (reads.reads[bank] != 0 && !fits(bank, 1 + hold, window, reads.reads[bank])) ++hold;
  for (std::uint32_t bank = 0; bank < banks_; ++bank) reserve(bank, 1 + hold, reads.reads[bank]);
  // An instruction of the FP64 pipe reads register pairs and always delays the next instruction.
  const bool alone = needed > window_ && instruction.resource != Resource::tensor;
  if (alone || instruction.resource == Resource::fp64) alone_until_ = earliest + hold + needed;
  port_stalls_ += hold;
  return earliest + hold;
}

void RegisterFile::read_later(WarpIndex warp, const StaticInstruction& instruction, Cycle enters) {
  Wanted reads = wanted(warp, instruction);
  if (queued_read_delay_ == 0 || instruction.registers.aside) return;
  advance(enters);
  const Cycle first = std::max(enters + queued_read_delay_, base_);
  for (std::uint32_t bank = 0; bank < banks_; ++bank)
    for (std::uint64_t cycle = first.value - base_.value; cycle < 64 && reads.reads[bank] != 0; ++cycle) {
      if ((queued_[bank] >> cycle & 1) == 0) --reads.reads[bank];
      queued_[bank] |= 1ull << cycle;
    }
}

void RegisterFile::write(std::uint8_t banks, Cycle at) {
  WriteSlot& slot = writes_[at.value % kRing];
  if (slot.cycle != at.value) slot = {at.value, 0};
  slot.banks |= banks;
}

bool RegisterFile::write_conflict(std::uint8_t banks, Cycle at) const {
  const WriteSlot& slot = writes_[at.value % kRing];
  return slot.cycle == at.value && (slot.banks & banks) != 0;
}

}  // namespace sassim::arch
