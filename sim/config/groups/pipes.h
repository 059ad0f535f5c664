// SPDX-License-Identifier: Apache-2.0
// Configuration of the pipes of a processing block, and what each op class takes there. fields_pipes.cpp says what each
// member means.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/isa/opcode.h"

namespace sassim::config {

struct PipeConfig {
  std::uint32_t lanes = 16;
  bool shared_by_sm = false;
  std::uint32_t queue = 0;
};

struct OpConfig {
  std::string pipe = "alu";
  std::uint32_t latency = 4;
  std::uint32_t interval = 0;
};
/// By isa::OpClass.
using OpConfigs = std::array<OpConfig, static_cast<std::size_t>(isa::OpClass::count_)>;
/// Op classes of memory go to the unit of the SM that they have in configs/generations/common.yaml, others to the ALU.
OpConfigs default_ops();

/// Matrix instructions by shape. The interval is m * n * k / fma_per_cycle, scaled by the element width; of doubles
/// m * n * k / fp64_fma_per_cycle where that is set.
struct Tensor {
  std::uint32_t fma_per_cycle = 128;
  std::uint32_t fp64_fma_per_cycle = 0;
  std::uint32_t latency_884 = 13, latency_1688 = 16, latency_16816 = 24;
  std::uint32_t latency_f32 = 0;
};

/// MATCH.ANY handles the different values of the lanes one after the other: each takes the operation's interval, and
/// twice that for 64-bit values.
struct Match {
  std::uint32_t value_latency = 11;
  std::uint32_t wide_value_latency = 13;
};

struct Pipes {
  PipeConfig fma, alu, fp16, tensor, uniform, branch;
  PipeConfig fp64{8, false, 0}, xu{4, false, 0};
  PipeConfig mio{8, false, 4};
  PipeConfig adu{8, false, 4};
  Tensor mma;
  Match match;
  std::uint32_t second_pass = 0;
  struct {
    std::uint32_t other_pipe = 0, queue = 0, guard = 0;
  } forwarding;
  OpConfigs ops = default_ops();
};

}  // namespace sassim::config
