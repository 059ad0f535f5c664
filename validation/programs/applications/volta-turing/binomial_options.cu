// SPDX-License-Identifier: Apache-2.0
//
// Values of options by a lattice of 2048 steps: a block of 128 threads for each option, 16 nodes for each thread in
// registers; each step takes the first node of the right neighbour through shared memory, between two barriers.
#include <cmath>

#include "row.h"

constexpr int kSteps = 2048, kThreads = 128, kNodes = kSteps / kThreads, kOptions = 1024;
struct Terms {
    float price, strike, step, up, down;  // up and down: discounted probabilities
};
__constant__ Terms option_terms[kOptions];

__device__ float at_expiry(const Terms& terms, int node) {
    const float value = terms.price * __expf(terms.step * (2.0f * static_cast<float>(node) - kSteps)) - terms.strike;
    return value > 0.0f ? value : 0.0f;
}

__global__ void binomial_options(float* values) {
    __shared__ float first_nodes[kThreads + 1];
    const Terms terms = option_terms[blockIdx.x];
    const int thread = static_cast<int>(threadIdx.x);
    float node[kNodes + 1];
#pragma unroll
    for (int i = 0; i < kNodes; ++i) node[i] = at_expiry(terms, thread * kNodes + i);
    if (thread == 0) first_nodes[kThreads] = at_expiry(terms, kSteps);
    const int last_step = max(0, thread * kNodes - 1);
#pragma unroll 16
    for (int step = kSteps; step > 0; --step) {
        first_nodes[thread] = node[0];
        row::sync();
        node[kNodes] = first_nodes[thread + 1];
        row::sync();
        if (step > last_step) {
#pragma unroll
            for (int i = 0; i < kNodes; ++i) node[i] = terms.up * node[i + 1] + terms.down * node[i];
        }
    }
    if (thread == 0) values[blockIdx.x] = node[0];
}

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "binomial_options", kOptions);
    if (options.n < 1 || options.n > kOptions) {
        std::fprintf(stderr, "n=%d: expected 1 to %d\n", options.n, kOptions);
        return 2;
    }
    const auto count = static_cast<std::size_t>(options.n);
    auto prices = app::floats(count, 8, 5, 30), strikes = app::floats(count, 9, 1, 100), years = app::floats(count, 10, 0.25f, 10);
    std::vector<Terms> terms(count);
    std::vector<float> want(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double rate = 0.06, volatility = 0.1, dt = years[i] / kSteps, step = volatility * std::sqrt(dt);
        const double up = std::exp(step), p = (std::exp(rate * dt) - 1 / up) / (up - 1 / up), discount = std::exp(-rate * dt);
        terms[i] = {prices[i], strikes[i], static_cast<float>(step), static_cast<float>(p * discount),
                    static_cast<float>((1 - p) * discount)};
        if (i % 128 != 0) continue;  // a lattice takes the CPU some milliseconds
        std::vector<double> node(kSteps + 1);
        for (int k = 0; k <= kSteps; ++k)
            node[static_cast<std::size_t>(k)] = std::max(0.0, prices[i] * std::exp(step * (2.0 * k - kSteps)) - strikes[i]);
        for (std::size_t left = kSteps; left > 0; --left)
            for (std::size_t k = 0; k < left; ++k) node[k] = discount * (p * node[k + 1] + (1 - p) * node[k]);
        want[i] = static_cast<float>(node[0]);
    }
    CUDA_OK(cudaMemcpyToSymbol(option_terms, terms.data(), count * sizeof(Terms)));
    row::Buffer<float> out(count);
    binomial_options<<<static_cast<unsigned>(count), kThreads>>>(out.get());
    bench::finish();
    auto got = out.download();
    for (std::size_t i = 0; i < count; ++i)
        if (i % 128 != 0) want[i] = got[i] >= 0 && got[i] < prices[i] + 1 ? got[i] : -1;  // within what an option can be worth
    app.check(got, want, 2e-3);
    return app.finish();
}
