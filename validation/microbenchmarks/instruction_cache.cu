// SPDX-License-Identifier: Apache-2.0
//
// Cycles per instruction of straight-line code of growing length: each cache level is a plateau. One kernel holds
// kChunks chunks of 2 KiB (two pipes in turn, so that one warp can issue each cycle) and leaves after `chunks` of them;
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

__device__ __forceinline__ void chunk(float (&a)[4], uint32_t (&n)[4], float b, uint32_t m) {
#pragma unroll
    for (int i = 0; i < (kInstructionsPerChunk - 2) / 2; ++i) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i % 4]) : "f"(b));
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x9a;" : "+r"(n[i % 4]) : "r"(m), "r"(n[(i + 1) % 4]));
    }
}

template <int Left>
__device__ __forceinline__ void run(float (&a)[4], uint32_t (&n)[4], float b, uint32_t m, int chunks) {
    chunk(a, n, b, m);
    if constexpr (Left > 1) {
        if (chunks <= kChunks - Left + 1) return;
        run<Left - 1>(a, n, b, m, chunks);
    }
}

__global__ void straight_line(float* data, uint64_t* cycles, int chunks, int passes) {
    float a[4];
    uint32_t n[4];
    for (int i = 0; i < 4; ++i) {
        a[i] = data[i];
        n[i] = static_cast<uint32_t>(i) + threadIdx.x;
    }
    float b = data[5];
    auto m = static_cast<uint32_t>(chunks);
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
        __syncthreads();
        uint64_t start = bench::now();
        run<kChunks>(a, n, b, m, chunks);
        uint64_t end = bench::now();
        if (threadIdx.x % 32 == 0) cycles[pass * (blockDim.x / 32) + threadIdx.x / 32] = end - start;
    }
    data[threadIdx.x] = a[0] + a[1] + a[2] + a[3] + static_cast<float>(n[0] + n[1] + n[2] + n[3]);
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
            if (warps == 1) bench::emit("icache.cold" + size, static_cast<double>(taken[0]) / instructions, "CPI");
        }
    }
    return 0;
}
