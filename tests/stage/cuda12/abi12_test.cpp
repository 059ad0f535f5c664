// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/abi12.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cuda_runtime_api.h>
#pragma GCC diagnostic pop

#include "tests/support/elf_functions.h"

namespace sassim::cuda {
namespace {

#define SAME_PLACE(theirs, their_field, ours, our_field) \
  EXPECT_EQ(offsetof(theirs, their_field), offsetof(ours, our_field)) << #our_field

TEST(Abi12, StructsHaveTheToolkitsLayout) {
  static_assert(CUDART_VERSION == 12040);
  EXPECT_EQ(sizeof(cudaDeviceProp), sizeof(v12::DeviceProperties));
  SAME_PLACE(cudaDeviceProp, totalGlobalMem, v12::DeviceProperties, common.total_global_memory);
  SAME_PLACE(cudaDeviceProp, reservedSharedMemPerBlock, v12::DeviceProperties, common.reserved_shared_per_block);
  SAME_PLACE(cudaDeviceProp, hostRegisterSupported, v12::DeviceProperties, host_register);
  SAME_PLACE(cudaDeviceProp, memoryPoolsSupported, v12::DeviceProperties, memory_pools);
  SAME_PLACE(cudaDeviceProp, unifiedFunctionPointers, v12::DeviceProperties, unified_functions);
  EXPECT_EQ(sizeof(cudaFuncAttributes), sizeof(v12::FunctionAttributes));
  SAME_PLACE(cudaFuncAttributes, preferredShmemCarveout, FunctionAttributes, preferred_shared_carveout);
  SAME_PLACE(cudaFuncAttributes, clusterDimMustBeSet, v12::FunctionAttributes, cluster_must_be_set);
  EXPECT_EQ(sizeof(cudaMemLocation), sizeof(v12::Location));
  EXPECT_EQ(sizeof(cudaGraphEdgeData), sizeof(v12::EdgeData));
  EXPECT_EQ(sizeof(cudaGraphExecUpdateResultInfo), sizeof(v12::UpdateInfo));
  SAME_PLACE(cudaGraphExecUpdateResultInfo, errorFromNode, v12::UpdateInfo, from_node);
  EXPECT_EQ(sizeof(cudaGraphInstantiateParams), sizeof(v12::InstantiateParams));
  SAME_PLACE(cudaGraphInstantiateParams, result_out, v12::InstantiateParams, outcome);
  EXPECT_EQ(sizeof(cudaGraphNodeParams), sizeof(v12::NodeParams));
  SAME_PLACE(cudaGraphNodeParams, kernel, v12::NodeParams, of);
  SAME_PLACE(cudaGraphNodeParams, memcpy.copyParams, v12::NodeParams, of.copy.copy);
  EXPECT_EQ(sizeof(cudaKernelNodeParamsV2), sizeof(KernelNodeParams));
  EXPECT_EQ(sizeof(cudaMemsetParamsV2), sizeof(FillNodeParams));
  EXPECT_EQ(sizeof(cudaHostNodeParamsV2), sizeof(HostNodeParams));
}

TEST(Abi12, StructsOfCuda11HaveTheSameLayout) {
  EXPECT_EQ(sizeof(cudaPointerAttributes), sizeof(PointerAttributes));
  EXPECT_EQ(sizeof(cudaMemcpy3DParms), sizeof(Copy3D));
  EXPECT_EQ(sizeof(cudaLaunchConfig_t), sizeof(LaunchConfigEx));
  EXPECT_EQ(sizeof(cudaLaunchAttribute), sizeof(LaunchAttribute));
  EXPECT_EQ(sizeof(cudaKernelNodeParams), sizeof(KernelNodeParams));
  EXPECT_EQ(sizeof(cudaResourceDesc), sizeof(TextureResource));
  // The field that CUDA 12 adds at the end is for cube maps.
  SAME_PLACE(cudaTextureDesc, disableTrilinearOptimization, TextureDescription, no_trilinear_optimization);
}

TEST(Abi12, EveryFunctionOfTheToolkitsRuntimeIsThere) {
  EXPECT_THAT(first_words(SASSIM_NAMES), testing::ContainerEq(functions_of(SASSIM_THEIR_CUDART)));
}

}  // namespace
}  // namespace sassim::cuda
