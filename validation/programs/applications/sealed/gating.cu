// SPDX-License-Identifier: Apache-2.0
//
// Choosing two of 64 experts for each token: softmax of a row by a warp, the two largest, and how many tokens each expert gets.
#include "../app.h"

constexpr int kExperts = 64;

__global__ void choose(const float* logits, int* experts, float* shares, unsigned* load, int tokens) {
    __shared__ unsigned counts[kExperts];
    if (threadIdx.x < kExperts) counts[threadIdx.x] = 0;
    __syncthreads();
    const int token = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (token < tokens) {
        const float a = logits[token * kExperts + lane], b = logits[token * kExperts + lane + 32];
        float most = fmaxf(a, b);
        for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
        float sum = __expf(a - most) + __expf(b - most);
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
        float x = a, y = b;
        for (int k = 0; k < 2; ++k) {
            float best = fmaxf(x, y);
            int which = x >= y ? lane : lane + 32;
            for (int d = 16; d > 0; d /= 2) {
                const float other = __shfl_xor_sync(0xffffffffu, best, d);
                const int index = __shfl_xor_sync(0xffffffffu, which, d);
                if (other > best || (other == best && index < which)) best = other, which = index;
            }
            if (which == lane) x = -1e30f;
            if (which == lane + 32) y = -1e30f;
            if (lane == 0) {
                experts[2 * token + k] = which;
                shares[2 * token + k] = __expf(best - most) / sum;
                atomicAdd(&counts[which], 1u);
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < kExperts && counts[threadIdx.x] != 0) atomicAdd(&load[threadIdx.x], counts[threadIdx.x]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int tokens = app.size(8192, 262144);
    const auto data = app::floats(static_cast<std::size_t>(tokens) * kExperts, 79, -4, 4);
    app::Buffer<float> logits(data), shares(2 * static_cast<std::size_t>(tokens));
    app::Buffer<int> experts(2 * static_cast<std::size_t>(tokens));
    app::Buffer<unsigned> load(kExperts);
    load.clear();
    choose<<<app::blocks(tokens, 8), 256>>>(logits.get(), experts.get(), shares.get(), load.get(), tokens);
    bench::finish();
    std::vector<int> which(2 * static_cast<std::size_t>(tokens));
    std::vector<float> parts(which.size());
    std::vector<unsigned> counts(kExperts);
    for (int t = 0; t < tokens; ++t) {
        std::vector<std::pair<float, int>> row(kExperts);
        double sum = 0;
        for (int e = 0; e < kExperts; ++e) row[e] = {-data[static_cast<std::size_t>(t) * kExperts + e], e};
        std::partial_sort(row.begin(), row.begin() + 2, row.end());
        for (const auto& [value, e] : row) sum += std::exp(double(row[0].first) - value);
        for (int k = 0; k < 2; ++k) {
            which[2 * static_cast<std::size_t>(t) + k] = row[k].second;
            parts[2 * static_cast<std::size_t>(t) + k] = static_cast<float>(std::exp(double(row[0].first) - row[k].first) / sum);
            ++counts[row[k].second];
        }
    }
    app.check(experts.download(), which, 0);
    app.check(shares.download(), parts, 1e-4);
    app.check(load.download(), counts, 0);
    return app.finish();
}
