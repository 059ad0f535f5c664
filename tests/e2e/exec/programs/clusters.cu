// SPDX-License-Identifier: Apache-2.0
// Clusters: a barrier, shared memory of other blocks by all kinds of accesses, and the place of a block in its cluster.
// Checks itself.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/// Each block reads its right neighbour's memory and adds to it; the last write of a row is the neighbour's.
__global__ void __cluster_dims__(4, 1, 1) ring(int* out) {
  __shared__ int mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
  cluster.sync();
  int* const right = cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % cluster.num_blocks());
  const int seen = right[threadIdx.x];
  cluster.sync();
  atomicAdd(right + threadIdx.x, 7);
  if (threadIdx.x % 2 == 1) right[threadIdx.x - 1] = -seen;
  cluster.sync();
  out[64 * blockIdx.x + threadIdx.x] = seen;
  out[64 * blockIdx.x + 32 + threadIdx.x] = mine[threadIdx.x];
}

__device__ unsigned special(int which) {
  unsigned value = 0;
#define READ(n, name) \
  if (which == n) asm volatile("mov.u32 %0, %%" name ";" : "=r"(value))
  READ(0, "clusterid.x");
  READ(1, "clusterid.y");
  READ(2, "nclusterid.x");
  READ(3, "nclusterid.y");
  READ(4, "cluster_ctaid.x");
  READ(5, "cluster_ctaid.y");
  READ(6, "cluster_nctaid.x");
  READ(7, "cluster_nctaid.y");
  READ(8, "cluster_ctarank");
  READ(9, "cluster_nctarank");
#undef READ
  return value;
}

__global__ void places(unsigned* out) {
  if (threadIdx.x < 10) out[10 * (blockIdx.x + gridDim.x * blockIdx.y) + threadIdx.x] = special(threadIdx.x);
}

/// Addresses of 32 bits; a block that has ended before the others arrive does not hold them up.
__global__ void narrow(int* out) {
  extern __shared__ int mine[];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = 10 * blockIdx.x;
  cluster.sync();
  if (cluster.block_rank() == 1) return;
  unsigned there;
  int value;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;"
               : "=r"(there)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(mine + threadIdx.x))));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there));
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value + 1) : "memory");
  asm volatile("red.shared::cluster.add.u32 [%0], 5;" ::"r"(there) : "memory");
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
  cluster.sync();
  out[32 * blockIdx.x + threadIdx.x] = value;
}
#else
__global__ void ring(int*) {}
__global__ void places(unsigned*) {}
__global__ void narrow(int*) {}
#endif

int check_ring() {
  constexpr int kBlocks = 8;
  int* out = nullptr;
  CU(cudaMalloc(&out, kBlocks * 64 * sizeof(int)));
  ring<<<kBlocks, 32>>>(out);
  std::vector<int> got(kBlocks * 64);
  CU(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int block = 0; block < kBlocks; ++block)
    for (int thread = 0; thread < 32; ++thread) {
      const int right = block / 4 * 4 + (block + 1) % 4;
      const int own = 100 * block + thread;
      if (got[64 * block + thread] != 100 * right + thread) return printf("FAILED ring: seen\n"), 1;
      if (got[64 * block + 32 + thread] != (thread % 2 == 1 ? own + 7 : -(own + 1)))
        return printf("FAILED ring: %d of %d has %d\n", thread, block, got[64 * block + 32 + thread]), 1;
    }
  return 0;
}

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 cluster, unsigned shared, Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x, attribute.val.clusterDim.y = cluster.y,
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = 32, config.dynamicSmemBytes = shared;
  config.attrs = &attribute, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

int check_places() {
  constexpr unsigned kAcross = 6, kDown = 4;
  unsigned* out = nullptr;
  CU(cudaMalloc(&out, kAcross * kDown * 10 * sizeof(unsigned)));
  CU(launch(places, dim3(kAcross, kDown), dim3(3, 2), 0, out));
  std::vector<unsigned> got(kAcross * kDown * 10);
  CU(cudaMemcpy(got.data(), out, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (unsigned y = 0; y < kDown; ++y)
    for (unsigned x = 0; x < kAcross; ++x) {
      const unsigned expected[] = {x / 3, y / 2, 2, 2, x % 3, y % 2, 3, 2, x % 3 + y % 2 * 3, 6};
      for (unsigned i = 0; i < 10; ++i)
        if (const unsigned value = got[10 * (x + kAcross * y) + i]; value != expected[i])
          return printf("FAILED places: value %u of block (%u,%u) is %u\n", i, x, y, value), 1;
    }
  if (launch(places, dim3(5, 2), dim3(3, 2), 0, out) != cudaErrorInvalidClusterSize ||
      launch(places, dim3(16), dim3(16), 0, out) != cudaErrorInvalidClusterSize)
    return printf("FAILED a cluster that cannot be\n"), 1;
  CU(cudaFuncSetAttribute(places, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CU(launch(places, dim3(16), dim3(16), 0, out));
  CU(cudaDeviceReset());
  if (launch(places, dim3(16), dim3(16), 0, out) != cudaErrorInvalidClusterSize)
    return printf("FAILED a reset takes the large cluster back\n"), 1;
  return 0;
}

int check_narrow() {
  int* out = nullptr;
  CU(cudaMalloc(&out, 2 * 32 * sizeof(int)));
  CU(launch(narrow, dim3(2), dim3(2), 128, out));
  std::vector<int> got(32);
  CU(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (const int value : got)
    if (value != 16) return printf("FAILED narrow: %d\n", value), 1;
  return 0;
}

int main() {
  if (check_ring() || check_places() || check_narrow()) return 1;
  printf("clusters ok\n");
}
