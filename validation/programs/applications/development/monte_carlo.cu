// SPDX-License-Identifier: Apache-2.0
//
// Pi by throwing points with an integer generator per thread: integer multiply, FP64 at the end, one atomic per block.
#include "../app.h"

__host__ __device__ inline uint32_t next(uint32_t& state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state * 1664525u + 1013904223u;
}

__host__ __device__ inline uint32_t hits(uint32_t id, int throws_per_thread) {
    uint32_t state = id * 2654435761u + 12345u;
    uint32_t inside = 0;
    for (int i = 0; i < throws_per_thread; ++i) {
        uint32_t x = next(state) >> 16;
        uint32_t y = next(state) >> 16;
        if (x * x / 2 + y * y / 2 < 0x7fff0001u) ++inside;
    }
    return inside;
}

__global__ void monte_carlo(double* sum, int throws_per_thread) {
    __shared__ double partial[8];
    double mine = hits(blockIdx.x * blockDim.x + threadIdx.x, throws_per_thread);
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffffu, mine, offset);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; ++i) mine += partial[i];
        atomicAdd(sum, mine);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int throws_per_thread = app.size(32, 256);
    unsigned blocks = 264;
    app::Buffer<double> sum(1);
    sum.clear();
    monte_carlo<<<blocks, 256>>>(sum.get(), throws_per_thread);
    bench::finish();
    double want = 0;
    for (uint32_t id = 0; id < blocks * 256; ++id) want += hits(id, throws_per_thread);
    app.check(sum.download(), {want}, 0);
    return app.finish();
}
