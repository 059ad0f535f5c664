// SPDX-License-Identifier: Apache-2.0
//
// Run-length encoding: marks where runs begin, gives each its number by scans of blocks and of their sums, writes value and start.
#include "../app.h"

constexpr int kBlock = 512;

__device__ int scan_block(int value, int* part) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, value, d);
        if (lane >= d) value += other;
    }
    if (lane == 31) part[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = lane < kBlock / 32 ? part[lane] : 0;
        for (int d = 1; d < kBlock / 32; d *= 2) {
            const int other = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += other;
        }
        if (lane < kBlock / 32) part[lane] = sum;
    }
    __syncthreads();
    return value + (warp > 0 ? part[warp - 1] : 0);
}

__global__ void mark(const uint8_t* in, int* rank, int* sums) {
    __shared__ int part[kBlock / 32];
    const int i = blockIdx.x * kBlock + threadIdx.x;
    const int begins = i == 0 || in[i] != in[i - 1];
    const int here = scan_block(begins, part);
    rank[i] = begins ? here : 0;
    if (threadIdx.x == kBlock - 1) sums[blockIdx.x] = here;
}

__global__ void add_up(int* sums, int count) {
    __shared__ int part[kBlock / 32];
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int base = 0; base < count; base += kBlock) {
        const int i = base + threadIdx.x, before = total;
        const int all = scan_block(i < count ? sums[i] : 0, part);
        __syncthreads();
        if (i < count) sums[i] = before + all;
        if (threadIdx.x == kBlock - 1) total = before + all;
        __syncthreads();
    }
}

__global__ void write(const uint8_t* in, const int* rank, const int* sums, uint8_t* values, int* starts) {
    const int i = blockIdx.x * kBlock + threadIdx.x;
    if (rank[i] == 0) return;
    const int at = rank[i] - 1 + (blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0);
    values[at] = in[i];
    starts[at] = i;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 17, 1 << 22), blocks = n / kBlock;
    const auto noise = app::integers(n, 41, 5);
    std::vector<uint8_t> data(n);
    for (int i = 1; i < n; ++i) data[i] = noise[i] == 0 ? static_cast<uint8_t>(data[i - 1] + 1) : data[i - 1];
    app::Buffer<uint8_t> in(data), values(n);
    app::Buffer<int> rank(n), sums(blocks), starts(n);
    values.clear();
    starts.clear();
    mark<<<blocks, kBlock>>>(in.get(), rank.get(), sums.get());
    add_up<<<1, kBlock>>>(sums.get(), blocks);
    write<<<blocks, kBlock>>>(in.get(), rank.get(), sums.get(), values.get(), starts.get());
    bench::finish();
    std::vector<uint8_t> want(n);
    std::vector<int> from(n);
    int runs = 0;
    for (int i = 0; i < n; ++i)
        if (i == 0 || data[i] != data[i - 1]) want[runs] = data[i], from[runs++] = i;
    app.check(values.download(), want, 0);
    app.check(starts.download(), from, 0);
    return app.finish();
}
