// SPDX-License-Identifier: Apache-2.0
//
// How long an SM takes for loads whose lanes touch several lines: load_lines_h200.txt in validation/measured/outputs.tar.xz. Warps of a mask load, the others
// wait at the barrier. First scan: misses of the L1, whose lines are in the L2; second scan: hits. `bank`: all words are in one bank of the
// data array, `banks`: in all. `four` loads are independent, or each waits for the one before (`chain`). Cycles for each load of the SM.
//   nvcc -arch=sm_90 -O2 -o load_lines load_lines.cu && ./load_lines
#include <algorithm>
#include <cstdio>

#include <cuda_runtime.h>

namespace {

constexpr int kLoads = 32;

template <bool Chain>
__global__ void scan(const unsigned* in, unsigned* out, long long* times, unsigned mask, int lanes_per_line, int row) {
    const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) / 32;
    const unsigned* at = in + static_cast<size_t>((warp * 32 + lane) / lanes_per_line) * row + lane % lanes_per_line;
    unsigned sum = 0;
    for (int k = 0; k < 2; ++k) {
        __syncthreads();
        const long long begin = clock64();
        if (mask >> warp & 1) {
            if (Chain) {
                for (int x = 0; x < kLoads; ++x) sum += at[x * lanes_per_line + (sum & 1)];
            } else {
#pragma unroll 4
                for (int x = 0; x < kLoads; ++x) sum += at[x * lanes_per_line];
            }
        }
        __syncthreads();
        const long long end = clock64();
        if (threadIdx.x == 0) times[k] = end - begin;
    }
    out[threadIdx.x] = sum;
}

struct Warps {
    const char* name;
    unsigned mask;
};

}  // namespace

int main() {
    constexpr Warps kWarps[] = {{"1", 1},           {"2.block", 0x11}, {"2.blocks", 3}, {"4.block", 0x1111},
                                {"4.blocks", 0xf}, {"8", 0xff},       {"16", 0xffff}};
    constexpr size_t kWords = 1057 * 1024;
    unsigned *in, *out;
    long long* times;
    cudaMalloc(&in, kWords * 4);
    cudaMalloc(&out, 4096);
    cudaMallocManaged(&times, 64);
    cudaMemset(in, 0, kWords * 4);
    for (const Warps& warps : kWarps)
        for (int lanes : {1, 2, 4, 8, 32})
            for (int row : {1056, 1057})
                for (bool chain : {false, true}) {
                    if (row == 1057 && lanes > 2) continue;
                    double best[2] = {1e30, 1e30};
                    for (int run = 0; run < 3; ++run) {
                        if (chain) scan<true><<<1, 512>>>(in, out, times, warps.mask, lanes, row);
                        else scan<false><<<1, 512>>>(in, out, times, warps.mask, lanes, row);
                        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
                        for (int k = 0; k < 2; ++k)
                            best[k] = std::min(best[k], static_cast<double>(times[k]) / (kLoads * __builtin_popcount(warps.mask)));
                    }
                    std::printf("lines w%s n%d %s %s miss %.1f hit %.1f\n", warps.name, 32 / lanes, row == 1056 ? "bank" : "banks",
                                chain ? "chain" : "four", best[0], best[1]);
                }
}
