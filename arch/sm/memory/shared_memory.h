// SPDX-License-Identifier: Apache-2.0
// Shared memory: how long an access occupies the data stage, and when its results are ready.
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/memory/bank_conflicts.h"
#include "arch/sm/memory/data_stage.h"
#include "arch/sm/memory/load_store_unit.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class SharedMemory {
 public:
  struct Result {
    Cycle start;  ///< the data stage begins
    Cycle done;   ///< written (stores), or a dependent instruction may issue (loads, atomics)
    BankPasses cost{};
  };
  struct Counters {
    std::uint64_t load_instructions = 0, store_instructions = 0, atomic_instructions = 0, matrix_instructions = 0;
    std::uint64_t load_wavefronts = 0, store_wavefronts = 0, atomic_wavefronts = 0;
    std::uint64_t load_conflicts = 0, store_conflicts = 0, atomic_conflicts = 0;
  };

  explicit SharedMemory(const config::Sm& sm);
  Result access(const LsuOp& op, Cycle now, DataStage& data);
  /// The cycles by which a store's or LDGSTS's data keeps the array, `bytes` per lane, without conflicts.
  std::uint32_t cycles_without_conflicts(std::uint32_t bytes) const;
  const Counters& counters() const { return counters_; }
  void clear_counters() { counters_ = {}; }

  template <class Archive>
  void state(Archive& archive) {
    archive(after_atomic_, in_order_, counters_);
  }

 private:
  Result atomic(const LsuOp& op, Cycle now, DataStage& data);
  BankPasses passes(const LsuOp& op) const;
  std::uint32_t cycles(const BankPasses& passes) const;

  config::SharedMemory config_;
  BankShape banks_;
  std::uint32_t after_accept_;   ///< the part of the latency that follows accept()
  std::uint32_t return_cycles_;  ///< per 128 bytes on the way to the registers
  std::uint32_t vector_result_;
  std::uint32_t store_data_;                                ///< cycles from a store's turn to its first pass
  std::array<std::uint64_t, kWarpSize + 1> atomic_hold_{};  ///< by the most lanes on one word
  std::array<Cycle, 256> after_atomic_{};                   ///< per warp: when its last atomic lets the next access in
  std::array<Cycle, 256> in_order_{};  ///< per warp: when the passes of its last load or store are through
  Counters counters_;
};

}  // namespace sassim::arch
