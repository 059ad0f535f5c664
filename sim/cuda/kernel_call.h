// SPDX-License-Identifier: Apache-2.0
// Prepares a kernel launch of the program, by the runtime or the driver: checks it, copies its arguments, and makes its
// work for the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/config/occupancy.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

struct LaunchRequest {
  const void* function = nullptr;
  Dim grid{}, block{};
  void** arguments = nullptr;
  std::size_t shared = 0;
  Stream stream = nullptr;
  bool cooperative = false;
  Dim cluster{0, 0, 0};  ///< of an attribute of the launch; 0: none
};

/// Checks a launch as the driver would. `launch` gets the work, which may run later and several times.
Result prepare(Session&, const LaunchRequest&, NodeContents& launch);

constexpr std::uint32_t kNoCarveout = 0xffffffff;  ///< the program prefers none

/// A launch with what the kernels need that it launches.
struct KernelRun {
  const emu::Module& module;
  const RegisteredBinary* binary;
  const emu::LaunchConfig& config;
  std::uint32_t carveout;
  unsigned depth;  ///< how many kernels have launched each other until here
};
/// Runs a kernel, then those that it has launched, and adds them to the simulated time of the stream.
void run_with_children(Session&, Stream, const emu::Kernel&, const KernelRun&);
/// Whether any GPU takes a launch of this shape.
bool legal_shape(Dim grid, Dim block);
/// LaunchConfig::texture_words of a kernel of the binary.
std::vector<std::pair<std::uint32_t, std::uint32_t>> texture_words(const Session&, const RegisteredBinary*,
                                                                   const emu::Kernel&);

/// How many blocks fit on an SM. What programs are told is in occupancy_query.h.
config::OccupancyResult occupancy_of(const Session&, const emu::Kernel&, std::uint32_t threads,
                                     std::size_t dynamic_shared);
/// The most dynamic shared memory that a launch may request.
std::size_t dynamic_shared_limit(const RegisteredFunction&, const emu::Kernel&);

}  // namespace sassim::cuda
