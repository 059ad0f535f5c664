// SPDX-License-Identifier: Apache-2.0
// The pipes (FMA, ALU, FP64, tensor, ...), which of them processing blocks may share, and their counters.
#include "arch/sm/warps/block_pipes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/base/error.h"
#include "sim/config/groups/pipes.h"

namespace sassim::arch {

namespace {

struct PipeRow {
  Resource resource;
  config::PipeConfig config::Pipes::*config;
  Unit SharedUnits::*shared;  ///< nullptr: each processing block has its own unit
  const char* name;           ///< in the counter of its busy cycles; nullptr: none
};
constexpr PipeRow kPipes[] = {{Resource::fma, &config::Pipes::fma, nullptr, "fma"},
                              {Resource::alu, &config::Pipes::alu, nullptr, "alu"},
                              {Resource::fp16, &config::Pipes::fp16, nullptr, "fp16"},
                              {Resource::fp64, &config::Pipes::fp64, &SharedUnits::fp64, "fp64"},
                              {Resource::xu, &config::Pipes::xu, &SharedUnits::xu, "xu"},
                              {Resource::tensor, &config::Pipes::tensor, &SharedUnits::tensor, "tensor"},
                              {Resource::uniform, &config::Pipes::uniform, nullptr, "uniform"},
                              {Resource::branch, &config::Pipes::branch, nullptr, "cbu"},
                              {Resource::mio, &config::Pipes::mio, nullptr, nullptr},
                              {Resource::adu, &config::Pipes::adu, &SharedUnits::adu, "adu"}};

struct BusyCount {
  Resource resource;
  stats::Count counter;
};

std::vector<BusyCount> busy_counts() {
  std::vector<BusyCount> all;
  for (const PipeRow& row : kPipes)
    if (row.name != nullptr)
      all.push_back({row.resource, stats::Count(fmt::format("sassim__pipe_{}_cycles_busy.sum", row.name), "cycle",
                                                "cycles for which instructions occupied the pipe")});
  return all;
}
const std::vector<BusyCount> kBusy = busy_counts();

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
  second_fma_.connect(second_unit_, 0);
  if (config.fma.lanes > 32) second_interval_ = std::max(1u, 32 / (config.fma.lanes - 32));
}

void BlockPipes::report(stats::CounterValues& values) const {
  for (const BusyCount& pipe : kBusy) values.sum(pipe.counter, pipes_[static_cast<std::size_t>(pipe.resource)].busy());
}

}  // namespace sassim::arch
