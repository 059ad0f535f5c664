// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/launches.h"

#include <algorithm>

#include "sim/cuda/described_kernel.h"
#include "sim/cuda/occupancy_query.h"
#include "sim/driver/call.h"
#include "sim/driver/modules.h"

namespace sassim::cuda {
namespace {

/// CUlaunchAttributeID
enum Attribute : int {
  kIgnore = 0,
  kAccessPolicy = 1,
  kCooperative = 2,
  kSynchronisation = 3,
  kClusterDimension = 4,
  kClusterPreference = 5,
  kProgrammaticSerialisation = 6,
  kProgrammaticEvent = 7,
  kPriority = 8,
};

}  // namespace

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

Result read_attributes(const LaunchAttribute* attributes, unsigned count, LaunchRequest& request) {
  if (count != 0 && !attributes) return kInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const LaunchAttribute& attribute = attributes[i];
    switch (attribute.id) {
      case kCooperative:
        request.cooperative = attribute.value.number != 0;
        break;
      case kClusterDimension: {
        Dim cluster;
        std::copy_n(attribute.value.bytes, sizeof cluster, reinterpret_cast<char*>(&cluster));
        if (cluster.x * cluster.y * cluster.z != 1) return driver_lacks("a launch with clusters of several blocks");
        break;
      }
      case kProgrammaticEvent:
        return driver_lacks("a launch with an event (attribute 7)");
      case kIgnore:
      case kAccessPolicy:
      case kSynchronisation:
      case kClusterPreference:
      case kProgrammaticSerialisation:
      case kPriority:
        break;  // they change no result, and no time here
      default:
        return driver_lacks(fmt::format("a launch with attribute {}", attribute.id).c_str());
    }
  }
  return kSuccess;
}

Result check_function(const Function* function) {
  if (!Modules::get().holds(function)) return kInvalidResourceHandle;
  const Module& module = *function->module;
  return module.library || module.context == Contexts::current() ? kSuccess : kInvalidResourceHandle;
}

Result function_attribute(Session& session, const Function& function, int attribute, int& value) {
  const emu::Kernel& kernel = described_kernel(session, &function);
  const RegisteredFunction& registered = *session.find_function(&function);
  switch (attribute) {
    case kMaxThreadsPerBlock:
      value = OccupancyQuery(session, registered, kernel).most_threads();
      return kSuccess;
    case kSharedBytes:
      value = static_cast<int>(kernel.static_shared);
      return kSuccess;
    case kLocalBytes:
      value = static_cast<int>(kernel.local_bytes);
      return kSuccess;
    case kRegisters:
      value = static_cast<int>(kernel.registers);
      return kSuccess;
    case kPtxVersion:
    case kBinaryVersion:
      value = kernel.sm;
      return kSuccess;
    case kMaxDynamicShared:
      value = static_cast<int>(dynamic_shared_limit(registered, kernel));
      return kSuccess;
    case kPreferredCarveout:
      value = registered.preferred_carveout;
      return kSuccess;
    case kNonPortableCluster:
      value = registered.non_portable_cluster ? 1 : 0;
      return kSuccess;
    case kConstantBytes:
    case kCacheModeCa:
    case kClusterMustBeSet:
    case kClusterWidth:
    case kClusterHeight:
    case kClusterDepth:
    case kClusterScheduling:
      value = 0;
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

Result set_function_attribute(Session& session, const Function& function, int attribute, int value) {
  const emu::Kernel& kernel = described_kernel(session, &function);
  RegisteredFunction& registered = *session.find_function(&function);
  switch (attribute) {
    case kMaxDynamicShared:
      if (value < 0 ||
          kernel.static_shared + static_cast<std::uint64_t>(value) > session.gpu().sm.occupancy.shared_per_block)
        return kInvalidValue;
      registered.max_dynamic_shared = value;
      return kSuccess;
    case kPreferredCarveout:
      if (value < -1 || value > 100) return kInvalidValue;
      registered.preferred_carveout = value;
      return kSuccess;
    case kNonPortableCluster:
      registered.non_portable_cluster = value != 0;
      return kSuccess;
    case kClusterScheduling:
      return kSuccess;
    case kClusterWidth:
    case kClusterHeight:
    case kClusterDepth:
      return value <= 1 ? kSuccess : driver_lacks("a function with clusters of several blocks");
    default:
      return kInvalidValue;
  }
}

}  // namespace sassim::cuda
