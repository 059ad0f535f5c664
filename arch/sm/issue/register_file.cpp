// SPDX-License-Identifier: Apache-2.0
// Finds cycles with free read and write ports in the register banks; without them an instruction waits in Allocate.
#include "arch/sm/issue/register_file.h"

#include <algorithm>
#include <bit>

#include "sim/base/error.h"
#include "sim/config/groups/register_file.h"

namespace sassim::arch {

RegisterFile::RegisterFile(const config::RegisterFile& config)
    : ports_(config.read_ports),
      window_(config.read_window),
      use_reuse_(config.reuse_cache),
      reuse_after_yield_(config.reuse_after_yield),
      banks_(static_cast<std::uint8_t>(config.banks)),
      queued_read_delay_(config.queued_reads.delay),
      reuse_(config.reuse_lost_on_switch) {
  if (config.banks == 0 || config.banks > kMaxBanks || ports_ == 0 || ports_ > kMaxPorts || window_ == 0 ||
      window_ > 16)
    throw InputError(
        "sm.register_file: {} banks with {} read ports and a window of {} cycles; this model holds 1 to {} banks, "
        "1 to {} ports and 1 to 16 cycles",
        config.banks, ports_, window_, kMaxBanks, kMaxPorts);
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
    busy_ = {};
    queued_ = {};
    return;
  }
  for (std::uint32_t bank = 0; bank < banks_; ++bank) {
    for (std::uint32_t port = 0; port < ports_; ++port) busy_[port][bank] >>= shift;
    queued_[bank] >>= shift;
  }
}

template <std::uint32_t Ports>
std::uint32_t RegisterFile::reserve(BankReads reads, std::uint64_t window, std::uint32_t hold) {
  const std::uint32_t ports = Ports != 0 ? Ports : ports_;
  reads.each([&](std::uint32_t bank, std::uint32_t count) {
    const auto fits = [&](std::uint64_t cycles) {
      int free = 0;
      for (std::uint32_t port = 0; port < ports; ++port) free += std::popcount(~busy_[port][bank] & cycles);
      return free >= static_cast<int>(count);
    };
    while (!fits(window << (1 + hold))) ++hold;
  });
  // Each read takes the first cycle in which a port is free, and the first of these ports.
  reads.each([&](std::uint32_t bank, std::uint32_t count) {
    for (; count > 0; --count) {
      std::uint64_t busy = busy_[0][bank];
      for (std::uint32_t port = 1; port < ports; ++port) busy &= busy_[port][bank];
      const std::uint64_t free = ~busy & ~0ull << (1 + hold), cycle = free & (~free + 1);
      std::uint32_t port = 0;
      while (port + 1 < ports && (busy_[port][bank] & cycle) != 0) ++port;
      busy_[port][bank] |= cycle;
    }
  });
  return hold;
}

BankReads RegisterFile::wanted(WarpIndex warp, const StaticInstruction& instruction) {
  if (use_reuse_) return reuse_.read(warp, instruction, flags_count(warp, instruction));
  BankReads all;
  for (std::uint32_t i = 0; i < instruction.registers.count; ++i) all.add(instruction.registers.reads[i].bank());
  return all;
}

Cycle RegisterFile::allocate(WarpIndex warp, const StaticInstruction& instruction, Cycle earliest) {
  const BankReads reads = wanted(warp, instruction);
  const std::uint32_t sum = reads.sum();
  reads_ += sum;
  reuse_hits_ += instruction.registers.count - sum;
  std::uint32_t hold = alone_until_ > earliest ? static_cast<std::uint32_t>(alone_until_.value - earliest.value) : 0;
  waited_ = 0;
  if (sum == 0) return port_stalls_ += hold, earliest + hold;
  advance(earliest);
  std::uint64_t taken = 0;
  std::uint32_t most = 0;
  reads.each([&](std::uint32_t bank, std::uint32_t count) {
    taken |= queued_[bank];
    most = std::max(most, count);
  });
  if (taken != 0 && hold < 64) waited_ = static_cast<std::uint32_t>(std::countr_one(taken >> hold));
  hold += waited_;

  // An instruction with more reads than the window holds extends the window, and the next instruction waits until its
  // reads are done. Tensor instructions do not delay the next one: their operands take another path.
  const std::uint32_t needed = ports_ == 1 ? most : (most + ports_ - 1) / ports_;
  const std::uint64_t window = (1ull << std::max(window_, needed)) - 1;
  hold = ports_ == 1 ? reserve<1>(reads, window, hold) : reserve<0>(reads, window, hold);
  // An instruction of the FP64 pipe reads register pairs and always delays the next instruction.
  const bool alone = needed > window_ && instruction.resource != Resource::tensor;
  if (alone || instruction.resource == Resource::fp64) alone_until_ = earliest + hold + needed;
  port_stalls_ += hold;
  return earliest + hold;
}

void RegisterFile::read_later(WarpIndex warp, const StaticInstruction& instruction, Cycle enters) {
  const BankReads reads = wanted(warp, instruction);
  if (queued_read_delay_ == 0 || instruction.registers.aside) return;
  advance(enters);
  const Cycle first = std::max(enters + queued_read_delay_, base_);
  reads.each([&](std::uint32_t bank, std::uint32_t left) {
    for (std::uint64_t cycle = first.value - base_.value; cycle < 64 && left != 0; ++cycle) {
      if ((queued_[bank] >> cycle & 1) == 0) --left;
      queued_[bank] |= 1ull << cycle;
    }
  });
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
