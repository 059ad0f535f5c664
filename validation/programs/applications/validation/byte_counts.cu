// SPDX-License-Identifier: Apache-2.0
//
// A histogram of bytes: tiles arrive by cooperative_groups::memcpy_async, one ahead (two stages); each warp counts in shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

#include "../app.h"

namespace cg = cooperative_groups;
constexpr int kThreads = 128, kBins = 256, kTile = 16 * kThreads, kStages = 2, kBlocks = 264;

__global__ void __launch_bounds__(kThreads) byte_counts(const uint4* data, uint32_t* counts, int tiles) {
    __shared__ __align__(16) uint4 stage[kStages][kThreads];
    __shared__ uint32_t bins[kThreads / 32][kBins];
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    const uint4* from = data + static_cast<std::size_t>(blockIdx.x) * tiles * kThreads;
    for (int i = t; i < kThreads / 32 * kBins; i += kThreads) (&bins[0][0])[i] = 0;
    cg::memcpy_async(block, stage[0], from, cuda::aligned_size_t<16>(kTile));
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) {
            cg::memcpy_async(block, stage[(tile + 1) % kStages], from + (tile + 1) * kThreads, cuda::aligned_size_t<16>(kTile));
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        const uint4 v = stage[tile % kStages][t];
        for (const uint32_t word : {v.x, v.y, v.z, v.w})
#pragma unroll
            for (int shift = 0; shift < 32; shift += 8) atomicAdd(&bins[t / 32][word >> shift & 255], 1u);
        block.sync();
    }
    for (int i = t; i < kBins; i += kThreads) {
        uint32_t sum = 0;
        for (int w = 0; w < kThreads / 32; ++w) sum += bins[w][i];
        counts[blockIdx.x * kBins + i] = sum;
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int tiles = app.size(16, 96);
    const auto words = app::integers(static_cast<std::size_t>(kBlocks) * tiles * kTile / 4, 1, ~0u);
    std::vector<uint4> data;
    for (std::size_t i = 0; i < words.size(); i += 4) data.push_back({words[i], words[i + 1], words[i + 2], words[i + 3]});
    app::Buffer<uint4> from(data);
    app::Buffer<uint32_t> counts(std::size_t{kBlocks} * kBins);
    byte_counts<<<kBlocks, kThreads>>>(from.get(), counts.get(), tiles);
    bench::finish();
    const auto result = counts.download();
    std::vector<uint32_t> got(kBins), want(kBins);
    for (std::size_t i = 0; i < result.size(); ++i) got[i % kBins] += result[i];
    for (const uint32_t word : words)
        for (int shift = 0; shift < 32; shift += 8) ++want[word >> shift & 255];
    app.check(got, want, 0);
    return app.finish();
}
