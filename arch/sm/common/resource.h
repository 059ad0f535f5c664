// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sassim::arch {

/// The resource that must be free when an instruction issues. The last four are queues in front of units of the SM.
enum class Resource : std::uint8_t {
  fma,
  alu,
  fp16,
  fp64,
  xu,
  tensor,
  uniform,
  branch,
  mio,
  adu,
  none,
  local_global,
  shared,
  constant,  ///< LDC, and special registers that the ADU reads
  texture,
  count_
};
inline constexpr std::size_t kResources = static_cast<std::size_t>(Resource::count_);
constexpr bool uses_memory_queue(Resource r) { return r >= Resource::local_global; }

/// The pipes of a processing block, by the names that `sm.pipes.ops.*.pipe` uses.
struct PipeByName {
  std::string_view name;
  Resource resource;
};
inline constexpr std::array<PipeByName, 11> kPipesByName{{{"fma", Resource::fma},
                                                          {"alu", Resource::alu},
                                                          {"fp16", Resource::fp16},
                                                          {"fp64", Resource::fp64},
                                                          {"xu", Resource::xu},
                                                          {"tensor", Resource::tensor},
                                                          {"uniform", Resource::uniform},
                                                          {"branch", Resource::branch},
                                                          {"mio", Resource::mio},
                                                          {"adu", Resource::adu},
                                                          {"none", Resource::none}}};

/// The queues of a processing block in front of the units of the SM.
enum class UnitQueue : std::uint8_t {
  memory,   ///< to the memory stage
  adu,      ///< to the address divergence unit, if it has a queue of its own (memory_io.adu_queue)
  texture,  ///< to the texture unit
};
inline constexpr std::size_t kUnitQueues = 3;

constexpr UnitQueue queue_of(Resource r, bool adu_queue) {
  return r == Resource::texture                 ? UnitQueue::texture
         : r == Resource::constant && adu_queue ? UnitQueue::adu
                                                : UnitQueue::memory;
}

}  // namespace sassim::arch
