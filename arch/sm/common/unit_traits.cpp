// SPDX-License-Identifier: Apache-2.0
// The table of the SM's units by name, and which op classes leave a processing block for one of them.
#include "arch/sm/common/unit_traits.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/config/groups/pipes.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

using isa::OpClass;

namespace {

std::map<std::string, UnitTraits, std::less<>>& all() {
  static std::map<std::string, UnitTraits, std::less<>> units;
  return units;
}

}  // namespace

bool executes(const UnitTraits* unit, OpClass op) {
  return unit != nullptr && std::find(unit->executes.begin(), unit->executes.end(), op) != unit->executes.end();
}

const UnitTraits* unit_traits(const std::string& name) {
  const auto found = all().find(name);
  return found == all().end() ? nullptr : &found->second;
}

void add_unit_traits(const std::string& name, UnitTraits traits) { all().emplace(name, std::move(traits)); }

std::vector<std::string> units_for(OpClass op) {
  std::vector<std::string> names;
  for (const auto& [name, traits] : all())
    if (executes(&traits, op)) names.push_back(name);
  return names;
}

bool is_memory(OpClass op) {
  switch (op) {
    case OpClass::load_const:
    case OpClass::load:
    case OpClass::store:
    case OpClass::load_shared:
    case OpClass::store_shared:
    case OpClass::atomic:
    case OpClass::reduction:
    case OpClass::atomic_shared:
    case OpClass::async_copy:
    case OpClass::texture:
      return true;
    default:
      return false;
  }
}

bool leaves_block(const config::Sm& sm, OpClass op) {
  // The ADU is a pipe of the block, or a unit of the SM with a queue.
  if (op == OpClass::s2r || op == OpClass::s2ur)
    return sm.memory_io.adu_queue.entries != 0 || sm.memory_io.thread_index_interval != 0;
  return is_memory(op) || executes(unit_traits(sm.pipes.ops[static_cast<std::size_t>(op)].pipe), op);
}

const std::string& unit_of(const config::Pipes& pipes, OpClass op) {
  const std::string& name = pipes.ops[static_cast<std::size_t>(op)].pipe;
  if (executes(unit_traits(name), op)) return name;
  const std::vector<std::string> able = units_for(op);
  throw InputError("sm.pipes.ops.{}.pipe: '{}' is no unit that executes this op class{}; expected {}",
                   isa::op_class_name(op), name, did_you_mean(name, able), fmt::join(able, " or "));
}

OpClass in_shared(OpClass op) {
  switch (op) {
    case OpClass::store:
    case OpClass::store_shared:
      return OpClass::store_shared;
    case OpClass::atomic:
    case OpClass::reduction:
    case OpClass::atomic_shared:
      return OpClass::atomic_shared;
    default:
      return OpClass::load_shared;
  }
}

}  // namespace sassim::arch
