// SPDX-License-Identifier: Apache-2.0
//
// Cycles per instruction of straight-line code of growing length: each cache level is a plateau. One kernel holds
// kChunks chunks of 2 KiB (FFMA, eight chains) and leaves after `chunks` of them;
// the second pass is timed. `icache.cpi.w<warps>.<KiB>`: warps 1 (one scheduler) or 4 (all four, the same code);
// `icache.cold.<KiB>` is the first pass of one warp.
// Each chunk ends in a compare and a branch not taken: 2 of its 128 instructions.
#include "bench.h"

namespace {

#ifndef ICACHE_CHUNKS
#define ICACHE_CHUNKS 128
#endif
constexpr int kChunks = ICACHE_CHUNKS;
constexpr int kInstructionsPerChunk = 128;

__device__ __forceinline__ void chunk(float (&a)[8], float b) {
#pragma unroll
    for (int i = 0; i < kInstructionsPerChunk - 2; ++i) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i % 8]) : "f"(b));
    }
}

template <int Left>
__device__ __forceinline__ void run(float (&a)[8], float b, int chunks) {
    chunk(a, b);
    if constexpr (Left > 1) {
        if (chunks <= kChunks - Left + 1) return;
        run<Left - 1>(a, b, chunks);
    }
}

__global__ void straight_line(float* data, uint64_t* cycles, int chunks, int passes) {
    float a[8];
    for (int i = 0; i < 8; ++i) a[i] = data[i];
    float b = data[8];
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
        __syncthreads();
        uint64_t start = bench::now();
        run<kChunks>(a, b, chunks);
        uint64_t end = bench::now();
        if (threadIdx.x % 32 == 0) cycles[pass * (blockDim.x / 32) + threadIdx.x / 32] = end - start;
    }
    data[threadIdx.x] = a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    std::vector<long> sizes = args.list("kib", "2,4,8,12,16,20,24,32,40,48,64,96,112,128,136,160,192,256",
                                        "2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,44,48,52,56,60,64,72,80,"
                                        "88,96,100,104,108,112,116,120,124,128,132,136,140,144,152,160,176,192,224,256");
    bench::Buffer<float> data(256);
    data.clear();
    for (int warps : {1, 4}) {
        std::vector<std::pair<double, double>> curve;
        for (long kib : sizes) {
            auto chunks = static_cast<int>(std::min<long>(kib / 2, kChunks));
            bench::Buffer<uint64_t> cycles(static_cast<std::size_t>(3 * warps));
            straight_line<<<1, 32 * warps>>>(data.get(), cycles.get(), chunks, 3);
            bench::finish();
            std::vector<uint64_t> taken = cycles.download();
            double instructions = static_cast<double>(chunks) * kInstructionsPerChunk;
            std::string size = "." + std::to_string(2 * chunks);
            auto last = *std::max_element(taken.end() - warps, taken.end());
            bench::emit("icache.cpi.w" + std::to_string(warps) + size, static_cast<double>(last) / instructions, "CPI");
            curve.push_back({2.0 * chunks, static_cast<double>(last) / instructions});
            if (warps == 1) bench::emit("icache.cold" + size, static_cast<double>(taken[0]) / instructions, "CPI");
        }
        if (warps != 1) continue;
        // The smallest sizes carry the cost of the loop and the clock reads: the plateau starts at the second, and a level
        // ends where the CPI is a quarter above it.
        double first = bench::plateau_end(curve, 1, 0.25);
        bench::emit("icache.l0_size", first, "KiB");
        std::size_t second = 1;
        while (second < curve.size() && curve[second].first < 2 * first) ++second;
        if (second < curve.size()) bench::emit("icache.l1_size", bench::plateau_end(curve, second, 0.3), "KiB");
    }
    return 0;
}
