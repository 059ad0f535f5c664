// SPDX-License-Identifier: Apache-2.0
// The ports of a processing block's register file. A fixed-latency instruction reserves all its reads in the window
// behind Allocate, or stays in Allocate; fixed-latency results always get the write port, and loads wait for them.
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/fetch/static_code.h"
#include "arch/sm/issue/reuse_cache.h"
#include "sim/base/types.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class RegisterFile {
 public:
  static constexpr std::uint32_t kMaxBanks = ReuseCache::kBanks;

  /// Throws InputError for more banks than the model holds.
  explicit RegisterFile(const config::RegisterFile& config);

  /// A new warp takes the place of number `warp`.
  void start_warp(std::uint32_t warp) { yielded_ &= ~(1u << warp); }
  /// Takes the ports for an instruction that reaches Allocate at `earliest`; returns the cycle at which it leaves.
  Cycle allocate(std::uint32_t warp, const StaticInstruction& instruction, Cycle earliest);
  /// The part of that wait that was caused by reads of variable-latency instructions: no warp issues meanwhile.
  std::uint32_t waited_for_queued() const { return waited_; }
  /// The reads of a variable-latency instruction that reaches Allocate at `enters` and does not wait there. Where they
  /// take ports, a fixed-latency instruction that comes three cycles later and wants the same bank waits for them.
  void read_later(std::uint32_t warp, const StaticInstruction& instruction, Cycle enters);
  /// A fixed-latency result arrives at `at`.
  void write(std::uint8_t banks, Cycle at);
  /// True when a fixed-latency result takes the write port of one of `banks` at `at`: a load then comes a cycle later.
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

  /// Whether the reuse bits of the warp's instruction, the one that is read now, take effect.
  bool flags_count(std::uint32_t warp, const StaticInstruction& instruction);
  void advance(Cycle to);
  bool fits(std::uint32_t bank, std::uint32_t shift, std::uint32_t window, std::uint32_t count) const;
  void take(std::uint32_t bank, std::uint32_t shift, std::uint32_t count);

  std::uint32_t ports_, window_;
  bool use_reuse_, reuse_after_yield_;
  std::uint32_t queued_read_delay_;  ///< from Allocate to the reads of an instruction for a queue; 0: they take no port
  std::uint32_t yielded_ = 0;        ///< bit per warp: its last instruction yielded
  ReuseCache reuse_;
  /// Bit per cycle from base: an instruction that leaves Allocate in that cycle finds the bank busy.
  std::array<std::uint64_t, kMaxBanks> queued_{};
  std::uint32_t waited_ = 0;
  Cycle alone_until_;  ///< an instruction with too many reads has the ports for itself
  Cycle base_;         ///< bit 0 of the masks
  std::array<std::array<std::uint64_t, 4>, kMaxBanks> busy_{};  ///< per bank and port: bit per cycle from base
  std::array<WriteSlot, kRing> writes_{};
  std::uint64_t reads_ = 0, reuse_hits_ = 0, port_stalls_ = 0;
};

}  // namespace sassim::arch
