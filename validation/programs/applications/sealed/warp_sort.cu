// SPDX-License-Identifier: Apache-2.0
//
// Sorting without a barrier: 32 keys of a warp by shuffles, then sorted runs of a block merged by ranks found with binary search.
#include "../app.h"

__device__ uint32_t sort_warp(uint32_t key) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 2; k <= 32; k *= 2)
#pragma unroll
        for (int j = k / 2; j > 0; j /= 2) {
            const uint32_t other = __shfl_xor_sync(0xffffffffu, key, j);
            const bool up = (lane & k) == 0, low = (lane & j) == 0;
            key = (up == low) ? min(key, other) : max(key, other);
        }
    return key;
}

__global__ void by_warps(const uint32_t* in, uint32_t* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sort_warp(in[i]);
}

// Keys are all different: a key's place is its place in its run and in every other run.
__global__ void by_ranks(const uint32_t* in, uint32_t* out) {
    __shared__ uint32_t keys[256];
    const uint32_t key = sort_warp(in[blockIdx.x * 256 + threadIdx.x]);
    keys[threadIdx.x] = key;
    __syncthreads();
    int rank = threadIdx.x % 32;
    for (int run = 0; run < 8; ++run) {
        if (run == static_cast<int>(threadIdx.x / 32)) continue;
        int low = 0, high = 32;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (keys[run * 32 + middle] < key) low = middle + 1;
            else high = middle;
        }
        rank += low;
    }
    out[blockIdx.x * 256 + rank] = key;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 17, 1 << 22);
    auto data = app::integers(n, 67, 1024);
    for (int i = 0; i < n; ++i) data[i] = data[i] << 8 | static_cast<uint32_t>(i % 256);    // different within a block
    app::Buffer<uint32_t> in(data), warps(n), ranks(n);
    by_warps<<<n / 256, 256>>>(in.get(), warps.get());
    by_ranks<<<n / 256, 256>>>(in.get(), ranks.get());
    bench::finish();
    auto first = data, second = data;
    for (int i = 0; i < n; i += 32) std::sort(first.begin() + i, first.begin() + i + 32);
    for (int i = 0; i < n; i += 256) std::sort(second.begin() + i, second.begin() + i + 256);
    app.check(warps.download(), first, 0);
    app.check(ranks.download(), second, 0);
    return app.finish();
}
