// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/processing_block.h"

#include <algorithm>
#include <stdexcept>

namespace sassim::arch {

namespace {
constexpr Resource kPipeResources[] = {Resource::fma, Resource::alu,    Resource::fp16,    Resource::fp64,
                                       Resource::xu,  Resource::tensor, Resource::uniform, Resource::branch,
                                       Resource::mio, Resource::adu};
}

ProcessingBlock::ProcessingBlock(const config::GpuConfig& config, std::uint8_t number, InstructionCache& instructions,
                                 BarrierUnit& barriers, FenceUnit& fences, SharedBarriers& shared_barriers,
                                 SharedUnits& shared, StallTable& stalls)
    : config_(config.sm),
      number_(number),
      scheduler_(WarpSchedulers::instance().make(config_.issue.scheduler)),
      barriers_(barriers),
      fences_(fences),
      stalls_(stalls),
      front_end_(config_.front_end, instructions, number),
      constants_(config_.constant, instructions, number),
      registers_(config_.register_file),
      memory_queue_(config_.memory_io),
      async_(std::make_unique<Async>(shared_barriers)) {
  const std::uint32_t blocks = std::max(1u, config_.processing_blocks);
  const std::uint32_t warps = (config_.occupancy.warps + blocks - 1) / blocks;
  if (warps > kMaxBlockWarps)
    throw InputError("sm.occupancy.warps = {}: this model holds at most {} warps per SM with sm.processing_blocks = {}",
                     config_.occupancy.warps, kMaxBlockWarps * blocks, blocks);
  if (config_.front_end.instruction_buffer == 0 || config_.front_end.instruction_buffer >= InstructionBuffer::kCapacity)
    throw InputError("sm.front_end.instruction_buffer = {}: expected 1 to {}", config_.front_end.instruction_buffer,
                     InstructionBuffer::kCapacity - 1);
  warps_.resize(warps);
  buffers_.resize(warps);
  async_->groups.resize(warps);
  async_->arrivals.resize(warps);

  const config::Pipes& p = config_.pipes;
  const config::PipeConfig* configs[] = {&p.fma,    &p.alu,     &p.fp16,   &p.fp64, &p.xu,
                                         &p.tensor, &p.uniform, &p.branch, &p.mio,  &p.adu};
  for (std::size_t i = 0; i < std::size(kPipeResources); ++i) {
    const auto r = static_cast<std::size_t>(kPipeResources[i]);
    Unit* unit = &own_units_[r];
    if (configs[i]->shared_by_sm)
      unit = kPipeResources[i] == Resource::fp64     ? &shared.fp64
             : kPipeResources[i] == Resource::tensor ? &shared.tensor
             : kPipeResources[i] == Resource::xu     ? &shared.xu
             : kPipeResources[i] == Resource::adu    ? &shared.adu
                                                     : nullptr;
    if (unit == nullptr) throw InputError("sm.pipes: only fp64, tensor, xu and adu can be shared_by_sm");
    pipes_[r].connect(*unit, configs[i]->queue);
  }
}

ProcessingBlock::~ProcessingBlock() = default;

Occupied& ProcessingBlock::input(Resource r) {
  if (uses_memory_queue(r)) return memory_queue_.input();
  return r == Resource::none ? no_input_ : pipes_[static_cast<std::size_t>(r)].input();
}

void ProcessingBlock::start_kernel(const StaticCode& code, bool keep_code, bool keep_constants, SmId sm,
                                   PipelineObserver* observer, Cycle now) {
  code_ = &code;
  sm_ = sm;
  observer_ = observer;
  front_end_.start_kernel(code.kernel().code_address, code.size() * kInstructionBytes, keep_code);
  constants_.start_kernel(code.kernel().constant_address, keep_constants);
  scoreboards_.resize(code.scoreboard() ? warps_.size() : 0);
  view_.last = kMaxBlockWarps;
  slots_.clear();
  slots_.start(now);
  slots_.idle(StallReason::no_warp);
  issued_ = warp_cycles_ = 0;
  registers_.clear_counters();
  issued_to_.fill(0);
}

void ProcessingBlock::place(const WarpPlacement& placement, trace::Cursor cursor, Cycle now) {
  buffers_[placement.warp].start(std::move(cursor));
  place(placement, now);
}

void ProcessingBlock::place(const WarpPlacement& placement, trace::WarpProgram& program, Cycle now) {
  buffers_[placement.warp].start(program, static_cast<std::uint32_t>(code_->size()));
  place(placement, now);
}

void ProcessingBlock::place(const WarpPlacement& placement, Cycle now) {
  Warp& warp = warps_[placement.warp];
  const auto generation = static_cast<std::uint16_t>(warp.generation + 1);
  warp = Warp{};
  warp.generation = generation;
  warp.resident = true;
  warp.place = placement.place;
  warp.number = placement.number;
  warp.block = placement.block;
  warp.local_base_thread = placement.local_base_thread;
  warp.start = warp.since = warp.stall_until = now;
  warp.reason = StallReason::no_instruction;
  view_.age[placement.warp] = placement.age;
  view_.block_age[placement.warp] = placement.block_age;
  view_.placed(placement.warp, placement.place);
  ++resident_;
  if (!scoreboards_.empty()) scoreboards_[placement.warp].reset();
  async_->groups[placement.warp].reset();
  async_->arrivals[placement.warp].clear();
  registers_.start_warp(placement.warp);
  if (buffers_[placement.warp].finished()) {  // an empty stream: the warp ends at once
    warp.hold = Hold::drain;
    warp.ending = true;
    after(now + 1, Kind::end_warp, placement.warp, 0);
  } else {
    warp.line = buffers_[placement.warp].front().index;
    const std::uint32_t wait = config_.occupancy.warp_start + placement.wait;
    if (wait == 0)
      want_fetch(placement.warp);
    else
      after(now + wait, Kind::start_fetch, placement.warp, 0);
  }
  update(placement.warp, now);
  if (observer_ != nullptr) observer_->warp_started(name(placement.warp), now);
  next_event_ = std::min(next_event_, now);
}

void ProcessingBlock::cycle(Cycle now) {
  events_.pop(now, [&](const Event& event) { happen(event, now); });
  wake(now);
  front_end_.take_fills(now);
  fetch(now);
  issue(now);
  find_next_event(now);
}

void ProcessingBlock::find_next_event(Cycle now) {
  Cycle next = std::min({events_.next(), front_end_.next_fill(), front_end_.idle() ? kNever : now + 1});
  if (wake_slots_ != 0) {
    const auto turned = std::rotr(wake_slots_, static_cast<int>((now.value + 1) % 64));
    next = std::min(next, now + 1 + static_cast<std::uint64_t>(std::countr_zero(turned)));
  }
  if (present_ != 0) {
    if (control_free_ > now + 1) {
      next = now + 1;  // held cycles are counted one by one
    } else {
      for (std::uint32_t rest = present_; rest != 0 && next > now + 1; rest &= rest - 1)
        next = std::min(next, std::max(now + 1, input(static_cast<Resource>(std::countr_zero(rest))).free_at()));
    }
  }
  next_event_ = next;
}

void ProcessingBlock::finish(Cycle now) { slots_.finish(now); }

void ProcessingBlock::report(stats::MetricSet& metrics) const {
  struct PipeName {
    Resource resource;
    const char* name;
  };
  static constexpr PipeName kNames[] = {{Resource::fma, "sm__inst_executed_pipe_fma.sum"},
                                        {Resource::alu, "sm__inst_executed_pipe_alu.sum"},
                                        {Resource::fp16, "sm__inst_executed_pipe_fp16.sum"},
                                        {Resource::fp64, "sm__inst_executed_pipe_fp64.sum"},
                                        {Resource::xu, "sm__inst_executed_pipe_xu.sum"},
                                        {Resource::tensor, "sm__inst_executed_pipe_tensor.sum"},
                                        {Resource::uniform, "sm__inst_executed_pipe_uniform.sum"},
                                        {Resource::branch, "sm__inst_executed_pipe_cbu.sum"},
                                        {Resource::adu, "sm__inst_executed_pipe_adu.sum"},
                                        {Resource::local_global, "sm__inst_executed_pipe_lsu.sum"},
                                        {Resource::shared, "sm__inst_executed_pipe_lsu.sum"},
                                        {Resource::texture, "sm__inst_executed_pipe_tex.sum"}};
  for (const PipeName& row : kNames)
    metrics.sum(row.name, "inst", "warp instructions issued to the pipe",
                issued_to_[static_cast<std::size_t>(row.resource)]);
  metrics.sum("smsp__inst_executed.sum", "inst", "warp instructions issued", issued_);
  metrics.sum("sassim__register_reads.sum", "operand",
              "warp operands read from the register files by fixed-latency instructions", registers_.reads());
  metrics.sum("sassim__register_reuse_hits.sum", "operand", "warp operands that the reuse cache had",
              registers_.reuse_hits());
  metrics.sum("sassim__register_port_stalls.sum", "cycle", "cycles that instructions spent in Allocate for a read port",
              registers_.port_stalls());
  metrics.sum("sassim__imc_misses.sum", "request", "constant operands that missed the first-level cache",
              constants_.misses());
  for (std::size_t i = 0; i < kStallReasons; ++i) {
    const StallRow& row = stall_row(static_cast<StallReason>(i));
    metrics.sum(fmt::format("sassim__issue_slots_{}.sum", row.name), "cycle",
                fmt::format("issue slots that went to: {}", row.meaning), slots_.cycles()[i]);
  }
  front_end_.report(metrics);
}

}  // namespace sassim::arch
