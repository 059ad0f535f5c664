// SPDX-License-Identifier: Apache-2.0
// Explains a hang: what each warp of a processing block waits for, and where its memory operations are.
#include "arch/sm/block/block_waits.h"

#include <fmt/format.h>

#include "arch/common/wait_names.h"
#include "arch/sm/issue/refusal.h"

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

std::string BlockWaits::line_text(CodeLine line) const {
  const isa::Instruction& instruction = state_.code->kernel().code[line];
  return fmt::format("'{}' at pc {:#06x}", instruction.text(), instruction.pc);
}

WaitGraph::Node BlockWaits::warp_node(WaitGraph& graph, WarpIndex warp_index) const {
  return graph.node(fmt::format("warp {} of thread block {}", state_.warps[warp_index].own.number_in_block,
                                state_.warps[warp_index].block.value));
}

WaitGraph::Node BlockWaits::operation_node(WaitGraph& graph, WarpIndex warp_index, CodeLine line) const {
  return graph.node(fmt::format("{} by warp {} of thread block {}", line_text(line),
                                state_.warps[warp_index].own.number_in_block, state_.warps[warp_index].block.value));
}

WaitGraph::Node BlockWaits::operation_node(WaitGraph& graph, const Operation& operation) const {
  if (const WarpIndex warp(operation.warp); state_.warps[warp].resident && is_of(warp, operation))
    return operation_node(graph, warp, operation.line);
  return graph.node(fmt::format("{} by a warp of SM {} that has ended", line_text(operation.line), state_.sm.value));
}

WaitGraph::Node BlockWaits::check_node(WaitGraph& graph, std::uint32_t check) const {
  const AsyncCopies::Check& waiting = sync_.copies().checks()[check];
  return operation_node(graph, WarpIndex(waiting.warp), waiting.line);
}

WaitGraph::Node BlockWaits::queue_node(WaitGraph& graph, const MemoryQueue& queue) const {
  static constexpr const char* kNames[kUnitQueues] = {"memory", "ADU", "texture"};
  std::size_t which = 0;
  while (&queue != &memory_.queue(static_cast<UnitQueue>(which))) ++which;
  return graph.node(
      fmt::format("{} queue of processing block {} of SM {}", kNames[which], state_.part, state_.sm.value));
}

void BlockWaits::describe(WaitGraph& graph, Cycle now) const {
  for (WarpIndex w; w < state_.warps.size(); ++w)
    if (state_.warps[w].resident) describe_warp(graph, w, now);
  describe_memory(graph);
}

/// True if an instruction that has issued holds the warp; `line` becomes the line of this instruction.
bool BlockWaits::held_by(WarpIndex warp_index, CodeLine& line) const {
  const ResidentWarp& warp = state_.warps[warp_index];
  if (warp.hold == Hold::none || warp.hold == Hold::constant || warp.hold == Hold::drain) return false;
  line = CodeLine(warp.line != 0 ? warp.line - 1 : 0);
  const Action action = at(line).action;
  switch (warp.hold) {
    case Hold::membar:
      line = sync_.fence_line(warp_index);
      return true;
    case Hold::groups:
      line = sync_.copies().waits_at(warp_index);
      return true;
    case Hold::barrier:
      return action == Action::barrier;
    case Hold::sleep:
      return action == Action::sleep;
    case Hold::warp_sync:
      return action == Action::warp_sync || action == Action::join;
    default:
      return false;
  }
}

void BlockWaits::describe_warp(WaitGraph& graph, WarpIndex warp_index, Cycle now) const {
  const ResidentWarp& warp = state_.warps[warp_index];
  const WaitGraph::Node node = warp_node(graph, warp_index);
  graph.set_age(node, state_.view.age[warp_index]);
  Cycle until;
  StallReason reason = issue_.why_not(warp_index, now, until);
  const bool ready = reason == StallReason::not_selected && warp.hold == Hold::none;
  const Resource resource = ready ? state_.front(warp_index).resource : Resource::none;
  if (ready && pipes_.input(resource).busy(now)) reason = refusal(resource);
  CodeLine held_line = {};
  const bool held = held_by(warp_index, held_line);
  graph.describe(
      node, fmt::format("SM {}, processing block {}, {}{}: {} ({}; stage: {})", state_.sm.value, state_.part,
                        held ? "after " + line_text(held_line) + ", before " : std::string("before "),
                        line_text(warp.line), stall_name(reason), stall_row(reason).meaning, stall_row(reason).stage));
  switch (reason) {
    case StallReason::barrier:
      return;  // the SM describes barriers
    case StallReason::long_scoreboard:
    case StallReason::short_scoreboard:
      return describe_counters(graph, warp_index, node,
                               warp.hold == Hold::groups ? sync_.copies().waits_at(warp_index) : warp.line, now);
    case StallReason::membar:
      return describe_fence(graph, warp_index, node);
    case StallReason::drain:
      return describe_operations(graph, warp_index, node, "must finish before the warp ends");
    case StallReason::no_instruction:
    case StallReason::imc_miss:
      return graph.waits(node, graph.node(code_caches_name(state_.sm)),
                         reason == StallReason::imc_miss ? "constants" : "instructions");
    case StallReason::branch_resolving:
    case StallReason::sleeping:
    case StallReason::wait:
      return describe_time(graph, warp_index, node);
    default:
      return describe_ready(graph, warp_index, node, now);
  }
}

/// The next instruction could issue if its resource had room.
void BlockWaits::describe_ready(WaitGraph& graph, WarpIndex warp_index, WaitGraph::Node node, Cycle now) const {
  const Resource resource = state_.front(warp_index).resource;
  if (!pipes_.input(resource).busy(now)) return;
  if (uses_memory_queue(resource)) {
    return graph.waits(node, queue_node(graph, memory_.queue_of(resource)), "a free entry in the queue");
  }
  const WaitGraph::Node unit = graph.node(
      fmt::format("{} of processing block {} of SM {}", resource_name(resource), state_.part, state_.sm.value));
  if (graph.detail(unit).empty())
    graph.describe(unit, fmt::format("accepts the next instruction at cycle {}",
                                     graph.since_start(pipes_.input(resource).free_at().value)));
  graph.waits(node, unit, "its input is busy");
}

void BlockWaits::describe_fence(WaitGraph& graph, WarpIndex warp_index, WaitGraph::Node node) const {
  if (!sync_.fence_asks_memory(warp_index)) return describe_time(graph, warp_index, node);
  if (state_.warps[warp_index].memory.outstanding != 0)
    return describe_operations(graph, warp_index, node, "must finish before the fence");
  graph.waits(node, graph.node(fences_name(state_.sm)), "stores of all warps of the SM, and answers of the L2");
}

/// The counters for which an instruction still waits, as Dependences::check() and AsyncCopies::waits() see them.
std::uint8_t BlockWaits::counters_waited_for(WarpIndex warp_index, CodeLine line, Cycle now) const {
  const StaticInstruction& instruction = at(line);
  const DependenceCounters& counters = state_.warps[warp_index].counters;
  const bool issued = instruction.action == Action::wait_groups && state_.warps[warp_index].hold == Hold::groups;
  std::uint8_t pending = issued ? std::uint8_t{0} : counters.pending(instruction.control.wait_mask, now);
  if (issued || instruction.action == Action::depbar) {
    pending |= counters.pending(instruction.depbar.mask, now);
    if (counters.value(instruction.depbar.counter, now) > instruction.depbar.limit)
      pending |= static_cast<std::uint8_t>(1u << instruction.depbar.counter);
  }
  return pending;
}

void BlockWaits::describe_counters(WaitGraph& graph, WarpIndex warp_index, WaitGraph::Node node, CodeLine line,
                                   Cycle now) const {
  const ResidentWarp& warp = state_.warps[warp_index];
  if (state_.code->scoreboard()) return describe_operations(graph, warp_index, node, "registers");
  const std::uint8_t pending = counters_waited_for(warp_index, line, now);
  for (std::uint8_t c = 0; c < isa::kDependenceCounters; ++c) {
    if ((pending >> c & 1) == 0) continue;
    const WaitGraph::Node counter = graph.node(fmt::format("dependence counter {} of warp {} of thread block {}", c,
                                                           warp.own.number_in_block, warp.block.value));
    graph.describe(counter, fmt::format("its value is {}", warp.counters.value(c, now)));
    graph.waits(node, counter, "wait mask");
    const std::size_t before = graph.edges_of(counter);
    describe_holders(graph, warp_index, counter, c);
    if (graph.edges_of(counter) == before) graph.describe(counter, "no instruction in flight holds it");
  }
}

void BlockWaits::describe_holders(WaitGraph& graph, WarpIndex warp_index, WaitGraph::Node node,
                                  std::uint8_t counter) const {
  memory_.operations().each([&](std::uint32_t, const Operation& operation) {
    if (!is_of(warp_index, operation)) return;
    const StaticInstruction& instruction = at(operation.line);
    if (instruction.control.write_counter == counter && !operation.finished)
      graph.waits(node, operation_node(graph, operation), "its result");
    if (instruction.control.read_counter == counter && !operation.sources_read)
      graph.waits(node, operation_node(graph, operation), "its source registers have not been read");
    sync_.copies().groups(warp_index).each_closed([&](std::uint32_t group, const AsyncGroups::End& end) {
      if (instruction.memory.copies && !operation.finished && operation.group <= group &&
          at(end.line).control.write_counter == counter && at(end.line).action == Action::close_group)
        graph.waits(node, operation_node(graph, operation), fmt::format("a copy before {}", line_text(end.line)));
    });
  });
  const std::uint16_t generation = state_.warps[warp_index].generation;
  for (const AsyncCopies::Check& check : sync_.copies().checks())
    if (check.waits != 0 && check.warp == warp_index && check.generation == generation &&
        at(check.line).control.write_counter == counter)
      graph.waits(node, operation_node(graph, warp_index, check.line), "its result");
  state_.agenda.each([&](Cycle when, const BlockEvent& event) {
    if (event.warp != warp_index || event.generation != generation) return;
    const bool writes = event.kind == BlockEvent::Kind::written;
    if (!writes && event.kind != BlockEvent::Kind::read) return;
    const CodeLine line(event.data);
    if ((writes ? at(line).control.write_counter : at(line).control.read_counter) == counter)
      graph.waits(node, graph.node(kClockName),
                  fmt::format("{} releases it at cycle {}", line_text(line), graph.since_start(when.value)));
  });
}

/// A warp that continues without an event from outside.
void BlockWaits::describe_time(WaitGraph& graph, WarpIndex warp_index, WaitGraph::Node node) const {
  using Kind = BlockEvent::Kind;
  const ResidentWarp& warp = state_.warps[warp_index];
  if (warp.hold == Hold::none && !warp.flow.redirected)
    return graph.waits(node, graph.node(kClockName),
                       fmt::format("continues at cycle {}", graph.since_start(warp.stall_until.value)));
  state_.agenda.each([&](Cycle when, const BlockEvent& event) {
    if (event.warp == warp_index && event.generation == warp.generation &&
        (event.kind == Kind::release_hold || event.kind == Kind::resume_fetch || event.kind == Kind::sync_threads))
      graph.waits(node, graph.node(kClockName), fmt::format("continues at cycle {}", graph.since_start(when.value)));
  });
}

void BlockWaits::describe_operations(WaitGraph& graph, WarpIndex warp_index, WaitGraph::Node node,
                                     const char* why) const {
  memory_.operations().each([&](std::uint32_t, const Operation& operation) {
    if (is_of(warp_index, operation)) graph.waits(node, operation_node(graph, operation), why);
  });
}

void BlockWaits::describe_queue(WaitGraph& graph, const MemoryQueue& queue, std::vector<bool>& queued) const {
  const Operations& operations = memory_.operations();
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t index = queue[i].token.operation;
    queued[index] = true;
    graph.waits(operation_node(graph, operations[index]), queue_node(graph, queue), "is queued there");
  }
  if (!queue.empty()) {
    const Operation& oldest = operations[queue.front().token.operation];
    graph.describe(queue_node(graph, queue),
                   fmt::format("{} of {} entries are occupied, the oldest by {}", queue.size(), queue.capacity(),
                               graph.name(operation_node(graph, oldest))));
    graph.waits(queue_node(graph, queue), graph.node(memory_stage_name(state_.sm)), "accepts the oldest entry");
  }
}

/// Where memory operations are: in the queue of the processing block, or behind it.
void BlockWaits::describe_memory(WaitGraph& graph) const {
  const Operations& operations = memory_.operations();
  std::vector<bool> queued(operations.size());
  for (std::size_t i = 0; i < kUnitQueues; ++i) describe_queue(graph, memory_.queue(static_cast<UnitQueue>(i)), queued);
  operations.each([&](std::uint32_t index, const Operation& operation) {
    if (queued[index]) return;
    const Resource resource = at(operation.line).resource;
    const bool cached = resource == Resource::local_global || resource == Resource::texture;
    graph.waits(operation_node(graph, operation),
                graph.node(cached ? l1_name(state_.sm) : memory_stage_name(state_.sm)), "is in flight there");
  });
}

void BlockWaits::describe_stores(WaitGraph& graph, WaitGraph::Node fence) const {
  memory_.operations().each([&](std::uint32_t, const Operation& operation) {
    if (operation.epoch != Operation::kNoEpoch && !operation.finished)
      graph.waits(fence, operation_node(graph, operation), "is not yet visible to other SMs");
  });
}

void BlockWaits::describe_arrivals(WaitGraph& graph, WaitGraph::Node barrier, std::uint32_t place,
                                   std::uint32_t address) const {
  for (WarpIndex w; w < state_.warps.size(); ++w) {
    if (!state_.warps[w].resident || state_.warps[w].place != place || !sync_.copies().arrives_at(w, address)) continue;
    memory_.operations().each([&](std::uint32_t, const Operation& operation) {
      if (is_of(w, operation) && at(operation.line).memory.copies)
        graph.waits(barrier, operation_node(graph, operation), "arrives when the copy is done");
    });
  }
}

}  // namespace sassim::arch
