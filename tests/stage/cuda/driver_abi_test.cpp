// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sim/cuda/attributes.h"
#include "sim/driver/abi.h"
#include "sim/driver/virtual_memory.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cuda.h>
#pragma GCC diagnostic pop

namespace sassim::cuda {
namespace {

#define SAME(theirs, member, ours, own) EXPECT_EQ(offsetof(theirs, member), offsetof(ours, own)) << #own

TEST(DriverAbi, CopiesHaveTheToolkitsLayout) {
  EXPECT_EQ(sizeof(CUDA_MEMCPY2D), sizeof(DriverCopy2D));
  SAME(CUDA_MEMCPY2D, srcPitch, DriverCopy2D, from.pitch);
  SAME(CUDA_MEMCPY2D, dstMemoryType, DriverCopy2D, to.place);
  SAME(CUDA_MEMCPY2D, dstArray, DriverCopy2D, to.array);
  SAME(CUDA_MEMCPY2D, Height, DriverCopy2D, height);
  EXPECT_EQ(sizeof(CUDA_MEMCPY3D), sizeof(DriverCopy3D));
  SAME(CUDA_MEMCPY3D, srcLOD, DriverCopy3D, from.level);
  SAME(CUDA_MEMCPY3D, dstHost, DriverCopy3D, to.host);
  SAME(CUDA_MEMCPY3D, dstHeight, DriverCopy3D, to.height);
  SAME(CUDA_MEMCPY3D, Depth, DriverCopy3D, depth);
  EXPECT_EQ(sizeof(CUDA_MEMCPY3D_PEER), sizeof(DriverCopy3D));
  SAME(CUDA_MEMCPY3D_PEER, dstContext, DriverCopy3D, to.context);
}

TEST(DriverAbi, LaunchesAndNodesHaveTheToolkitsLayout) {
  EXPECT_EQ(sizeof(CUlaunchConfig), sizeof(DriverLaunch));
  SAME(CUlaunchConfig, blockDimX, DriverLaunch, block);
  SAME(CUlaunchConfig, hStream, DriverLaunch, stream);
  SAME(CUlaunchConfig, numAttrs, DriverLaunch, attribute_count);
  EXPECT_EQ(sizeof(CUlaunchAttribute), sizeof(LaunchAttribute));
  SAME(CUlaunchAttribute, value, LaunchAttribute, value);
  EXPECT_EQ(sizeof(CUDA_KERNEL_NODE_PARAMS), sizeof(KernelNodeParams));
  SAME(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes, KernelNodeParams, dynamic_shared);
  SAME(CUDA_KERNEL_NODE_PARAMS, extra, KernelNodeParams, extra);
  EXPECT_EQ(sizeof(CUDA_MEMSET_NODE_PARAMS), sizeof(FillNodeParams));
  SAME(CUDA_MEMSET_NODE_PARAMS, elementSize, FillNodeParams, element_bytes);
  EXPECT_EQ(sizeof(CUDA_HOST_NODE_PARAMS), sizeof(HostNodeParams));
  EXPECT_EQ(sizeof(CUmemAllocationProp), sizeof(MemoryProperties));
  SAME(CUmemAllocationProp, location.id, MemoryProperties, device);
}

TEST(DriverAbi, CodesAndAttributesHaveTheToolkitsValues) {
  EXPECT_EQ(int{CUDA_ERROR_NOT_INITIALIZED}, int{kInitializationError});
  EXPECT_EQ(int{CUDA_ERROR_INVALID_CONTEXT}, int{kInvalidContext});
  EXPECT_EQ(int{CUDA_ERROR_NO_BINARY_FOR_GPU}, int{kNoKernelImageForDevice});
  EXPECT_EQ(int{CUDA_ERROR_INVALID_HANDLE}, int{kInvalidResourceHandle});
  EXPECT_EQ(int{CUDA_ERROR_NOT_FOUND}, int{kSymbolNotFound});
  EXPECT_EQ(int{CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE}, int{kPrimaryContextActive});
  EXPECT_EQ(int{CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES}, int{kMaxDynamicShared});
  EXPECT_EQ(int{CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED}, int{kNonPortableCluster});
  EXPECT_EQ(CU_LAUNCH_PARAM_BUFFER_SIZE, kExtraSize);
  EXPECT_EQ(int{CU_MEMORYTYPE_UNIFIED}, int{kPlaceUnified});
}

}  // namespace
}  // namespace sassim::cuda
