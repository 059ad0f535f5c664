// SPDX-License-Identifier: Apache-2.0
// A kernel launch between the call that asks for it and the device: checked, with its arguments copied.
#pragma once

#include <cstddef>

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
};

/// Checks a launch as the driver would; `launch` gets the work, which may be done later and more than once.
Result prepare(Session&, const LaunchRequest&, NodeContents& launch);

config::OccupancyResult occupancy_of(const Session&, const emu::Kernel&, std::uint32_t threads,
                                     std::size_t dynamic_shared);
/// How much dynamic shared memory a launch may ask for.
std::size_t dynamic_shared_limit(const RegisteredFunction&, const emu::Kernel&);

}  // namespace sassim::cuda
