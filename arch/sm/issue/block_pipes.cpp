// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/issue/block_pipes.h"

#include "sim/base/error.h"

namespace sassim::arch {

namespace {

struct PipeRow {
  Resource resource;
  config::PipeConfig config::Pipes::*config;
  Unit SharedUnits::*shared;  ///< nullptr: each processing block has its own
};
constexpr PipeRow kPipes[] = {{Resource::fma, &config::Pipes::fma, nullptr},
                              {Resource::alu, &config::Pipes::alu, nullptr},
                              {Resource::fp16, &config::Pipes::fp16, nullptr},
                              {Resource::fp64, &config::Pipes::fp64, &SharedUnits::fp64},
                              {Resource::xu, &config::Pipes::xu, &SharedUnits::xu},
                              {Resource::tensor, &config::Pipes::tensor, &SharedUnits::tensor},
                              {Resource::uniform, &config::Pipes::uniform, nullptr},
                              {Resource::branch, &config::Pipes::branch, nullptr},
                              {Resource::mio, &config::Pipes::mio, nullptr},
                              {Resource::adu, &config::Pipes::adu, &SharedUnits::adu}};

}  // namespace

BlockPipes::BlockPipes(const config::Pipes& config, SharedUnits& shared, Occupied& memory_queue) {
  for (const PipeRow& row : kPipes) {
    const auto r = static_cast<std::size_t>(row.resource);
    const config::PipeConfig& pipe = config.*row.config;
    if (pipe.shared_by_sm && row.shared == nullptr)
      throw InputError("sm.pipes: only fp64, tensor, xu and adu can be shared_by_sm");
    pipes_[r].connect(pipe.shared_by_sm ? shared.*row.shared : own_units_[r], pipe.queue);
    inputs_[r] = &pipes_[r].input();
  }
  for (std::size_t r = 0; r < kResources; ++r)
    if (uses_memory_queue(static_cast<Resource>(r))) inputs_[r] = &memory_queue;
  inputs_[static_cast<std::size_t>(Resource::none)] = &no_input_;
}

}  // namespace sassim::arch
