// SPDX-License-Identifier: Apache-2.0
// Shared memory: how long an access occupies the data stage, and when its result is ready.
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/common/bank_conflicts.h"
#include "arch/sm/common/data_stage.h"
#include "arch/sm/common/op.h"
#include "sim/config/forward.h"
#include "sim/config/groups/shared_memory.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class SharedMemory {
 public:
  struct Result {
    Cycle start;  ///< start of the data stage
    Cycle done;   ///< stores: written; loads and atomics: a dependent instruction may issue
    BankPasses cost{};
  };
  struct Counters {
    std::uint64_t load_instructions = 0, store_instructions = 0, atomic_instructions = 0, matrix_instructions = 0;
    std::uint64_t load_wavefronts = 0, store_wavefronts = 0, atomic_wavefronts = 0;
    std::uint64_t load_conflicts = 0, store_conflicts = 0, atomic_conflicts = 0;
  };

  explicit SharedMemory(const config::Sm& sm);
  Result access(const UnitOp& op, Cycle now, DataStage& data);
  const Counters& counters() const { return counters_; }
  void clear_counters() { counters_ = {}; }
  void report(stats::CounterValues& values) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(after_atomic_, counters_);
  }

 private:
  Result atomic(const UnitOp& op, Cycle now, DataStage& data);
  Result spin(const UnitOp& op, Cycle now, DataStage& data);
  BankPasses passes(const UnitOp& op) const;
  std::uint32_t cycles(const BankPasses& passes, bool load) const;

  config::SharedMemory config_;
  BankShape banks_;
  std::uint32_t after_accept_;   ///< the part of the latency after accept()
  std::uint32_t return_cycles_;  ///< cycles to return 128 bytes to the registers
  std::uint32_t pass_cycles_;    ///< cycles of one pass of the data stage
  std::uint32_t pass_latency_;   ///< cycles of latency that each pass beyond the first one adds
  std::uint32_t vector_result_;
  std::uint32_t store_data_;                                ///< cycles from the start of a store to its first pass
  std::array<std::uint64_t, kWarpSize + 1> atomic_hold_{};  ///< by the most lanes that use one word
  std::array<Cycle, 256> after_atomic_{};  ///< per warp: when the next access may start after its last atomic
  Counters counters_;
};

}  // namespace sassim::arch
