// SPDX-License-Identifier: Apache-2.0
// Reads and sets attributes of kernels (cudaFuncGetAttributes, ...), and reads the attributes of a launch.
#include "sim/cuda/attributes.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/cuda/occupancy_query.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

/// CUlaunchAttributeID, cudaLaunchAttributeID
enum LaunchAttributeId : int {
  kIgnore = 0,
  kAccessPolicy = 1,
  kCooperative = 2,
  kSynchronisation = 3,
  kClusterDimension = 4,
  kClusterPreference = 5,
  kProgrammaticSerialisation = 6,
  kProgrammaticEvent = 7,
  kPriority = 8,
  kMemoryDomainMap = 9,
  kMemoryDomain = 10,
  kLaunchCarveout = 14,
};

std::uint32_t& cluster_side(Dim& cluster, int attribute) {
  return attribute == kClusterWidth ? cluster.x : attribute == kClusterHeight ? cluster.y : cluster.z;
}
/// What the code declares holds; otherwise what the program has set.
std::uint32_t cluster_side(const RegisteredFunction& function, const emu::Kernel& kernel, int attribute) {
  Dim cluster = function.cluster;
  if (kernel.cluster.count() != 0) cluster = {kernel.cluster.x, kernel.cluster.y, kernel.cluster.z};
  return cluster_side(cluster, attribute);
}

}  // namespace

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
        if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0) return kInvalidClusterSize;
        request.cluster = cluster;
        break;
      }
      case kProgrammaticEvent:
        return unsupported("a launch with an event (attribute 7)");
      case kIgnore:
      case kAccessPolicy:
      case kSynchronisation:
      case kClusterPreference:
      case kProgrammaticSerialisation:
      case kPriority:
      case kMemoryDomainMap:
      case kMemoryDomain:
      case kLaunchCarveout:
        break;  // they change no result, and no time here
      default:
        return unsupported(fmt::format("a launch with attribute {}", attribute.id).c_str());
    }
  }
  return kSuccess;
}

Result function_attribute(Session& session, const void* handle, int attribute, int& value) {
  const emu::Kernel& kernel = described_kernel(session, handle);
  const RegisteredFunction& registered = *session.find_function(handle);
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
    case kClusterScheduling:
      value = 0;
      return kSuccess;
    case kClusterWidth:
    case kClusterHeight:
    case kClusterDepth:
      value = static_cast<int>(cluster_side(registered, kernel, attribute));
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

Result set_function_attribute(Session& session, const void* handle, int attribute, int value) {
  const emu::Kernel& kernel = described_kernel(session, handle);
  RegisteredFunction& registered = *session.find_function(handle);
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
      if (value < 0) return kInvalidValue;
      cluster_side(registered.cluster, attribute) = static_cast<std::uint32_t>(value);
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

}  // namespace sassim::cuda
