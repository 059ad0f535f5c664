// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/issue/register_file.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/config/groups/register_file.h"

namespace sassim::arch {

RegisterFile::RegisterFile(const config::RegisterFile& config)
    : ports_(config.read_ports),
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
  for (auto& bank : busy_)
    for (std::uint32_t port = 0; port < ports_; ++port) bank[port] = shift >= 64 ? 0 : bank[port] >> shift;
  for (std::uint64_t& bank : queued_) bank = shift >= 64 ? 0 : bank >> shift;
  base_ = to;
}

bool RegisterFile::fits(std::uint32_t bank, std::uint32_t shift, std::uint32_t window, std::uint32_t count) const {
  const std::uint64_t mask = ((1ull << window) - 1) << shift;
  for (std::uint32_t port = 0; port < ports_; ++port)
    for (std::uint64_t free = ~busy_[bank][port] & mask; free != 0 && count != 0; free &= free - 1) --count;
  return count == 0;
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

Cycle RegisterFile::allocate(WarpIndex warp, const StaticInstruction& instruction, Cycle earliest) {
  std::array<std::uint32_t, kMaxBanks> wanted{};
  std::uint32_t misses = 0, most = 0;
  auto miss = [&](std::uint8_t bank) {
    ++misses;
    most = std::max(most, ++wanted[bank]);
  };
  if (use_reuse_)
    reuse_.read(warp, instruction, flags_count(warp, instruction), miss);
  else
    for (std::uint32_t i = 0; i < instruction.registers.count; ++i) miss(instruction.registers.reads[i].bank);
  reads_ += misses;
  reuse_hits_ += instruction.registers.count - misses;
  std::uint32_t hold = alone_until_ > earliest ? static_cast<std::uint32_t>(alone_until_.value - earliest.value) : 0;
  waited_ = 0;
  if (misses == 0) return port_stalls_ += hold, earliest + hold;
  advance(earliest);
  std::uint64_t taken = 0;
  for (std::uint32_t bank = 0; bank < kMaxBanks; ++bank)
    if (wanted[bank] != 0) taken |= queued_[bank];
  for (; hold < 64 && (taken >> hold & 1) != 0; ++hold) ++waited_;

  // An instruction with more reads than the window holds extends the window, and the next instruction waits until its
  // reads are done. Tensor instructions do not delay the next one: their operands take another path.
  const std::uint32_t needed = (most + ports_ - 1) / ports_;
  const std::uint32_t window = std::max(window_, needed);
  for (std::uint32_t bank = 0; bank < kMaxBanks; ++bank)
    while (wanted[bank] != 0 && !fits(bank, 1 + hold, window, wanted[bank])) ++hold;
  for (std::uint32_t bank = 0; bank < kMaxBanks; ++bank)
    if (wanted[bank] != 0) reserve(bank, 1 + hold, wanted[bank]);
  // An instruction of the FP64 pipe reads register pairs and always delays the next instruction.
  const bool alone = needed > window_ && instruction.resource != Resource::tensor;
  if (alone || instruction.resource == Resource::fp64) alone_until_ = earliest + hold + needed;
  port_stalls_ += hold;
  return earliest + hold;
}

void RegisterFile::read_later(WarpIndex warp, const StaticInstruction& instruction, Cycle enters) {
  std::array<std::uint32_t, kMaxBanks> wanted{};
  auto miss = [&](std::uint8_t bank) { ++wanted[bank]; };
  if (use_reuse_)
    reuse_.read(warp, instruction, flags_count(warp, instruction), miss);
  else
    for (std::uint32_t i = 0; i < instruction.registers.count; ++i) miss(instruction.registers.reads[i].bank);
  if (queued_read_delay_ == 0 || instruction.registers.aside) return;
  advance(enters);
  const Cycle first = std::max(enters + queued_read_delay_, base_);
  for (std::uint32_t bank = 0; bank < kMaxBanks; ++bank)
    for (std::uint64_t cycle = first.value - base_.value; cycle < 64 && wanted[bank] != 0; ++cycle) {
      if ((queued_[bank] >> cycle & 1) == 0) --wanted[bank];
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
