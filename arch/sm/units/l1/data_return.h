// SPDX-License-Identifier: Apache-2.0
// The instructions in flight in the L1, and the way of their data through the data stage to the registers.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/sm/common/data_stage.h"
#include "arch/sm/common/event_queue.h"
#include "arch/sm/common/op.h"
#include "arch/sm/units/l1/l1_core.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class DataReturn {
 public:
  struct Flight {
    OpToken token;
    WarpSlot warp;
    std::uint32_t waits = 0;        ///< lines that have not arrived, plus one until the tag stage is done
    std::uint32_t lines = 0;        ///< of the access
    std::uint32_t hit_tail = 0;     ///< cycles from the data stage to a dependent instruction, on a hit
    std::uint32_t data_cycles = 0;  ///< of the data stage; those of a load that missed are taken as its lines arrive
    std::uint32_t conflicts = 0;    ///< passes of the data stage beyond the first
    std::uint32_t ideal = 0;        ///< passes without bank conflicts
    std::uint32_t returns = 0;      ///< cycles to return the registers after the first one
    std::uint32_t extra_data = 0;   ///< more cycles of the data stage, which do not delay the data
    L1Mode mode = L1Mode::load;
    bool missed = false;  ///< waits for data from the L2
    bool asked = false;   ///< has requested some of them
    Cycle first_pass;
    std::uint32_t next = 0;  ///< next free entry
    LiveId live;
  };

  DataReturn(const config::Sm& sm, L1Core& core, DataStage& data, EventQueue& events);

  /// Another instruction, whose number it returns. It waits until tags_done(). `extra_data`: more
  /// cycles of the data stage once the data are there (LDGSTS writes shared memory).
  std::uint32_t add(const UnitOp& op, L1Mode mode, std::uint32_t extra_data, const LineAccesses& accesses);
  Flight& operator[](std::uint32_t op) { return flights_[op]; }
  const Flight& operator[](std::uint32_t op) const { return flights_[op]; }
  std::uint32_t in_flight() const { return in_flight_; }
  /// Whether the instruction may request data from the L2: only so many wait for their data at the same time.
  bool may_ask(std::uint32_t op) const {
    const std::uint32_t most = core_.config.pending_loads;
    return most == 0 || flights_[op].asked || asked_ < most;
  }
  /// True if as many instructions wait for data from the L2 as may.
  bool full() const { return core_.config.pending_loads != 0 && asked_ >= core_.config.pending_loads; }
  /// The instruction requests some of its data from the L2.
  void ask(std::uint32_t op) {
    if (!flights_[op].asked) ++asked_;
    flights_[op].asked = true;
  }

  /// The instruction waits for one more reply.
  void wait(std::uint32_t op) { ++flights_[op].waits; }
  /// A line that it waited for is there. With the last one it ends, and its events are pushed.
  void part_done(std::uint32_t op, Cycle now);
  /// The tag stage is done with an instruction at `now`: the data of a store pass the data stage.
  void tags_done(std::uint32_t op, Cycle now);
  /// The cycle until which hits and stores occupy the data stage.
  Cycle hits_until() const { return hits_until_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(flights_, free_, in_flight_, asked_, hits_until_);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  void pass_line(Flight& flight, Cycle now);
  void release(std::uint32_t op, Cycle now);
  void push_result(Flight& op, Cycle now);

  L1Core& core_;
  DataStage& data_;
  EventQueue& events_;
  std::uint32_t hit_latency_;  ///< after accept(), of a vector address
  std::uint32_t vector_result_, async_latency_, pass_latency_, return_cycles_, pass_cycles_;
  std::vector<Flight> flights_;
  std::uint32_t free_ = kNone;
  std::uint32_t in_flight_ = 0, asked_ = 0;  ///< asked_: of those in flight
  Cycle hits_until_;
};

}  // namespace sassim::arch
