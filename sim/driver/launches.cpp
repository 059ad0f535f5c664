// SPDX-License-Identifier: Apache-2.0
// Unpacks both forms of cuLaunchKernel's arguments, and checks that the function can be used here.
#include "sim/driver/launches.h"

#include "sim/driver/call.h"
#include "sim/driver/modules.h"

namespace sassim::cuda {

Result Arguments::take(const emu::Kernel& kernel, void** pointers, void** extra) {
  pointers_ = pointers;
  if (!extra) return pointers || kernel.param_offsets.empty() ? kSuccess : kInvalidValue;
  if (pointers) return kInvalidValue;  // both are given
  std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra; extra += 2) {
    if (*extra == kExtraBuffer)
      buffer = static_cast<std::byte*>(extra[1]);
    else if (*extra == kExtraSize && extra[1])
      bytes = *static_cast<const std::size_t*>(extra[1]);
    else
      return kInvalidValue;
  }
  for (std::size_t i = 0; i < kernel.param_offsets.size(); ++i) {
    if (!buffer || bytes < kernel.param_offsets[i] + std::size_t{kernel.param_sizes[i]}) return kInvalidValue;
    into_buffer_.push_back(buffer + kernel.param_offsets[i]);
  }
  pointers_ = into_buffer_.data();
  return kSuccess;
}

Result check_function(const Function* function) {
  if (!Modules::get().holds(function)) return kInvalidResourceHandle;
  const Module& module = *function->module;
  return module.library || module.context == Contexts::current() ? kSuccess : kInvalidResourceHandle;
}

}  // namespace sassim::cuda
