// SPDX-License-Identifier: Apache-2.0
//
// Vector quantisation: the nearest of many code words for each vector; tiles of words arrive by cp.async, three ahead (four stages).
#include "../app.h"

constexpr int kThreads = 128, kTile = 128, kStages = 4, kShare = 8;    // eight threads share a vector

__device__ void copy(float4* to, const float4* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))), "l"(from) : "memory");
}

__global__ void __launch_bounds__(kThreads) code_book(const float4* vectors, const float4* words, int* nearest, int tiles) {
    __shared__ float4 stage[kStages][kTile];
    const int t = threadIdx.x, vector = (static_cast<int>(blockIdx.x) * kThreads + t) / kShare;
    const float4 v = vectors[vector];
    auto fetch = [&](int tile) {
        if (tile < tiles) copy(&stage[tile % kStages][t], &words[tile * kTile + t]);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int tile = 0; tile < kStages - 1; ++tile) fetch(tile);
    float least = 1e30f;
    int best = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
        __syncthreads();
        fetch(tile + kStages - 1);
#pragma unroll 8
        for (int i = t % kShare; i < kTile; i += kShare) {
            const float4 w = stage[tile % kStages][i];
            const float dx = v.x - w.x, dy = v.y - w.y, dz = v.z - w.z, dw = v.w - w.w;
            const float distance = dx * dx + dy * dy + dz * dz + dw * dw;
            if (distance < least) least = distance, best = tile * kTile + i;
        }
    }
    for (int step = 1; step < kShare; step *= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, least, step);
        const int word = __shfl_xor_sync(0xffffffffu, best, step);
        if (other < least || (other == least && word < best)) least = other, best = word;
    }
    if (t % kShare == 0) nearest[vector] = best;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(4096, 8192), tiles = count / 1024 * 8;
    // Small whole numbers: distances are exact, and ties go to the first word.
    const auto make = [](int n, uint64_t seed) {
        const auto numbers = app::integers(4 * static_cast<std::size_t>(n), seed, 1000);
        std::vector<float4> out;
        for (std::size_t i = 0; i < numbers.size(); i += 4)
            out.push_back({float(numbers[i]), float(numbers[i + 1]), float(numbers[i + 2]), float(numbers[i + 3])});
        return out;
    };
    const auto vectors = make(count, 1), words = make(tiles * kTile, 2);
    app::Buffer<float4> from(vectors), book(words);
    app::Buffer<int> nearest(vectors.size());
    code_book<<<count * kShare / kThreads, kThreads>>>(from.get(), book.get(), nearest.get(), tiles);
    bench::finish();
    const auto result = nearest.download();
    std::vector<int> got, want;
    for (std::size_t i = 0; i < vectors.size(); i += 17) {
        float least = 1e30f;
        int best = 0;
        for (std::size_t w = 0; w < words.size(); ++w) {
            const float dx = vectors[i].x - words[w].x, dy = vectors[i].y - words[w].y, dz = vectors[i].z - words[w].z, dw = vectors[i].w - words[w].w;
            const float distance = dx * dx + dy * dy + dz * dz + dw * dw;
            if (distance < least) least = distance, best = static_cast<int>(w);
        }
        got.push_back(result[i]), want.push_back(best);
    }
    app.check(got, want, 0);
    return app.finish();
}
