// SPDX-License-Identifier: Apache-2.0
//
// A step of beam search: the best 32 of each beam's words by bitonic merges across a warp, joined over warps, then the best beams of all.
#include "../app.h"

constexpr int kBeams = 8, kThreads = 256;

__device__ bool before(float a, int ia, float b, int ib) { return a > b || (a == b && ia < ib); }

// Sorts 32 pairs, one per lane, best first.
__device__ void sort32(float& value, int& index) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
            const float other = __shfl_xor_sync(0xffffffffu, value, step);
            const int io = __shfl_xor_sync(0xffffffffu, index, step);
            const bool up = (lane & size) == 0 || size == 32, low = (lane & step) == 0;
            if (before(other, io, value, index) == (up == low)) value = other, index = io;
        }
}

// The best 32 of two sorted lists of 32.
__device__ void merge(float& value, int& index, float other, int io) {
    const int lane = threadIdx.x % 32;
    other = __shfl_sync(0xffffffffu, other, 31 - lane), io = __shfl_sync(0xffffffffu, io, 31 - lane);
    if (before(other, io, value, index)) value = other, index = io;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        other = __shfl_xor_sync(0xffffffffu, value, step), io = __shfl_xor_sync(0xffffffffu, index, step);
        if (before(other, io, value, index) == ((lane & step) == 0)) value = other, index = io;
    }
}

__global__ void __launch_bounds__(kThreads) best_words(const float* logits, const float* scores, float* values, int* words, int classes) {
    __shared__ float most[kThreads / 32], sums[kThreads / 32], best[kThreads / 32][32];
    __shared__ int where[kThreads / 32][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float* row = logits + static_cast<std::size_t>(blockIdx.x) * classes;
    float value = -1e30f, top = -1e30f, sum = 0;
    int index = INT_MAX;
    for (int first = warp * 32; first < classes; first += kThreads) {
        float v = first + lane < classes ? row[first + lane] : -1e30f;
        int i = first + lane;
        const float next = fmaxf(top, v);
        sum = sum * __expf(top - next) + __expf(v - next), top = next;
        if (__any_sync(0xffffffffu, v > __shfl_sync(0xffffffffu, value, 31))) {
            sort32(v, i);
            merge(value, index, v, i);
        }
    }
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, top, step), part = __shfl_xor_sync(0xffffffffu, sum, step), next = fmaxf(top, other);
        sum = sum * __expf(top - next) + part * __expf(other - next), top = next;
    }
    best[warp][lane] = value, where[warp][lane] = index;
    if (lane == 0) most[warp] = top, sums[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    for (int w = 1; w < kThreads / 32; ++w) {
        merge(value, index, best[w][lane], where[w][lane]);
        const float next = fmaxf(top, most[w]);
        sum = sum * __expf(top - next) + sums[w] * __expf(most[w] - next), top = next;
    }
    values[blockIdx.x * 32 + lane] = scores[blockIdx.x] + value - top - logf(sum);
    words[blockIdx.x * 32 + lane] = index;
}

// A warp per sentence.
__global__ void best_beams(const float* values, const int* words, float* scores, int2* chosen) {
    const int lane = threadIdx.x, at = blockIdx.x * kBeams * 32;
    float value = values[at + lane];
    int index = lane;
    for (int beam = 1; beam < kBeams; ++beam) merge(value, index, values[at + beam * 32 + lane], beam * 32 + lane);
    if (lane < kBeams) {
        scores[blockIdx.x * kBeams + lane] = value;
        chosen[blockIdx.x * kBeams + lane] = make_int2(index / 32, words[at + index]);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int sentences = app.size(4, 24), classes = 10000, rows = sentences * kBeams;
    const auto logits = app::floats(static_cast<std::size_t>(rows) * classes, 1, -8, 8), before_scores = app::floats(rows, 2, -10, 0);
    app::Buffer<float> dl(logits), ds(before_scores), values(32 * static_cast<std::size_t>(rows)), scores(rows);
    app::Buffer<int> words(values.size());
    app::Buffer<int2> chosen(rows);
    best_words<<<rows, kThreads>>>(dl.get(), ds.get(), values.get(), words.get(), classes);
    bench::finish();
    best_beams<<<sentences, 32>>>(values.get(), words.get(), scores.get(), chosen.get());
    bench::finish();
    std::vector<float> want_scores;
    std::vector<int> want, got;
    for (int2 one : chosen.download()) got.push_back(one.x * classes + one.y);
    for (int s = 0; s < sentences; ++s) {
        std::vector<std::pair<double, int>> all;
        for (int beam = 0; beam < kBeams; ++beam) {
            const float* row = &logits[static_cast<std::size_t>(s * kBeams + beam) * classes];
            double sum = 0;
            for (int i = 0; i < classes; ++i) sum += std::exp(static_cast<double>(row[i]));
            for (int i = 0; i < classes; ++i) all.emplace_back(-(before_scores[s * kBeams + beam] + row[i] - std::log(sum)), beam * classes + i);
        }
        std::partial_sort(all.begin(), all.begin() + kBeams, all.end());
        for (int i = 0; i < kBeams; ++i) want.push_back(all[i].second), want_scores.push_back(static_cast<float>(-all[i].first));
    }
    app.check(scores.download(), want_scores, 1e-4);
    app.check(got, want, 0);
    return app.finish();
}
