// SPDX-License-Identifier: Apache-2.0
//
// Fills the L2 before a program starts: LD_PRELOAD=fill_l2.so PROGRAM. Afterwards the L2 holds lines of the memory that is read
// here, and no line waits to be written to DRAM, so that what a profile with kept caches counts no longer depends on
// other programs (validation/measured/h200/copies.md#copies-in-l2). The memory is not freed: the program would get its addresses, and hit in these lines.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

__global__ void sassim_fill_l2(const uint4* data, size_t count, unsigned* never) {
    unsigned all = 0;
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) {
        uint4 value = __ldcg(data + i);
        all |= value.x | value.y | value.z | value.w;
    }
    if (all != 0) *never = all;
}

namespace {

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "fill_l2: the L2 was not filled: %s\n", cudaGetErrorString(error));
    std::_Exit(3);
}

struct Filled {
    Filled() {
        constexpr size_t kBytes = size_t{256} << 20;  // four times the L2 of an H200
        uint4* data = nullptr;
        check(cudaMalloc(&data, kBytes));
        check(cudaMemset(data, 0, kBytes));
        for (int i = 0; i < 2; ++i) sassim_fill_l2<<<264, 1024>>>(data, kBytes / sizeof(uint4), &data->x);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
};

// This runs after the constructor by which nvcc makes the kernel known; check() would notice if not.
[[maybe_unused]] const Filled filled;

}  // namespace
