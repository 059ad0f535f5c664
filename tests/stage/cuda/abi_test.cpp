// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/abi.h"

#include <gtest/gtest.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cuda_runtime_api.h>
#pragma GCC diagnostic pop

namespace sassim::cuda {
namespace {

#define SAME_PLACE(theirs, ours) EXPECT_EQ(offsetof(cudaDeviceProp, theirs), offsetof(DeviceProperties, ours)) << #ours

TEST(Abi, DevicePropertiesLieWhereTheToolkitPutsThem) {
  EXPECT_EQ(sizeof(cudaDeviceProp), sizeof(DeviceProperties));
  SAME_PLACE(totalGlobalMem, total_global_memory);
  SAME_PLACE(maxThreadsDim, max_threads_dim);
  SAME_PLACE(clockRate, clock_khz);
  SAME_PLACE(multiProcessorCount, multiprocessors);
  SAME_PLACE(surfaceAlignment, surface_alignment);
  SAME_PLACE(memoryBusWidth, memory_bus_bits);
  SAME_PLACE(l2CacheSize, l2_bytes);
  SAME_PLACE(sharedMemPerMultiprocessor, shared_per_multiprocessor);
  SAME_PLACE(managedMemory, managed_memory);
  SAME_PLACE(cooperativeLaunch, cooperative_launch);
  SAME_PLACE(sharedMemPerBlockOptin, shared_per_block_optin);
  SAME_PLACE(maxBlocksPerMultiProcessor, max_blocks_per_multiprocessor);
  SAME_PLACE(reservedSharedMemPerBlock, reserved_shared_per_block);
}

TEST(Abi, OtherStructsHaveTheToolkitsLayout) {
  EXPECT_EQ(sizeof(cudaFuncAttributes), sizeof(FunctionAttributes));
  EXPECT_EQ(offsetof(cudaFuncAttributes, numRegs), offsetof(FunctionAttributes, registers));
  EXPECT_EQ(offsetof(cudaFuncAttributes, preferredShmemCarveout),
            offsetof(FunctionAttributes, preferred_shared_carveout));
  EXPECT_EQ(sizeof(cudaPointerAttributes), sizeof(PointerAttributes));
  EXPECT_EQ(offsetof(cudaPointerAttributes, hostPointer), offsetof(PointerAttributes, host_pointer));
  EXPECT_EQ(sizeof(cudaPitchedPtr), sizeof(Pitched));
  EXPECT_EQ(sizeof(cudaMemcpy3DParms), sizeof(Copy3D));
  EXPECT_EQ(offsetof(cudaMemcpy3DParms, dstPtr), offsetof(Copy3D, to));
  EXPECT_EQ(offsetof(cudaMemcpy3DParms, kind), offsetof(Copy3D, kind));
  EXPECT_EQ(sizeof(cudaChannelFormatDesc), sizeof(ChannelFormat));
  EXPECT_EQ(offsetof(cudaResourceDesc, res), offsetof(TextureResource, of));
  EXPECT_EQ(offsetof(cudaResourceDesc, res.linear.sizeInBytes), offsetof(TextureResource, of.linear.bytes));
  EXPECT_EQ(offsetof(cudaResourceDesc, res.pitch2D.pitchInBytes), offsetof(TextureResource, of.pitched.pitch));
  EXPECT_EQ(sizeof(cudaTextureDesc), sizeof(TextureDescription));
  EXPECT_EQ(offsetof(cudaTextureDesc, normalizedCoords), offsetof(TextureDescription, normalized));
  EXPECT_EQ(sizeof(textureReference), sizeof(TextureReference));
  EXPECT_EQ(offsetof(textureReference, channelDesc), offsetof(TextureReference, format));
  EXPECT_EQ(sizeof(cudaLaunchConfig_t), sizeof(LaunchConfigEx));
  EXPECT_EQ(offsetof(cudaLaunchConfig_t, stream), offsetof(LaunchConfigEx, stream));
}

TEST(Abi, ErrorCodesHaveTheToolkitsNumbers) {
  const std::pair<int, int> pairs[] = {
      {cudaErrorInvalidValue, kInvalidValue},
      {cudaErrorMemoryAllocation, kMemoryAllocation},
      {cudaErrorInvalidConfiguration, kInvalidConfiguration},
      {cudaErrorInvalidSymbol, kInvalidSymbol},
      {cudaErrorInvalidMemcpyDirection, kInvalidMemcpyDirection},
      {cudaErrorInvalidDeviceFunction, kInvalidDeviceFunction},
      {cudaErrorNoDevice, kNoDevice},
      {cudaErrorInvalidDevice, kInvalidDevice},
      {cudaErrorNoKernelImageForDevice, kNoKernelImageForDevice},
      {cudaErrorUnsupportedLimit, kUnsupportedLimit},
      {cudaErrorInvalidResourceHandle, kInvalidResourceHandle},
      {cudaErrorIllegalAddress, kIllegalAddress},
      {cudaErrorLaunchOutOfResources, kLaunchOutOfResources},
      {cudaErrorAssert, kAssert},
      {cudaErrorHardwareStackError, kHardwareStackError},
      {cudaErrorIllegalInstruction, kIllegalInstruction},
      {cudaErrorMisalignedAddress, kMisalignedAddress},
      {cudaErrorInvalidPc, kInvalidPc},
      {cudaErrorLaunchFailure, kLaunchFailure},
      {cudaErrorCooperativeLaunchTooLarge, kCooperativeLaunchTooLarge},
      {cudaErrorNotSupported, kNotSupported},
  };
  for (const auto& [theirs, ours] : pairs) EXPECT_EQ(theirs, ours);
}

}  // namespace
}  // namespace sassim::cuda
