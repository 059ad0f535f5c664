// SPDX-License-Identifier: Apache-2.0
//
// Inclusive prefix sum of integers in three launches: scan blocks, scan the block sums, add them.
#include "../app.h"

constexpr int kThreads = 512;

__device__ uint32_t block_scan(uint32_t value, uint32_t* room) {
    room[threadIdx.x] = value;
    __syncthreads();
    for (unsigned offset = 1; offset < kThreads; offset *= 2) {
        uint32_t other = threadIdx.x >= offset ? room[threadIdx.x - offset] : 0;
        __syncthreads();
        room[threadIdx.x] += other;
        __syncthreads();
    }
    return room[threadIdx.x];
}

__global__ void scan_blocks(const uint32_t* in, uint32_t* out, uint32_t* sums, int n) {
    __shared__ uint32_t room[kThreads];
    int i = static_cast<int>(threadIdx.x + blockIdx.x * kThreads);
    uint32_t value = block_scan(i < n ? in[i] : 0, room);
    if (i < n) out[i] = value;
    if (threadIdx.x == kThreads - 1) sums[blockIdx.x] = value;
}

__global__ void scan_sums(uint32_t* sums, int n) {
    __shared__ uint32_t room[kThreads];
    uint32_t before = 0;
    for (int base = 0; base < n; base += kThreads) {
        int i = base + static_cast<int>(threadIdx.x);
        uint32_t value = before + block_scan(i < n ? sums[i] : 0, room);
        before += room[kThreads - 1];
        __syncthreads();
        if (i < n) sums[i] = value;
    }
}

__global__ void add_sums(uint32_t* out, const uint32_t* sums, int n) {
    int i = static_cast<int>(threadIdx.x + blockIdx.x * kThreads);
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(1 << 18, 1 << 21);
    auto data = app::integers(static_cast<std::size_t>(n), 4, 100);
    unsigned blocks = app::blocks(n, kThreads);
    app::Buffer<uint32_t> in(data), out(data.size()), sums(blocks);
    scan_blocks<<<blocks, kThreads>>>(in.get(), out.get(), sums.get(), n);
    scan_sums<<<1, kThreads>>>(sums.get(), static_cast<int>(blocks));
    add_sums<<<blocks, kThreads>>>(out.get(), sums.get(), n);
    bench::finish();
    for (std::size_t i = 1; i < data.size(); ++i) data[i] += data[i - 1];
    app.check(out.download(), data, 0);
    return app.finish();
}
