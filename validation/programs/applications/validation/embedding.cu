// SPDX-License-Identifier: Apache-2.0
//
// Embedding: rows of a table for tokens, with positions added, and its gradient by atomic additions of pairs of halves; some words are frequent.
#include <cuda_fp16.h>

#include "../app.h"

constexpr int kWide = 256;

__global__ void look_up(const uint4* table, const uint4* positions, const int* tokens, uint4* out, int length) {
    const int row = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
    const uint4 a = __ldg(&table[static_cast<std::size_t>(tokens[row]) * (kWide / 8) + threadIdx.x]);
    const uint4 b = __ldg(&positions[row % length * (kWide / 8) + threadIdx.x]);
    uint4 sum;
    for (int i = 0; i < 4; ++i)
        reinterpret_cast<__half2*>(&sum)[i] = __hadd2(reinterpret_cast<const __half2*>(&a)[i], reinterpret_cast<const __half2*>(&b)[i]);
    out[static_cast<std::size_t>(row) * (kWide / 8) + threadIdx.x] = sum;
}

__global__ void gradient_pairs(const __half2* gradient, const int* tokens, __half2* table) {
    const std::size_t from = static_cast<std::size_t>(blockIdx.x) * (kWide / 2) + threadIdx.x;
    atomicAdd(&table[static_cast<std::size_t>(tokens[blockIdx.x]) * (kWide / 2) + threadIdx.x], gradient[from]);
}

__global__ void gradient_floats(const __half2* gradient, const int* tokens, float* table, int count) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count * (kWide / 2); i += static_cast<int>(gridDim.x * blockDim.x)) {
        const float2 value = __half22float2(gradient[i]);
        float* to = &table[static_cast<std::size_t>(tokens[i / (kWide / 2)]) * kWide + i % (kWide / 2) * 2];
        atomicAdd(to, value.x);
        atomicAdd(to + 1, value.y);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(1024, 8192), words = 4000, length = 256;
    const auto wide = static_cast<std::size_t>(kWide);
    std::vector<int> tokens;
    for (uint32_t word : app::integers(count, 1, words)) tokens.push_back(static_cast<int>(static_cast<uint64_t>(word) * word / words * word / words));
    auto halves = [](std::size_t size, uint64_t seed) {
        std::vector<__half> to;
        for (uint32_t value : app::integers(size, seed, 5)) to.push_back(__float2half(static_cast<float>(value) - 2));
        return to;
    };
    const auto table = halves(words * wide, 2), positions = halves(length * wide, 3), gradient = halves(count * wide, 4);
    app::Buffer<__half> dtable(table), dpositions(positions), dgradient(gradient), out(count * wide), pairs(words * wide);
    app::Buffer<int> dtokens(tokens);
    app::Buffer<float> floats(words * wide);
    pairs.clear(), floats.clear();
    look_up<<<count / 8, dim3(kWide / 8, 8)>>>(reinterpret_cast<uint4*>(dtable.get()), reinterpret_cast<uint4*>(dpositions.get()), dtokens.get(),
                                               reinterpret_cast<uint4*>(out.get()), length);
    bench::finish();
    gradient_pairs<<<count, kWide / 2>>>(reinterpret_cast<__half2*>(dgradient.get()), dtokens.get(), reinterpret_cast<__half2*>(pairs.get()));
    bench::finish();
    gradient_floats<<<264, 256>>>(reinterpret_cast<__half2*>(dgradient.get()), dtokens.get(), floats.get(), count);
    bench::finish();
    std::vector<float> got, want;
    const auto result = out.download(), sums = pairs.download();
    for (std::size_t i = 0; i < result.size(); i += 3) {
        got.push_back(__half2float(result[i]));
        want.push_back(__half2float(table[tokens[i / wide] * wide + i % wide]) + __half2float(positions[i / wide % length * wide + i % wide]));
    }
    app.check(got, want, 0);
    std::vector<float> wanted(words * wide), have;
    for (std::size_t i = 0; i < gradient.size(); ++i) wanted[tokens[i / wide] * wide + i % wide] += __half2float(gradient[i]);
    for (const __half& sum : sums) have.push_back(__half2float(sum));
    app.check(have, wanted, 0);
    app.check(floats.download(), wanted, 0);
    return app.finish();
}
