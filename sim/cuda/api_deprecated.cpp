// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA 11 keeps for old programs: other names of newer functions, and functions without effect.
#include "sim/cuda/abi.h"
#include "sim/cuda/errors.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

extern "C" {
Result cudaDeviceReset();
Result cudaDeviceSynchronize();
Result cudaDeviceSetLimit(int limit, std::size_t value);
Result cudaDeviceGetLimit(std::size_t* value, int limit);
Result cudaDeviceSetCacheConfig(int config);
Result cudaDeviceGetCacheConfig(int* config);
}

SASSIM_CUDA Result cudaThreadExit() { return cudaDeviceReset(); }
SASSIM_CUDA Result cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
SASSIM_CUDA Result cudaThreadSetLimit(int limit, std::size_t value) { return cudaDeviceSetLimit(limit, value); }
SASSIM_CUDA Result cudaThreadGetLimit(std::size_t* value, int limit) { return cudaDeviceGetLimit(value, limit); }
SASSIM_CUDA Result cudaThreadSetCacheConfig(int config) { return cudaDeviceSetCacheConfig(config); }
SASSIM_CUDA Result cudaThreadGetCacheConfig(int* config) { return cudaDeviceGetCacheConfig(config); }

// For GPUs that computed doubles in single precision; on other GPUs the number does not change.
SASSIM_CUDA Result cudaSetDoubleForDevice(double*) { return kSuccess; }
SASSIM_CUDA Result cudaSetDoubleForHost(double*) { return kSuccess; }

// Starts a profiler, which the simulated runtime does not have.
SASSIM_CUDA Result cudaProfilerInitialize(const char*, const char*, int) { return kSuccess; }

// A texture reference is the address of its host variable.
SASSIM_CUDA Result cudaGetTextureReference(const void** reference, const void* symbol) {
  return call(__func__, [&](Session& session) {
    if (!reference) return kInvalidValue;
    if (!session.find_texture(symbol)) return kInvalidTexture;
    *reference = symbol;
    return kSuccess;
  });
}

}  // namespace sassim::cuda
