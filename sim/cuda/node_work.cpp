// SPDX-License-Identifier: Apache-2.0
// Checks the parameters of cudaGraphAdd*Node (kernel, copy, fill, host), and makes a node's work.
#include "sim/cuda/node_work.h"

#include <cstring>

#include "sim/emu/core/memory_check.h"

namespace sassim::cuda {
namespace {

/// Fills rows with elements of one, two or four bytes.
Result fill_elements(Session& session, const FillNodeParams& params) {
  const std::size_t row = params.width * params.element_bytes;
  const std::uint64_t first = session.device_address(params.to);
  session.host_memory().look();
  for (std::size_t y = 0; y < params.height; ++y) {
    std::byte* to = session.memory_with(params.to).host(first + y * params.pitch, row, true);
    if (!to) return kInvalidValue;
    if (emu::MemoryCheck* check = emu::MemoryCheck::active()) check->written(first + y * params.pitch, row);
    for (std::size_t x = 0; x < params.width; ++x)
      std::memcpy(to + x * params.element_bytes, &params.value, params.element_bytes);
    session.memory().changed();
  }
  return kSuccess;
}

}  // namespace

Result kernel_node(Session& session, const KernelNodeParams* params, NodeContents& contents) {
  if (!params || (params->extra && !params->arguments)) return kInvalidValue;
  return prepare(session,
                 {.function = params->function,
                  .grid = params->grid,
                  .block = params->block,
                  .arguments = params->arguments,
                  .shared = params->dynamic_shared},
                 contents);
}

Result copy_node(Session& session, const Copy3D* params, NodeContents& contents) {
  if (!params) return kInvalidValue;
  if (params->from_array || params->to_array) return unsupported("a graph's copy of an array");
  if (!params->from.pointer || !params->to.pointer) return kInvalidValue;
  contents = box_work(session, *params);
  return kSuccess;
}

Result fill_node(Session& session, const FillNodeParams* params, NodeContents& contents) {
  if (!params || !params->to || params->width == 0 || params->height == 0) return kInvalidValue;
  if (params->element_bytes != 1 && params->element_bytes != 2 && params->element_bytes != 4) return kInvalidValue;
  contents = {.type = kFillNode, .work = [&session, params = *params](Stream stream) {
                const Result result = fill_elements(session, params);
                if (result == kSuccess)
                  session.timeline().fill(stream, params.width * params.element_bytes * params.height);
                return result;
              }};
  return kSuccess;
}

Result host_node(const HostNodeParams* params, NodeContents& contents) {
  if (!params || !params->function) return kInvalidValue;
  contents = host_work(*params);
  return kSuccess;
}

}  // namespace sassim::cuda
