// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/abi13.h"

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

TEST(Abi13, StructsHaveTheToolkitsLayout) {
  static_assert(CUDART_VERSION == 13000);
  using Properties = v13::DeviceProperties;
  EXPECT_EQ(sizeof(cudaDeviceProp), sizeof(Properties));
  SAME_PLACE(cudaDeviceProp, totalConstMem, Properties, total_constant_memory);
  SAME_PLACE(cudaDeviceProp, multiProcessorCount, Properties, multiprocessors);
  SAME_PLACE(cudaDeviceProp, maxTexture1D, Properties, textures_and_surfaces);
  SAME_PLACE(cudaDeviceProp, surfaceAlignment, Properties, surface_alignment);
  SAME_PLACE(cudaDeviceProp, memoryBusWidth, Properties, memory_bus_bits);
  SAME_PLACE(cudaDeviceProp, localL1CacheSupported, Properties, local_l1_cache);
  SAME_PLACE(cudaDeviceProp, pageableMemoryAccess, Properties, pageable_access);
  SAME_PLACE(cudaDeviceProp, cooperativeLaunch, Properties, cooperative_launch);
  SAME_PLACE(cudaDeviceProp, reservedSharedMemPerBlock, Properties, reserved_shared_per_block);
  SAME_PLACE(cudaDeviceProp, memoryPoolsSupported, Properties, memory_pools);
  SAME_PLACE(cudaDeviceProp, unifiedFunctionPointers, Properties, unified_functions);
  SAME_PLACE(cudaDeviceProp, hostNumaId, Properties, host_numa_id);
  SAME_PLACE(cudaDeviceProp, reserved, Properties, reserved);
  EXPECT_EQ(sizeof(cudaPointerAttributes), sizeof(v13::PointerAttributes));
  SAME_PLACE(cudaPointerAttributes, hostPointer, v13::PointerAttributes, common.host_pointer);
}

TEST(Abi13, OtherStructsAreThoseOfCuda12And11) {
  EXPECT_EQ(sizeof(cudaFuncAttributes), sizeof(v12::FunctionAttributes));
  EXPECT_EQ(sizeof(cudaMemLocation), sizeof(v12::Location));
  EXPECT_EQ(sizeof(cudaGraphEdgeData), sizeof(v12::EdgeData));
  EXPECT_EQ(sizeof(cudaGraphExecUpdateResultInfo), sizeof(v12::UpdateInfo));
  EXPECT_EQ(sizeof(cudaGraphInstantiateParams), sizeof(v12::InstantiateParams));
  EXPECT_EQ(sizeof(cudaGraphNodeParams), sizeof(v12::NodeParams));
  SAME_PLACE(cudaGraphNodeParams, memcpy.copyParams, v12::NodeParams, of.copy.copy);
  EXPECT_EQ(sizeof(cudaKernelNodeParams), sizeof(KernelNodeParams));
  EXPECT_EQ(sizeof(cudaMemcpy3DParms), sizeof(Copy3D));
  EXPECT_EQ(sizeof(cudaLaunchConfig_t), sizeof(LaunchConfigEx));
  EXPECT_EQ(sizeof(cudaLaunchAttribute), sizeof(LaunchAttribute));
  // CUDA 13 has more room behind the fields of CUDA 11.
  EXPECT_EQ(offsetof(cudaResourceDesc, res), 8u);
  EXPECT_GE(sizeof(cudaResourceDesc), sizeof(TextureResource));
}

TEST(Abi13, EveryFunctionOfTheToolkitsRuntimeIsThere) {
  const auto theirs = functions_of(SASSIM_THEIR_CUDART);
  EXPECT_THAT(first_words(SASSIM_NAMES), testing::ContainerEq(theirs));
  EXPECT_THAT(functions_of(SASSIM_OUR_CUDART), testing::ContainerEq(theirs));
}

}  // namespace
}  // namespace sassim::cuda
