// SPDX-License-Identifier: Apache-2.0
//
// `barrier.w<warps>`: cycles per __syncthreads of a block that does nothing else; `fence.<cta|gpu|sys>`: a memory fence
// after one store; `launch.empty`: nanoseconds per empty launch in a row of launches, by events.
#include "bandwidth.h"

namespace {

constexpr int kCount = 64;

__global__ void barriers(bench::Life* lives) {
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        __syncthreads();
        start = bench::now();
#pragma unroll
        for (int i = 0; i < kCount; ++i) asm volatile("bar.sync 0;" ::: "memory");
        end = bench::now();
    }
    if (threadIdx.x == 0) lives[0] = {start, end, 0, 0};
}

template <int Scope>
__global__ void fences(uint32_t* data, bench::Life* lives) {
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(data), "r"(i) : "memory");
            if (Scope == 0) __threadfence_block();
            if (Scope == 1) __threadfence();
            if (Scope == 2) __threadfence_system();
        }
        end = bench::now();
    }
    lives[0] = {start, end, 0, 0};
}

__global__ void empty() {}

double cycles(const bench::Buffer<bench::Life>& lives) {
    bench::finish();
    bench::Life life = lives.download()[0];
    return static_cast<double>(life.end - life.start);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    bench::Buffer<bench::Life> lives(1);
    for (long warps : {1, 2, 4, 8, 16, 32}) {
        barriers<<<1, static_cast<uint32_t>(32 * warps)>>>(lives.get());
        bench::emit("barrier.w" + std::to_string(warps), cycles(lives) / kCount, "cycles");
    }
    bench::Buffer<uint32_t> data(1);
    fences<0><<<1, 1>>>(data.get(), lives.get());
    bench::emit("fence.cta", cycles(lives) / 16, "cycles");
    fences<1><<<1, 1>>>(data.get(), lives.get());
    bench::emit("fence.gpu", cycles(lives) / 16, "cycles");
    fences<2><<<1, 1>>>(data.get(), lives.get());
    bench::emit("fence.sys", cycles(lives) / 16, "cycles");
    empty<<<1, 32>>>();
    bench::finish();
    int launches = static_cast<int>(args.number("launches", 4, 1000));
    double taken = bandwidth::milliseconds([&] {
        for (int i = 0; i < launches; ++i) empty<<<1, 32>>>();
    });
    bench::emit("launch.empty", taken * 1e6 / launches, "ns");
    // Volkov 3.7: the latency to replace a block, from a launch of very many empty ones.
    auto blocks = static_cast<unsigned>(args.number("blocks", 1024, 1 << 20));
    int clock = bench::clock_khz();
    for (unsigned warps : {1u, 4u, 16u, 32u}) {
        double best = 1e30;
        for (int round = 0; round < 2; ++round) {
            best = std::min(best, bandwidth::milliseconds([&] { empty<<<blocks, 32 * warps>>>(); }));
        }
        double cycles_per_block = best * clock / blocks;
        bench::emit("block.empty.w" + std::to_string(warps), cycles_per_block, "cycles/block, whole GPU");
    }
    return 0;
}
