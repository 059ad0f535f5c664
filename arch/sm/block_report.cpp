// SPDX-License-Identifier: Apache-2.0
// What a processing block tells about itself.
#include "arch/sm/processing_block.h"

namespace sassim::arch {

namespace {

struct PipeName {
  Resource resource;
  const char* issued;
  const char* busy;  ///< nullptr: no pipe of its own
};

constexpr PipeName kPipeNames[] = {
    {Resource::fma, "sm__inst_executed_pipe_fma.sum", "sassim__pipe_fma_cycles_busy.sum"},
    {Resource::alu, "sm__inst_executed_pipe_alu.sum", "sassim__pipe_alu_cycles_busy.sum"},
    {Resource::fp16, "sm__inst_executed_pipe_fp16.sum", "sassim__pipe_fp16_cycles_busy.sum"},
    {Resource::fp64, "sm__inst_executed_pipe_fp64.sum", "sassim__pipe_fp64_cycles_busy.sum"},
    {Resource::xu, "sm__inst_executed_pipe_xu.sum", "sassim__pipe_xu_cycles_busy.sum"},
    {Resource::tensor, "sm__inst_executed_pipe_tensor.sum", "sassim__pipe_tensor_cycles_busy.sum"},
    {Resource::uniform, "sm__inst_executed_pipe_uniform.sum", "sassim__pipe_uniform_cycles_busy.sum"},
    {Resource::branch, "sm__inst_executed_pipe_cbu.sum", "sassim__pipe_cbu_cycles_busy.sum"},
    {Resource::adu, "sm__inst_executed_pipe_adu.sum", "sassim__pipe_adu_cycles_busy.sum"},
    {Resource::local_global, "sm__inst_executed_pipe_lsu.sum", nullptr},
    {Resource::shared, "sm__inst_executed_pipe_lsu.sum", nullptr},
    {Resource::texture, "sm__inst_executed_pipe_tex.sum", nullptr}};

}  // namespace

void ProcessingBlock::report(stats::MetricSet& metrics) const {
  for (const PipeName& row : kPipeNames) {
    const auto r = static_cast<std::size_t>(row.resource);
    metrics.sum(row.issued, "inst", "warp instructions issued to the pipe", issued_to_[r]);
    if (row.busy != nullptr)
      metrics.sum(row.busy, "cycle", "cycles for which the pipe's instructions have taken it", pipes_[r].busy());
  }
  metrics.sum("smsp__inst_executed.sum", "inst", "warp instructions issued", issued_);
  metrics.sum("smsp__warps_launched.sum", "warp", "warps that started", warps_started_);
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
