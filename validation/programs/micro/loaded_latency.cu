// SPDX-License-Identifier: Apache-2.0
//
// Latency under load (Volkov 6.4 to 6.6): every warp of the GPU chases through its own part of an array (DRAM, no reuse);
// one lane in each block times every hop. `latdist.w<warps per SM>.<mean|min|p5..max>` in cycles and
// `latdist.w<warps>.rate`, bytes per cycle that the whole GPU reads at that load. Nothing is freed before the end: a driver
// that clears freed memory does so while later kernels run.
#include "bench.h"

namespace {

constexpr int kTimed = 16;

// Element i of a block's part points to element i + 32 * warps of the block: each warp reads 256 consecutive bytes.
__global__ void lay_out(uint64_t* data, uint64_t count, uint32_t step) {
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += static_cast<uint64_t>(gridDim.x) * blockDim.x) {
        data[i] = reinterpret_cast<uint64_t>(data + (i + step < count ? i + step : i));
    }
}

__global__ void __launch_bounds__(128, 16) chase(uint64_t* data, uint64_t part, int hops, uint32_t* samples, bench::Life* lives) {
    uint64_t p = reinterpret_cast<uint64_t>(data + blockIdx.x * part + threadIdx.x);
    __shared__ uint32_t taken[kTimed];
    uint32_t sum = 0;
    uint64_t start = bench::now();
#pragma unroll 1
    for (int hop = 0; hop < hops; hop += kTimed) {
#pragma unroll
        for (int i = 0; i < kTimed; ++i) {
            uint64_t before = bench::now();
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
            // Instructions issue in order: the use of the loaded value holds the second clock read back.
            asm volatile("mad.lo.u32 %0, %0, 5, %1;" : "+r"(sum) : "r"(static_cast<uint32_t>(p)) : "memory");
            uint64_t after = bench::now();
            if (threadIdx.x == 0) taken[i] = static_cast<uint32_t>(after - before);
        }
    }
    uint64_t end = bench::now();
    if (threadIdx.x == 0) {
        for (int i = 0; i < kTimed; ++i) samples[blockIdx.x * kTimed + i] = taken[i];
        lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
    }
    if (sum == 1) samples[0] = 0;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    int sms = bench::device().multiProcessorCount;
    int hops = static_cast<int>(args.number("hops", 32, 256)) / kTimed * kTimed;
    struct Shape {
        int per_block;
        uint32_t blocks;
        uint64_t part;
        // Blocks of one warp up to four per SM, then of two warps and more, so that 32 blocks per SM suffice.
        Shape(long warps, int sms, int hops)
            : per_block(warps <= 4 ? 1 : warps % 4 == 0 ? 4 : 2),
              blocks(static_cast<uint32_t>(sms * warps / per_block)),
              part(static_cast<uint64_t>(hops + 1) * 32 * static_cast<uint64_t>(per_block)) {}
    };
    std::vector<long> loads = args.list("warps", "1,8", "1,2,4,8,12,16,20,24,32,40,48,56,64");
    uint64_t words = 1;
    uint32_t most_blocks = 1;
    for (long warps : loads) {
        Shape shape(warps, sms, hops);
        words = std::max(words, shape.part * shape.blocks);
        most_blocks = std::max(most_blocks, shape.blocks);
    }
    bench::Buffer<uint64_t> data(words);
    bench::Buffer<uint64_t> other(args.full() ? 16 << 20 : 1);
    bench::Buffer<uint32_t> samples(static_cast<std::size_t>(most_blocks) * kTimed);
    bench::Buffer<bench::Life> all(most_blocks);
    for (long warps : loads) {
        Shape shape(warps, sms, hops);
        lay_out<<<1024, 256>>>(data.get(), shape.part * shape.blocks, 32u * static_cast<uint32_t>(shape.per_block));
        bench::finish();
        if (args.full()) other.clear();  // push the chain out of the L2
        chase<<<shape.blocks, static_cast<uint32_t>(32 * shape.per_block)>>>(data.get(), shape.part, hops, samples.get(), all.get());
        bench::finish();
        std::vector<uint32_t> taken = samples.download();
        taken.resize(static_cast<std::size_t>(shape.blocks) * kTimed);
        std::vector<bench::Life> lives = all.download();
        lives.resize(shape.blocks);
        std::string id = "latdist.w" + std::to_string(warps);
        bench::emit_percentiles(id, std::vector<double>(taken.begin(), taken.end()), "cycles");
        double bytes = 256.0 * hops * shape.per_block * shape.blocks;
        bench::emit(id + ".rate", bytes / static_cast<double>(bench::span(lives)), "B/cycle");
    }
    return 0;
}
