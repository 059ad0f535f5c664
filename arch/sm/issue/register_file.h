// SPDX-License-Identifier: Apache-2.0
// The ports of the register file of a processing block. A fixed-latency instruction reserves all its reads within the
// read window behind Allocate; while they do not fit, it stays in Allocate. A fixed-latency result always gets the
// write port; a load waits for it.
#pragma once

#include <array>
#include <cstdint>

#include "arch/common/indices.h"
#include "arch/sm/code/static_code.h"
#include "arch/sm/issue/reuse_cache.h"
#include "sim/base/types.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class RegisterFile {
 public:
  static constexpr std::uint32_t kMaxBanks = kReuseBanks;

  /// Throws InputError if the configuration exceeds the limits of the model.
  explicit RegisterFile(const config::RegisterFile& config);

  /// A new warp starts as warp number `warp`.
  void start_warp(WarpIndex warp) { yielded_ &= ~(1u << warp); }
  /// Reserves the ports for an instruction that reaches Allocate at `earliest`; returns the cycle in which it leaves.
  Cycle allocate(WarpIndex warp, const StaticInstruction& instruction, Cycle earliest);
  /// The part of the last wait in Allocate that reads of variable-latency instructions caused. No warp issues
  /// meanwhile.
  std::uint32_t waited_for_queued() const { return waited_; }
  /// Registers the reads of a variable-latency instruction that passes Allocate at `enters` without waiting. If queued
  /// reads take ports (`queued_reads.delay`), a later fixed-latency instruction that wants the same bank waits for
  /// them.
  void read_later(WarpIndex warp, const StaticInstruction& instruction, Cycle enters);
  /// A fixed-latency result is written to `banks` at `at`.
  void write(std::uint8_t banks, Cycle at);
  /// True if a fixed-latency result uses the write port of one of `banks` at `at`. A load is then written one cycle
  /// later.
  bool write_conflict(std::uint8_t banks, Cycle at) const;

  void clear_counters() { reads_ = reuse_hits_ = port_stalls_ = 0; }
  std::uint64_t reads() const { return reads_; }
  std::uint64_t reuse_hits() const { return reuse_hits_; }
  std::uint64_t port_stalls() const { return port_stalls_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(yielded_, reuse_, queued_, waited_, alone_until_, base_, busy_, writes_, reads_, reuse_hits_, port_stalls_);
  }

 private:
  static constexpr std::uint32_t kRing = 64;
  struct WriteSlot {
    std::uint64_t cycle = ~0ull;
    std::uint8_t banks = 0;
  };

  /// True if the reuse bits of this instruction take effect. Also stores whether the instruction yields.
  bool flags_count(WarpIndex warp, const StaticInstruction& instruction);
  void advance(Cycle to);
  /// Reserves the reads in the cycles of `window` behind Allocate, and returns how many cycles the instruction stays
  /// there for them, at least `hold`. `Ports`: ports_, or 0 if it is above one.
  template <std::uint32_t Ports>
  std::uint32_t reserve(BankReads reads, std::uint64_t window, std::uint32_t hold);
  /// The reads that the reuse cache does not serve.
  BankReads wanted(WarpIndex warp, const StaticInstruction& instruction);

  std::uint32_t ports_, window_;
  bool use_reuse_, reuse_after_yield_;
  std::uint8_t banks_;
  std::uint32_t
      queued_read_delay_;  ///< cycles from Allocate to the reads of a queued instruction; 0: these reads take no port
  std::uint32_t yielded_ = 0;  ///< one bit per warp: its last instruction yielded
  ReuseCache reuse_;
  /// One bit per cycle from base_: the bank is busy for an instruction that leaves Allocate in that cycle.
  std::array<std::uint64_t, kMaxBanks> queued_{};
  std::uint32_t waited_ = 0;
  Cycle alone_until_;  ///< until then, an instruction with more reads than the window holds has all ports
  Cycle base_;         ///< the cycle of bit 0 of the masks
  static constexpr std::uint32_t kMaxPorts = 4;
  /// Per port and bank: one bit per cycle from base_.
  std::array<std::array<std::uint64_t, kMaxBanks>, kMaxPorts> busy_{};
  std::array<WriteSlot, kRing> writes_{};
  std::uint64_t reads_ = 0, reuse_hits_ = 0, port_stalls_ = 0;
};

}  // namespace sassim::arch
