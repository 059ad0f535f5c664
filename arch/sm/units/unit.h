// SPDX-License-Identifier: Apache-2.0
// A unit of the SM: what executes the instructions that leave the processing blocks, such as the L1 or shared memory.
// A unit is one class, which registers itself under the name that `sm.pipes.ops.*.pipe` uses. Each SM makes those that
// its table of op classes names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "arch/network/memory_port.h"
#include "arch/sm/code/launch.h"
#include "arch/sm/common/constant_miss_port.h"
#include "arch/sm/common/data_stage.h"
#include "arch/sm/common/event_queue.h"
#include "arch/sm/common/live_accesses.h"
#include "arch/sm/common/op.h"
#include "arch/sm/common/traffic_counter.h"
#include "arch/sm/common/unit_traits.h"
#include "sim/base/registry.h"
#include "sim/base/wait_graph.h"
#include "sim/config/forward.h"
#include "sim/stats/counter_values.h"

namespace sassim {
class StateReader;
class StateWriter;
}  // namespace sassim

namespace sassim::arch {

class CacheUnit;

class SmUnit {
 public:
  static constexpr const char* kKind = "unit of the SM";
  virtual ~SmUnit() = default;

  /// The earliest cycle from `now` on in which accept() may be called for this instruction; kNever: cycle() must act
  /// first.
  virtual Cycle ready(const UnitOp& /*op*/, Cycle now) const { return now; }
  virtual void accept(const UnitOp& op, Cycle now) = 0;

  /// False: the unit has pushed all events of an instruction when accept() returns. Then the next four are not called.
  virtual bool acts_later() const { return false; }
  /// One cycle; called when next_event() of any unit is due, after accept(), and when the SM has received a reply from
  /// the memory.
  virtual void cycle(Cycle /*now*/) {}
  /// The earliest cycle in which cycle() has work; kNever if only a reply can cause some. Replies from the memory need
  /// not be foreseen.
  virtual Cycle next_event() const { return kNever; }
  virtual bool idle() const { return true; }
  /// True if no accepted instruction waits for its turn.
  virtual bool queue_empty() const { return true; }

  /// A kernel starts: counters begin at 0. If `keep_caches` is not set, caches lose their contents.
  virtual void start_kernel(const SmLaunch& /*launch*/) {}
  /// Adds counts since the start of the kernel; called at its end, and at the ends of the intervals of a series.
  virtual void report(stats::CounterValues& /*values*/) const {}
  /// Adds to the graph what the unit waits for; `stage`: the memory stage, which may wait for the unit.
  virtual void describe_waits(WaitGraph& /*graph*/, WaitGraph::Node /*stage*/) const {}

  /// The state between two cycles, of launches whose warps are not live.
  virtual void save(StateWriter& /*to*/) const {}
  /// After start_kernel() for the same launch.
  virtual void load(StateReader& /*from*/, const StaticCode& /*code*/) {}

  /// This unit, if it holds copies of global memory.
  virtual CacheUnit* cache() { return nullptr; }
};

/// A unit with copies of global memory, which reads and writes it for live warps.
class CacheUnit : public SmUnit {
 public:
  CacheUnit* cache() final { return this; }

  /// Shared memory takes `carveout` bytes of the array from now on; counters keep their values. Requires an SM without
  /// thread blocks, and idle().
  virtual void resize(std::uint64_t /*carveout*/) {}
  /// Lines that it holds and lines in flight may be out of date (CCTL.IVALL).
  virtual void invalidate() = 0;
  /// A live access has issued; accept() receives its instruction later. `past`: it does not use data of the cache.
  virtual void begin(LiveId /*access*/, bool /*past*/) {
    throw NotSupported("a unit of this configuration does not execute live warps");
  }
  /// Between epochs: a request of this unit has reached the memory.
  virtual void serve(const MemRequest& /*request*/) {}
};

/// What a unit is made from. All of it lasts longer than the unit.
struct UnitParts {
  const config::Sm& config;
  SmId sm;
  std::function<MemoryPort&()> port;  ///< a port to the memory, of which the unit is the only client
  ConstantMissPort& constants;
  DataStage& data;
  EventQueue& events;
  TrafficCounter& traffic;
  LiveAccesses& live;
  std::function<SmUnit&(isa::OpClass)> unit;  ///< the unit of an op class
};

using SmUnits = Registry<SmUnit, const UnitParts&>;

/// `const RegisteredUnit<L1Unit> l1_registered("l1", {...});`
template <class Implementation>
struct RegisteredUnit {
  RegisteredUnit(const char* name, UnitTraits traits) {
    SmUnits::instance().add(name, [](const UnitParts& parts) -> std::unique_ptr<SmUnit> {
      return std::make_unique<Implementation>(parts);
    });
    add_unit_traits(name, std::move(traits));
  }
};

}  // namespace sassim::arch
