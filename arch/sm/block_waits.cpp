// SPDX-License-Identifier: Apache-2.0
// What a processing block adds to the wait-for graph. Only called for reports: nothing here changes anything.
#include <fmt/format.h>

#include "arch/common/wait_names.h"
#include "arch/sm/processing_block.h"

namespace sassim::arch {

namespace {

constexpr const char* resource_name(Resource resource) {
  switch (resource) {
    case Resource::fma:
      return "FMA pipe";
    case Resource::alu:
      return "ALU pipe";
    case Resource::fp16:
      return "FP16 pipe";
    case Resource::fp64:
      return "FP64 pipe";
    case Resource::xu:
      return "XU pipe";
    case Resource::tensor:
      return "tensor pipe";
    case Resource::uniform:
      return "uniform pipe";
    case Resource::branch:
      return "branch unit";
    case Resource::mio:
      return "MIO";
    case Resource::adu:
      return "ADU";
    default:
      return "issue stage";
  }
}

}  // namespace

std::string ProcessingBlock::line_text(std::uint32_t line) const {
  const isa::Instruction& instruction = code_->kernel().code[line];
  return fmt::format("'{}' at pc {:#06x}", instruction.text(), instruction.pc);
}

WaitGraph::Node ProcessingBlock::warp_node(WaitGraph& graph, std::uint32_t number) const {
  return graph.node(fmt::format("warp {} of thread block {}", warps_[number].number, warps_[number].block.value));
}

WaitGraph::Node ProcessingBlock::operation_node(WaitGraph& graph, std::uint32_t number, std::uint32_t line) const {
  return graph.node(fmt::format("{} by warp {} of thread block {}", line_text(line), warps_[number].number,
                                warps_[number].block.value));
}

WaitGraph::Node ProcessingBlock::operation_node(WaitGraph& graph, const InFlight& flight) const {
  const Warp& warp = warps_[flight.warp];
  if (warp.resident && warp.generation == flight.generation) return operation_node(graph, flight.warp, flight.line);
  return graph.node(fmt::format("{} by a warp of SM {} that has ended", line_text(flight.line), sm_.value));
}

WaitGraph::Node ProcessingBlock::check_node(WaitGraph& graph, std::uint32_t check) const {
  return operation_node(graph, async_->checks[check].warp, async_->checks[check].line);
}

WaitGraph::Node ProcessingBlock::queue_node(WaitGraph& graph) const {
  return graph.node(fmt::format("memory queue of processing block {} of SM {}", number_, sm_.value));
}

std::vector<bool> ProcessingBlock::live_tokens() const {
  std::vector<bool> live(in_flight_.size(), true);
  for (const std::uint32_t token : free_tokens_) live[token] = false;
  return live;
}

void ProcessingBlock::describe_waits(WaitGraph& graph, Cycle now) const {
  for (std::uint32_t w = 0; w < warps_.size(); ++w)
    if (warps_[w].resident) describe_warp(graph, w, now);
  describe_flights(graph);
}

/// The instruction that has issued and keeps its warp; nullptr: none does.
const StaticInstruction* ProcessingBlock::held_by(const Warp& warp, std::uint32_t& line) const {
  if (warp.hold == Hold::none || warp.hold == Hold::constant || warp.hold == Hold::drain) return nullptr;
  line = warp.hold == Hold::membar   ? warp.membar_line
         : warp.hold == Hold::groups ? warp.groups_line
         : warp.line != 0            ? warp.line - 1
                                     : 0;
  const StaticInstruction& instruction = (*code_)[line];
  const bool fits =
      warp.hold == Hold::membar || warp.hold == Hold::groups ||
      (warp.hold == Hold::barrier && instruction.action == Action::barrier) ||
      (warp.hold == Hold::sleep && instruction.action == Action::sleep) ||
      (warp.hold == Hold::warp_sync && (instruction.action == Action::warp_sync || instruction.action == Action::join));
  return fits ? &instruction : nullptr;
}

void ProcessingBlock::describe_warp(WaitGraph& graph, std::uint32_t number, Cycle now) const {
  const Warp& warp = warps_[number];
  const WaitGraph::Node node = warp_node(graph, number);
  graph.set_age(node, view_.age[number]);
  Cycle until;
  StallReason reason = why_not(number, now, until);
  const bool ready = reason == StallReason::not_selected && warp.hold == Hold::none;
  const Resource resource = ready ? front(number).resource : Resource::none;
  if (ready && input(resource).busy(now)) reason = refusal(resource);
  std::uint32_t held_line = 0;
  const bool held = held_by(warp, held_line) != nullptr;
  graph.describe(
      node, fmt::format("SM {}, processing block {}, {}{}: {} ({}); the {} should answer", sm_.value, number_,
                        held ? "behind " + line_text(held_line) + ", before " : std::string("before "),
                        line_text(warp.line), stall_name(reason), stall_row(reason).meaning, stall_row(reason).stage));
  switch (reason) {
    case StallReason::barrier:
      return;  // the SM knows barriers
    case StallReason::long_scoreboard:
    case StallReason::short_scoreboard:
      return describe_counters(graph, number, node, warp.hold == Hold::groups ? warp.groups_line : warp.line, now);
    case StallReason::membar:
      return describe_fence(graph, number, node);
    case StallReason::drain:
      return describe_operations(graph, number, node, "must be done before the warp ends");
    case StallReason::no_instruction:
    case StallReason::imc_miss:
      return graph.waits(node, graph.node(code_caches_name(sm_)),
                         reason == StallReason::imc_miss ? "constants" : "instructions");
    case StallReason::branch_resolving:
    case StallReason::sleeping:
    case StallReason::wait:
      return describe_time(graph, number, node);
    default:
      return describe_ready(graph, number, node, now);
  }
}

/// The next instruction could issue if there were room for it.
void ProcessingBlock::describe_ready(WaitGraph& graph, std::uint32_t number, WaitGraph::Node node, Cycle now) const {
  const Resource resource = front(number).resource;
  if (!input(resource).busy(now)) return;
  if (uses_memory_queue(resource)) return graph.waits(node, queue_node(graph), "room in the queue");
  const WaitGraph::Node unit =
      graph.node(fmt::format("{} of processing block {} of SM {}", resource_name(resource), number_, sm_.value));
  if (graph.detail(unit).empty())
    graph.describe(unit, fmt::format("takes the next instruction at cycle {}", input(resource).free_at().value));
  graph.waits(node, unit, "its input is busy");
}

void ProcessingBlock::describe_fence(WaitGraph& graph, std::uint32_t number, WaitGraph::Node node) const {
  if (!membar_waits(warps_[number].membar_line)) return describe_time(graph, number, node);
  if (warps_[number].outstanding != 0) return describe_operations(graph, number, node, "must be done before the fence");
  graph.waits(node, graph.node(fences_name(sm_)), "stores of all warps of the SM");
}

/// Counters that an instruction still waits for, as dependence() and groups_left() look at them.
std::uint8_t ProcessingBlock::counters_waited_for(std::uint32_t number, std::uint32_t line, Cycle now) const {
  const StaticInstruction& instruction = (*code_)[line];
  const DependenceCounters& counters = warps_[number].counters;
  const bool issued = instruction.action == Action::wait_groups && warps_[number].hold == Hold::groups;
  std::uint8_t pending = issued ? std::uint8_t{0} : counters.pending(instruction.wait_mask, now);
  if (issued || instruction.action == Action::depbar) {
    pending |= counters.pending(instruction.depbar_mask, now);
    if (counters.value(instruction.depbar_counter, now) > instruction.depbar_limit)
      pending |= static_cast<std::uint8_t>(1u << instruction.depbar_counter);
  }
  return pending;
}

void ProcessingBlock::describe_counters(WaitGraph& graph, std::uint32_t number, WaitGraph::Node node,
                                        std::uint32_t line, Cycle now) const {
  const Warp& warp = warps_[number];
  if (code_->scoreboard()) return describe_operations(graph, number, node, "registers");
  const std::uint8_t pending = counters_waited_for(number, line, now);
  for (std::uint8_t c = 0; c < isa::kDependenceCounters; ++c) {
    if ((pending >> c & 1) == 0) continue;
    const WaitGraph::Node counter = graph.node(
        fmt::format("dependence counter {} of warp {} of thread block {}", c, warp.number, warp.block.value));
    graph.describe(counter, fmt::format("is {}", warp.counters.value(c, now)));
    graph.waits(node, counter, "wait mask");
    const std::size_t before = graph.edges_of(counter);
    describe_holders(graph, number, counter, c);
    if (graph.edges_of(counter) == before) graph.describe(counter, "nothing that is under way holds it");
  }
}

void ProcessingBlock::describe_holders(WaitGraph& graph, std::uint32_t number, WaitGraph::Node node,
                                       std::uint8_t counter) const {
  const Warp& warp = warps_[number];
  const auto is_ours = [&](std::uint32_t w, std::uint16_t generation) {
    return w == number && generation == warp.generation;
  };
  const std::vector<bool> live = live_tokens();
  for (std::uint32_t t = 0; t < in_flight_.size(); ++t) {
    const InFlight& flight = in_flight_[t];
    if (!live[t] || !is_ours(flight.warp, flight.generation)) continue;
    const StaticInstruction& instruction = (*code_)[flight.line];
    if (instruction.write_counter == counter && !flight.finished)
      graph.waits(node, operation_node(graph, flight), "its result");
    if (instruction.read_counter == counter && !flight.sources_read)
      graph.waits(node, operation_node(graph, flight), "its sources are not read");
    async_->groups[number].each_closed([&](std::uint32_t group, const AsyncGroups::End& end) {
      if (instruction.copies && !flight.finished && flight.group <= group &&
          (*code_)[end.line].write_counter == counter && (*code_)[end.line].action == Action::close_group)
        graph.waits(node, operation_node(graph, flight), fmt::format("a copy before {}", line_text(end.line)));
    });
  }
  for (const Check& check : async_->checks)
    if (check.waits != 0 && is_ours(check.warp, check.generation) && (*code_)[check.line].write_counter == counter)
      graph.waits(node, operation_node(graph, number, check.line), "its result");
  events_.each([&](Cycle at, const Event& event) {
    if (!is_ours(event.warp, event.generation) || (event.kind != Kind::written && event.kind != Kind::read)) return;
    const StaticInstruction& instruction = (*code_)[event.data];
    if ((event.kind == Kind::written ? instruction.write_counter : instruction.read_counter) == counter)
      graph.waits(node, graph.node(kClockName),
                  fmt::format("{} releases it at cycle {}", line_text(event.data), at.value));
  });
}

/// A warp that goes on by itself.
void ProcessingBlock::describe_time(WaitGraph& graph, std::uint32_t number, WaitGraph::Node node) const {
  const Warp& warp = warps_[number];
  if (warp.hold == Hold::none && !warp.redirected)
    return graph.waits(node, graph.node(kClockName), fmt::format("goes on at cycle {}", warp.stall_until.value));
  events_.each([&](Cycle at, const Event& event) {
    if (event.warp == number && event.generation == warp.generation &&
        (event.kind == Kind::release_hold || event.kind == Kind::resume_fetch || event.kind == Kind::sync_threads))
      graph.waits(node, graph.node(kClockName), fmt::format("goes on at cycle {}", at.value));
  });
}

void ProcessingBlock::describe_operations(WaitGraph& graph, std::uint32_t number, WaitGraph::Node node,
                                          const char* why) const {
  const std::vector<bool> live = live_tokens();
  for (std::uint32_t t = 0; t < in_flight_.size(); ++t)
    if (live[t] && in_flight_[t].warp == number && in_flight_[t].generation == warps_[number].generation)
      graph.waits(node, operation_node(graph, in_flight_[t]), why);
}

/// Where memory operations are: in the queue of the block, or behind it.
void ProcessingBlock::describe_flights(WaitGraph& graph) const {
  const std::vector<bool> live = live_tokens();
  std::vector<bool> queued(in_flight_.size());
  for (std::size_t i = 0; i < memory_queue_.size(); ++i) {
    const std::uint32_t token = memory_queue_[i].token & 0xffffffu;
    queued[token] = true;
    graph.waits(operation_node(graph, in_flight_[token]), queue_node(graph), "is in it");
  }
  if (!memory_queue_.empty()) {
    const InFlight& oldest = in_flight_[memory_queue_.front().token & 0xffffffu];
    graph.describe(queue_node(graph), fmt::format("{} of {} places are taken, the oldest by {}", memory_queue_.size(),
                                                  memory_queue_.capacity(), graph.name(operation_node(graph, oldest))));
    graph.waits(queue_node(graph), graph.node(memory_stage_name(sm_)), "it takes the oldest");
  }
  for (std::uint32_t t = 0; t < in_flight_.size(); ++t) {
    if (!live[t] || queued[t]) continue;
    const Resource resource = (*code_)[in_flight_[t].line].resource;
    const bool cached = resource == Resource::local_global || resource == Resource::texture;
    graph.waits(operation_node(graph, in_flight_[t]), graph.node(cached ? l1_name(sm_) : memory_stage_name(sm_)),
                "under way");
  }
}

void ProcessingBlock::describe_stores(WaitGraph& graph, WaitGraph::Node fence) const {
  const std::vector<bool> live = live_tokens();
  for (std::uint32_t t = 0; t < in_flight_.size(); ++t)
    if (live[t] && in_flight_[t].epoch != FenceUnit::kNone && !in_flight_[t].finished)
      graph.waits(fence, operation_node(graph, in_flight_[t]), "is not visible to all");
}

void ProcessingBlock::describe_arrivals(WaitGraph& graph, WaitGraph::Node barrier, std::uint32_t place,
                                        std::uint32_t address) const {
  const std::vector<bool> live = live_tokens();
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    if (!warps_[w].resident || warps_[w].place != place) continue;
    bool arrives = false;
    for (const Arrival& arrival : async_->arrivals[w]) arrives = arrives || arrival.address == address;
    for (std::uint32_t t = 0; arrives && t < in_flight_.size(); ++t) {
      const InFlight& flight = in_flight_[t];
      if (live[t] && flight.warp == w && flight.generation == warps_[w].generation && (*code_)[flight.line].copies)
        graph.waits(barrier, operation_node(graph, flight), "arrives when the copy is done");
    }
  }
}

}  // namespace sassim::arch
