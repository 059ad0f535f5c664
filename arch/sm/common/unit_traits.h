// SPDX-License-Identifier: Apache-2.0
// What the processing blocks know about the units of the SM (arch/sm/units/unit.h), by the names that
// `sm.pipes.ops.*.pipe` uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/sm/common/resource.h"
#include "sim/config/forward.h"
#include "sim/isa/opcode.h"

namespace sassim::arch {

struct UnitTraits {
  std::vector<isa::OpClass> executes;
  Resource resource = Resource::local_global;  ///< names the queue, and the stall reason when it is full
  bool long_latency = true;                    ///< waiting for results counts as long_scoreboard
  /// Cycles between one of its instructions and the next one in the memory stage; nullptr: memory_io.accept_interval.
  std::uint32_t (*interval)(const config::Sm&) = nullptr;
};

/// nullptr if no unit has this name.
const UnitTraits* unit_traits(const std::string& name);
void add_unit_traits(const std::string& name, UnitTraits traits);

/// True if this is a unit that executes the op class.
bool executes(const UnitTraits* unit, isa::OpClass op);
/// The units that execute an op class.
std::vector<std::string> units_for(isa::OpClass op);
/// True for loads, stores, atomics and copies, which always go to a unit.
bool is_memory(isa::OpClass op);
/// True if instructions of this class go to a unit of the SM, and not to a pipe of their processing block.
bool leaves_block(const config::Sm& sm, isa::OpClass op);
/// The unit that executes an op class that leaves the block. Throws InputError that lists the units if the
/// configuration names none, or one that does not execute the class.
const std::string& unit_of(const config::Pipes& pipes, isa::OpClass op);
/// The op class whose unit an instruction of class `op` goes to when its address is in shared memory.
isa::OpClass in_shared(isa::OpClass op);

}  // namespace sassim::arch
