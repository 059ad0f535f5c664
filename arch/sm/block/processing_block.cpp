// SPDX-License-Identifier: Apache-2.0
// Builds a processing block of an SM from its stages, places warps in it, and reports its counters.
#include "arch/sm/block/processing_block.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/config/gpu_config.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

ProcessingBlock::ProcessingBlock(const config::GpuConfig& config, std::uint8_t part, InstructionCache& instructions,
                                 SmSync& sync, SharedUnits& shared, StallTable& stalls)
    : state_(config.sm, part),
      fetch_(state_, instructions),
      operands_(config.sm.register_file, config.sm.constant, instructions, part),
      dependences_(state_),
      memory_(state_),
      pipes_(config.sm.pipes, shared, [this](Resource r) -> Occupied& { return memory_.queue_of(r).input(); }),
      sync_(state_, dependences_, pipes_, sync),
      issue_(state_, {fetch_, dependences_, operands_, pipes_, memory_, sync_}, stalls) {}

void ProcessingBlock::start_kernel(const StaticCode& code, bool keep_code, bool keep_constants, SmId sm,
                                   PipelineObserver* observer, Cycle now) {
  state_.code = &code;
  state_.sm = sm;
  state_.observer = observer;
  state_.view.last = WarpIndex(kMaxBlockWarps);
  fetch_.start_kernel(code, keep_code);
  operands_.start_kernel(code.kernel().constant_address, keep_constants);
  dependences_.start_kernel();
  issue_.accounts().start_kernel(now);
  pipes_.start_kernel();
}

void ProcessingBlock::place(const WarpPlacement& placement, trace::Cursor cursor, Cycle now) {
  if (!state_.code->kernel().made_on.empty()) {
    replays_.resize(state_.warps.size());
    replays_[placement.warp].start(std::move(cursor));
    return place(placement, replays_[placement.warp], now);
  }
  state_.buffers[placement.warp].start(std::move(cursor), state_.code->leave_out(),
                                       state_.code->first_line(placement.launch));
  start_warp(placement, now);
}

void ProcessingBlock::place(const WarpPlacement& placement, trace::WarpProgram& program, Cycle now) {
  state_.buffers[placement.warp].start(program, static_cast<std::uint32_t>(state_.code->size()), now);
  start_warp(placement, now);
}

void ProcessingBlock::attach(WarpIndex warp, const trace::BlockTrace& block) {
  const trace::WarpStream& stream = *block.warps.at(state_.warps[warp].own.number_in_block);
  if (warp < replays_.size()) {
    replays_[warp].attach(stream);
    state_.buffers[warp].attach(replays_[warp]);
  } else {
    state_.buffers[warp].attach(stream, state_.code->leave_out());
  }
  if (state_.observer != nullptr && state_.warps[warp].resident)
    state_.observer->warp_resumed(state_.name(warp), state_.warps[warp].place, state_.warps[warp].start);
}

void ProcessingBlock::start_warp(const WarpPlacement& placement, Cycle now) {
  const WarpIndex warp_index = placement.warp;
  ResidentWarp& warp = state_.warps[warp_index];
  const auto generation = static_cast<std::uint16_t>(warp.generation + 1);
  warp = ResidentWarp{};
  warp.generation = generation;
  warp.place = placement.place;
  warp.own.number_in_block = placement.number_in_block;
  warp.block = placement.block;
  warp.own.launch = placement.launch;
  warp.own.local_base_thread = placement.local_base_thread;
  state_.view.age[warp_index] = placement.age;
  state_.view.block_age[warp_index] = placement.block_age;
  state_.view.placed(warp_index, placement.place);
  ++awaited_;
  if (placement.begins > now)
    state_.after(placement.begins, BlockEvent::Kind::begin_warp, warp_index, 0);
  else
    begin_warp(warp_index, now);
}

void ProcessingBlock::begin_warp(WarpIndex warp_index, Cycle now) {
  ResidentWarp& warp = state_.warps[warp_index];
  --awaited_;
  warp.resident = true;
  warp.start = warp.since = warp.stall_until = now;
  warp.reason = StallReason::no_instruction;
  state_.add_resident(warp_index);
  dependences_.start_warp(warp_index);
  sync_.start_warp(warp_index);
  operands_.registers.start_warp(warp_index);
  const InstructionBuffer& buffer = state_.buffers[warp_index];
  if (buffer.finished()) {  // an empty trace: the warp ends at once
    warp.hold = Hold::drain;
    warp.ending = true;
    state_.after(now + 1, BlockEvent::Kind::end_warp, warp_index, 0);
  } else {
    warp.line = buffer.front().index;
    const std::uint32_t wait = state_.config.occupancy.warp_start;
    warp.starting = wait != 0;
    if (wait == 0)
      fetch_.want(warp_index);
    else
      state_.after(now + wait, BlockEvent::Kind::start_fetch, warp_index, 0);
  }
  if (state_.observer != nullptr) state_.observer->warp_started(state_.name(warp_index), now);
  issue_.update(warp_index, now);
  state_.agenda.call(now);
}

bool ProcessingBlock::has_operations_of(LaunchIndex launch) const {
  bool found = false;
  memory_.operations().each([&](std::uint32_t, const Operation& operation) {
    found = found || state_.code->launch_of(operation.line) == launch;
  });
  return found;
}

void ProcessingBlock::cycle(Cycle now) {
  state_.agenda.pop(now, [&](const BlockEvent& event) { handle(event, now); });
  for (WarpMask due = state_.agenda.dequeue_asking(now); due != 0; due &= due - 1) {
    const WarpIndex warp(std::countr_zero(due));
    if (!state_.warps[warp].resident) continue;
    if (state_.buffers[warp].path_unknown() && state_.warps[warp].hold == Hold::none) issue_.find_path(warp, now);
    issue_.update(warp, now);
  }
  fetch_.cycle(now);
  issue_.cycle(now);
  state_.agenda.plan(now, std::min(fetch_.next_event(now), issue_.next_event(now)));
  if (next_event() > now + 1) issue_.rest(now);
}

void ProcessingBlock::count_reasons(std::array<std::uint32_t, kStallReasons>& warps) const {
  for (const ResidentWarp& warp : state_.warps)
    if (warp.resident) ++warps[index(warp.reason)];
}

void ProcessingBlock::report(stats::CounterValues& values, Cycle now) const {
  issue_.accounts().report(values, now);
  pipes_.report(values);
  operands_.report(values);
  fetch_.report(values);
}

}  // namespace sassim::arch
