// SPDX-License-Identifier: Apache-2.0
// The units of an SM behind its processing blocks, and the memory stage, which passes instructions to those of them
// that have no queue of their own. Which unit executes an op class is a table of the configuration.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arch/sm/common/port_clients.h"
#include "arch/sm/units/unit.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class StallTable;

/// What an SM offers to its units.
struct UnitSurroundings {
  SmId sm;
  std::function<PortClient()> port;  ///< another client of the port to the memory
  ConstantMissPort& constants;
  LiveAccesses& live;
};

class Units {
 public:
  /// Makes the units that the table of op classes names. Throws InputError for a configuration that cannot work. `sm`
  /// and what is in `around` must outlive this object.
  Units(const config::Sm& sm, const UnitSurroundings& around);
  ~Units();
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  /// The earliest cycle from `now` on in which accept() may be called for an instruction of this queue; kNever: cycle()
  /// must act first. The memory stage accepts an instruction only when all units behind it have room, whichever unit
  /// the instruction is for.
  Cycle ready(UnitQueue queue, const UnitOp& op, Cycle now) const {
    return queue == UnitQueue::memory ? stage_ready(op, now) : unit(op).ready(op, now);
  }
  void accept(UnitQueue queue, const UnitOp& op, Cycle now);
  /// Cycles for which an instruction occupies the entry of the memory stage.
  std::uint32_t interval(const UnitOp& op) const { return routes_[static_cast<std::size_t>(op.decoded->op)].interval; }

  /// One cycle of all units; called only when next_event() <= now, after accept(), and when a reply has come.
  void cycle(Cycle now) {
    for (SmUnit* unit : acting_) unit->cycle(now);
  }
  /// Takes the next event that is due at or before `now`.
  bool pop_event(Cycle now, UnitEvent& event) { return events_.pop(now, event); }
  /// The earliest cycle in which cycle() or pop_event() has work; kNever if only a reply can cause some.
  Cycle next_event() const;
  /// True if no instruction is in flight.
  bool idle() const;

  /// Counters begin at 0; traffic is counted for each line of `lines`.
  void start_kernel(const SmLaunch& launch, StallTable* lines);
  /// See CacheUnit.
  void resize(std::uint64_t carveout);
  void invalidate();
  void begin(const UnitOp& op, bool past_cache);
  void serve(const MemRequest& request);

  void report(stats::CounterValues& values) const;
  void describe_waits(WaitGraph& graph) const;
  /// The state between two cycles, of launches whose warps are not live; load(): after start_kernel() for the same
  /// launch.
  void save(StateWriter& to) const;
  void load(StateReader& from, const StaticCode& code);

 private:
  /// Where the instructions of an op class go.
  struct Route {
    SmUnit* unit = nullptr;       ///< nullptr: the class does not leave the processing blocks
    SmUnit* in_shared = nullptr;  ///< when the address is in shared memory
    std::uint32_t interval = 1;   ///< of the memory stage
  };

  SmUnit& unit(const UnitOp& op) const {
    const Route& route = routes_[static_cast<std::size_t>(op.decoded->op)];
    return op.space == isa::Space::shared ? *route.in_shared : *route.unit;
  }
  struct Made {
    std::unique_ptr<SmUnit> unit;  ///< nullptr: it is being made
    const UnitTraits* traits = nullptr;
  };
  Made& make(isa::OpClass op);
  void add_route(isa::OpClass op);
  Cycle stage_ready(const UnitOp& op, Cycle now) const;
  template <class Archive>
  void state(Archive& archive) {
    archive(data_, events_);
  }

  const config::Sm& config_;
  const UnitSurroundings around_;
  DataStage data_;
  EventQueue events_;
  TrafficCounter traffic_;
  std::map<std::string, Made, std::less<>> units_;
  std::array<Route, static_cast<std::size_t>(isa::OpClass::count_)> routes_{};
  std::vector<SmUnit*> acting_;  ///< units that act later, each before those that it passes instructions to
  std::vector<SmUnit*> staged_;  ///< units behind the memory stage
  std::vector<CacheUnit*> caches_;
  std::map<std::uint8_t, CacheUnit*> clients_;  ///< caches by their numbers as clients of the port
};

}  // namespace sassim::arch
