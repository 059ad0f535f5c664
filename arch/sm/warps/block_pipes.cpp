// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/warps/block_pipes.h"

#include "sim/base/error.h"
#include "sim/config/groups/pipes.h"

namespace sassim::arch {

namespace {

struct PipeRow {
  Resource resource;
  config::PipeConfig config::Pipes::*config;
  Unit SharedUnits::*shared;  ///< nullptr: each processing block has its own unit
  const char* busy;           ///< metric of busy cycles; nullptr: none
};
constexpr PipeRow kPipes[] = {
    {Resource::fma, &config::Pipes::fma, nullptr, "sassim__pipe_fma_cycles_busy.sum"},
    {Resource::alu, &config::Pipes::alu, nullptr, "sassim__pipe_alu_cycles_busy.sum"},
    {Resource::fp16, &config::Pipes::fp16, nullptr, "sassim__pipe_fp16_cycles_busy.sum"},
    {Resource::fp64, &config::Pipes::fp64, &SharedUnits::fp64, "sassim__pipe_fp64_cycles_busy.sum"},
    {Resource::xu, &config::Pipes::xu, &SharedUnits::xu, "sassim__pipe_xu_cycles_busy.sum"},
    {Resource::tensor, &config::Pipes::tensor, &SharedUnits::tensor, "sassim__pipe_tensor_cycles_busy.sum"},
    {Resource::uniform, &config::Pipes::uniform, nullptr, "sassim__pipe_uniform_cycles_busy.sum"},
    {Resource::branch, &config::Pipes::branch, nullptr, "sassim__pipe_cbu_cycles_busy.sum"},
    {Resource::mio, &config::Pipes::mio, nullptr, nullptr},
    {Resource::adu, &config::Pipes::adu, &SharedUnits::adu, "sassim__pipe_adu_cycles_busy.sum"}};

}  // namespace

BlockPipes::BlockPipes(const config::Pipes& config, SharedUnits& shared,
                       const std::function<Occupied&(Resource)>& queue) {
  for (const PipeRow& row : kPipes) {
    const auto r = static_cast<std::size_t>(row.resource);
    const config::PipeConfig& pipe = config.*row.config;
    if (pipe.shared_by_sm && row.shared == nullptr)
      throw InputError("sm.pipes: only fp64, tensor, xu and adu can be shared_by_sm");
    pipes_[r].connect(pipe.shared_by_sm ? shared.*row.shared : own_units_[r], pipe.queue);
    inputs_[r] = &pipes_[r].input();
  }
  for (std::size_t r = 0; r < kResources; ++r)
    if (uses_memory_queue(static_cast<Resource>(r))) inputs_[r] = &queue(static_cast<Resource>(r));
  inputs_[static_cast<std::size_t>(Resource::none)] = &no_input_;
}

void BlockPipes::report(stats::MetricSet& metrics) const {
  for (const PipeRow& row : kPipes)
    if (row.busy != nullptr)
      metrics.sum(row.busy, "cycle", "cycles for which instructions occupied the pipe",
                  pipes_[static_cast<std::size_t>(row.resource)].busy());
}

}  // namespace sassim::arch
