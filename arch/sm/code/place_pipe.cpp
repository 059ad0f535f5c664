// SPDX-License-Identifier: Apache-2.0
// The part of StaticCode that finds which pipe or queue an instruction needs, for how long, and when its result is
// ready.
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "arch/sm/code/place_rows.h"
#include "arch/sm/common/unit_traits.h"
#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/config/groups/memory_io.h"
#include "sim/config/groups/pipes.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

using isa::OpClass;

namespace {

Resource pipe_resource(const std::string& name, OpClass op) {
  for (const PipeByName& pipe : kPipesByName)
    if (pipe.name == name) return pipe.resource;
  std::vector<std::string> known = units_for(op);
  for (const PipeByName& pipe : kPipesByName) known.emplace_back(pipe.name);
  throw InputError("sm.pipes.ops.{}.pipe: '{}' is neither a pipe nor a unit that executes this op class{}; known: {}",
                   isa::op_class_name(op), name, did_you_mean(name, known), fmt::join(known, ", "));
}

const config::PipeConfig* pipe_config(const config::Pipes& pipes, Resource resource) {
  switch (resource) {
    case Resource::fma:
      return &pipes.fma;
    case Resource::alu:
      return &pipes.alu;
    case Resource::fp16:
      return &pipes.fp16;
    case Resource::fp64:
      return &pipes.fp64;
    case Resource::xu:
      return &pipes.xu;
    case Resource::tensor:
      return &pipes.tensor;
    case Resource::uniform:
      return &pipes.uniform;
    case Resource::branch:
      return &pipes.branch;
    case Resource::mio:
      return &pipes.mio;
    case Resource::adu:
      return &pipes.adu;
    default:
      return nullptr;
  }
}

void place_tensor(StaticInstruction& row, const isa::Decoded& d, const config::Pipes& pipes) {
  const config::Tensor& tensor = pipes.mma;
  const bool group = d.op == OpClass::gmma;  // four warps share the work
  const std::uint64_t work = std::uint64_t{d.tensor_m} * d.tensor_n * d.tensor_k / (group ? 4 : 1);
  if (work == 0) return;
  // The multipliers are 16 bits wide: an 8-bit element takes half a slot, a 4-bit one a quarter, and a 64-bit one
  // sixteen, where doubles have no rate of their own.
  const std::uint64_t bits = std::max<std::uint64_t>(d.tensor_element_bits, 1);
  const std::uint64_t interval = d.op == OpClass::dmma && tensor.fp64_fma_per_cycle != 0
                                     ? work / tensor.fp64_fma_per_cycle
                                     : (bits >= 64 ? work * 16 : work * bits / 16) / tensor.fma_per_cycle;
  row.interval = static_cast<std::uint16_t>(std::max<std::uint64_t>(1, interval));
  if (d.op != OpClass::hmma && (d.op != OpClass::imma || d.tensor_m < 16)) return;
  // A row of 16 halves takes as long as one of 8 TF32 or of 32 bytes, and as one of 32 halves of which half are zero.
  const std::uint64_t halves = d.tensor_k * bits / (d.tensor_sparse ? 32 : 16);
  const std::uint32_t base = halves <= 4   ? tensor.latency_884
                             : halves <= 8 ? tensor.latency_1688
                                           : tensor.latency_16816;
  row.latency = static_cast<std::uint16_t>(base + (d.tensor_accumulates_f32 ? tensor.latency_f32 : 0));
}

}  // namespace

void place_unit(StaticInstruction& row, const isa::Decoded& d, const config::Sm& sm) {
  const UnitTraits& unit = *unit_traits(unit_of(sm.pipes, d.op));
  row.action = Action::memory;
  row.fixed = false;
  row.resource = unit.resource;
  row.long_latency = unit.long_latency;
  row.memory.waits = d.op == OpClass::store || d.op == OpClass::reduction;
}

void place_pairs(std::vector<StaticInstruction>& rows, const trace::KernelInfo& kernel, const config::Sm& sm) {
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    StaticInstruction& row = rows[i];
    const Resource first = row.resource, second = rows[i + 1].resource;
    const bool both_queue = uses_memory_queue(first) && uses_memory_queue(second);
    const bool same = first == second && first != Resource::none;
    if (both_queue || (same && (first != Resource::fma || sm.pipes.fma.lanes <= 32))) continue;
    const isa::ControlBits& control = kernel.code[i].control;
    if (control.stall != 0 || control.yield || row.flow.branches) continue;
    row.issue.pairs = true;
    row.control.stall = 0;
  }
}

namespace {

/// S2R and S2UR: through the queue to the ADU, if the GPU has one; S2R of a thread's index, or without that queue each
/// S2R, through the memory stage, if the GPU does so; else a pipe like others.
void place_special_register(StaticInstruction& row, const isa::Decoded& d, const config::MemoryIo& io) {
  const bool queue = io.adu_queue.entries != 0;
  const bool staged = d.op == OpClass::s2r && (d.reads_thread || !queue) && io.thread_index_interval != 0;
  if (!staged && !queue) return;
  row.action = Action::memory;
  row.resource = staged ? Resource::shared : Resource::constant;
  row.memory.has_address = false;
}

}  // namespace

void place_pipe(StaticInstruction& row, const isa::Decoded& d, const config::Sm& sm) {
  const config::Pipes& pipes = sm.pipes;
  const config::OpConfig& op = pipes.ops[static_cast<std::size_t>(d.op)];
  const bool special_register = d.op == OpClass::s2r || d.op == OpClass::s2ur;
  if (!special_register && leaves_block(sm, d.op))
    place_unit(row, d, sm);
  else
    row.resource = pipe_resource(op.pipe, d.op);
  row.fixed = d.latency == isa::Latency::fixed;
  row.latency = static_cast<std::uint16_t>(std::max(1u, op.latency));
  const config::PipeConfig* pipe = pipe_config(pipes, row.resource);
  row.interval = static_cast<std::uint16_t>(op.interval != 0                      ? op.interval
                                            : pipe != nullptr && pipe->lanes != 0 ? std::max(1u, 32u / pipe->lanes)
                                                                                  : 1u);
  if (d.op == OpClass::imad_wide)
    row.second_pass = static_cast<std::uint8_t>(std::min<std::uint32_t>(pipes.second_pass, row.interval));
  if (d.op == OpClass::hmma || d.op == OpClass::imma || d.op == OpClass::dmma || d.op == OpClass::gmma)
    place_tensor(row, d, pipes);
  if (special_register && !d.reads_clock && !row.fixed) place_special_register(row, d, sm.memory_io);
}

}  // namespace sassim::arch
