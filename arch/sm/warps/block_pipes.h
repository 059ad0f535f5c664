// SPDX-License-Identifier: Apache-2.0
// The pipes of a processing block, and for each resource the input at which an issuing instruction may have to wait.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "arch/sm/code/static_code.h"
#include "arch/sm/warps/pipe.h"
#include "sim/config/forward.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

/// Units that all processing blocks of an SM share if the configuration says so.
struct SharedUnits {
  Unit fp64, tensor, xu, adu;
};

class BlockPipes {
 public:
  /// `queue`: the input of the queue in front of the units of the SM, by resource. Throws InputError for a unit that
  /// cannot be shared.
  BlockPipes(const config::Pipes& config, SharedUnits& shared, const std::function<Occupied&(Resource)>& queue);
  BlockPipes(const BlockPipes&) = delete;
  BlockPipes& operator=(const BlockPipes&) = delete;

  const Occupied& input(Resource r) const { return *inputs_[static_cast<std::size_t>(r)]; }
  /// Pipe::occupy() on the pipe of the resource. An instruction without a pipe starts when it issues.
  Cycle occupy(Resource r, Cycle now, std::uint64_t hold, std::uint32_t interval) {
    return r == Resource::none ? now + hold : pipes_[static_cast<std::size_t>(r)].occupy(now, hold, interval);
  }
  /// Whether the FMA pipe can accept a second instruction at `now`: on its lanes beyond 32.
  bool takes_second(Cycle now) const { return second_interval_ != 0 && !second_fma_.input().busy(now); }
  /// occupy() of the FMA pipe for a second instruction.
  Cycle occupy_second(Cycle now, std::uint64_t hold) { return second_fma_.occupy(now, hold, second_interval_); }
  /// Occupies the ADU for more work: it also handles indirect branches and waiting threads.
  Cycle occupy_adu(Cycle now, std::uint32_t interval) {
    return pipes_[static_cast<std::size_t>(Resource::adu)].occupy_more(now, interval);
  }

  void start_kernel() {
    for (Pipe& pipe : pipes_) pipe.clear_counters();
  }
  void report(stats::CounterValues& values) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(own_units_, pipes_, second_unit_, second_fma_);
  }

 private:
  std::array<Unit, kResources> own_units_{};
  std::array<Pipe, kResources> pipes_{};
  std::array<Occupied*, kResources> inputs_{};
  Unit second_unit_;
  Pipe second_fma_;                    ///< lanes of the FMA pipe beyond 32
  std::uint32_t second_interval_ = 0;  ///< for which an instruction occupies them; 0: there are none
  Occupied no_input_;                  ///< of instructions without a pipe, such as NOP: never busy
};

}  // namespace sassim::arch
