// SPDX-License-Identifier: Apache-2.0
// Makes the units that an SM's table of op classes names, and takes each instruction to its unit.
#include "arch/sm/units/units.h"

#include <algorithm>

#include "arch/common/wait_names.h"
#include "arch/sm/code/static_code.h"
#include "sim/base/error.h"
#include "sim/base/state_archive.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

using isa::OpClass;

Units::Units(const config::Sm& sm, const UnitSurroundings& around) : config_(sm), around_(around) {
  for (std::size_t op = 0; op < routes_.size(); ++op) add_route(static_cast<OpClass>(op));
  // Units were made after those that they pass instructions to.
  std::reverse(acting_.begin(), acting_.end());
}

Units::~Units() = default;

void Units::add_route(OpClass op) {
  if (!leaves_block(config_, op)) return;
  Route& route = routes_[static_cast<std::size_t>(op)];
  const Made& made = make(op);
  const UnitTraits& traits = *made.traits;
  route.unit = made.unit.get();
  route.in_shared = make(in_shared(op)).unit.get();
  route.interval =
      std::max(1u, traits.interval != nullptr ? traits.interval(config_) : config_.memory_io.accept_interval);
  const bool behind_stage = queue_of(traits.resource, config_.memory_io.adu_queue.entries != 0) == UnitQueue::memory;
  if (behind_stage && std::find(staged_.begin(), staged_.end(), route.unit) == staged_.end())
    staged_.push_back(route.unit);
}

Units::Made& Units::make(OpClass op) {
  const auto found = units_.find(config_.pipes.ops[static_cast<std::size_t>(op)].pipe);
  if (found != units_.end() && executes(found->second.traits, op)) {
    if (!found->second.unit) throw InputError("sm.pipes.ops: unit '{}' passes instructions on to itself", found->first);
    return found->second;
  }
  const std::string& name = unit_of(config_.pipes, op);
  Made& made = units_[name];
  made.traits = unit_traits(name);
  std::vector<std::uint8_t> numbers;
  const auto port = [&]() -> MemoryPort& {
    const PortClient client = around_.port();
    numbers.push_back(client.number);
    return client.port;
  };
  const UnitParts parts{
      config_,           around_.sm,   port,
      around_.constants, data_,        events_,
      traffic_,          around_.live, [this](OpClass other) -> SmUnit& { return *make(other).unit; }};
  made.unit = SmUnits::instance().make(name, parts);
  SmUnit& unit = *made.unit;
  if (unit.acts_later()) acting_.push_back(&unit);
  if (CacheUnit* cache = unit.cache()) {
    caches_.push_back(cache);
    for (const std::uint8_t number : numbers) clients_[number] = cache;
  }
  return made;
}

Cycle Units::stage_ready(const UnitOp& op, Cycle now) const {
  const Cycle backlog = now + config_.memory_io.stage_queue;
  Cycle ready = data_.free() > backlog ? now + (data_.free() - backlog).value : now;
  for (const SmUnit* unit : staged_) ready = std::max(ready, unit->ready(op, now));
  return ready;
}

namespace {

/// Whether an instruction of the memory stage takes a pass of the data stage that no unit counts: a read of a thread's
/// index, or an access whose lanes are all off.
bool passes_idly(const UnitOp& op) {
  if (op.decoded->op == OpClass::s2r) return true;
  if (op.decoded->op == OpClass::shuffle || op.decoded->op == OpClass::barrier) return false;
  return op.lanes.none() && op.space != isa::Space::constant;
}

}  // namespace

void Units::accept(UnitQueue queue, const UnitOp& op, Cycle now) {
  unit(op).accept(op, now);
  if (queue != UnitQueue::memory || !passes_idly(op)) return;
  if (op.space != isa::Space::shared) data_.reserve(now, 1);  // shared memory has reserved the array for it
  data_.count_other(1);
}

Cycle Units::next_event() const {
  Cycle next = events_.next();
  for (const SmUnit* unit : acting_) next = std::min(next, unit->next_event());
  return next;
}

bool Units::idle() const {
  return events_.empty() &&
         std::all_of(acting_.begin(), acting_.end(), [](const SmUnit* unit) { return unit->idle(); });
}

void Units::start_kernel(const SmLaunch& launch, StallTable* lines) {
  traffic_.start_kernel(lines, lines != nullptr ? launch.code->layout() : isa::CodeLayout());
  data_.clear_counters();
  for (auto& [name, made] : units_) made.unit->start_kernel(launch);
}

void Units::resize(std::uint64_t carveout) {
  for (CacheUnit* cache : caches_) cache->resize(carveout);
}

void Units::invalidate() {
  for (CacheUnit* cache : caches_) cache->invalidate();
}

void Units::begin(const UnitOp& op, bool past_cache) {
  if (CacheUnit* cache = unit(op).cache()) cache->begin(op.live, past_cache);
}

void Units::serve(const MemRequest& request) {
  if (const auto found = clients_.find(request.client); found != clients_.end()) found->second->serve(request);
}

void Units::report(stats::CounterValues& values) const {
  data_.report(values);
  for (const auto& [name, made] : units_) made.unit->report(values);
}

void Units::describe_waits(WaitGraph& graph) const {
  const WaitGraph::Node stage = graph.node(memory_stage_name(around_.sm));
  for (auto unit = acting_.rbegin(); unit != acting_.rend(); ++unit) (*unit)->describe_waits(graph, stage);
}

void Units::save(StateWriter& to) const {
  to.mark("units");
  const_cast<Units*>(this)->state(to);  // changes nothing
  for (const auto& [name, made] : units_) {
    to.mark(name.c_str());
    made.unit->save(to);
  }
}

void Units::load(StateReader& from, const StaticCode& code) {
  from.mark("units");
  state(from);
  for (const auto& [name, made] : units_) {
    from.mark(name.c_str());
    made.unit->load(from, code);
  }
}

}  // namespace sassim::arch
