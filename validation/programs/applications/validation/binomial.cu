// SPDX-License-Identifier: Apache-2.0
//
// Options on a binomial tree (as CUDA's binomialOptions): a block for each option, the leaves spread over its threads in
// registers, which shrink in step with one value handed over through shared memory and two barriers a step.
#include "../app.h"

constexpr int kThreads = 128, kEach = 4, kSteps = kThreads * kEach;

struct Option {
    float price, strike, step, up, down;  // step: volatility * sqrt(dt); up and down: discounted probabilities.
};

__host__ __device__ inline float leaf(const Option& o, int i) {
    const float value = o.price * expf(o.step * static_cast<float>(2 * i - kSteps)) - o.strike;
    return value > 0 ? value : 0;
}

__global__ void __launch_bounds__(kThreads) binomial(const Option* options, float* out) {
    __shared__ float handed[kThreads + 1];
    const Option o = options[blockIdx.x];
    const int t = threadIdx.x;
    float value[kEach + 1];
    for (int k = 0; k < kEach; ++k) value[k] = leaf(o, t * kEach + k);
    if (t == 0) handed[kThreads] = leaf(o, kSteps);
    int last = kSteps;
    for (; last > 0; last -= kEach) {
        for (int s = 0; s < kEach; ++s) {
            __syncthreads();
            handed[t] = value[0];
            __syncthreads();
            value[kEach] = handed[t + 1];
            if (t * kEach < last)
#pragma unroll
                for (int k = 0; k < kEach; ++k) value[k] = o.up * value[k + 1] + o.down * value[k];
        }
    }
    if (t == 0) out[blockIdx.x] = value[0];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(32, 264);
    const auto n = static_cast<std::size_t>(count);
    auto random = app::floats(3 * n, 121, 0.0f, 1.0f);
    std::vector<Option> options(n);
    for (std::size_t i = 0; i < n; ++i) {
        const float years = 0.25f + 2.0f * random[3 * i], dt = years / kSteps, rate = 0.06f, volatility = 0.1f;
        Option& o = options[i];
        o.price = 5.0f + 25.0f * random[3 * i + 1], o.strike = 5.0f + 25.0f * random[3 * i + 2];
        o.step = volatility * std::sqrt(dt);
        const float grow = std::exp(rate * dt), u = std::exp(o.step), d = 1.0f / u, p = (grow - d) / (u - d);
        o.up = p / grow, o.down = (1.0f - p) / grow;
    }
    app::Buffer<Option> in(options);
    app::Buffer<float> out(n);
    binomial<<<static_cast<unsigned>(count), kThreads>>>(in.get(), out.get());
    bench::finish();
    std::vector<float> want(n);
    for (std::size_t i = 0; i < n; ++i) {
        // The last value is handed over unchanged, also on the way down, as in the kernel; it does not reach the root.
        std::vector<double> value(kSteps + 1);
        for (int k = 0; k <= kSteps; ++k) value[static_cast<std::size_t>(k)] = leaf(options[i], k);
        for (std::size_t last = kSteps; last > 0; --last)
            for (std::size_t k = 0; k < last; ++k) value[k] = options[i].up * value[k + 1] + options[i].down * value[k];
        want[i] = static_cast<float>(value[0]);
    }
    app.check(out.download(), want, 1e-3);
    return app.finish();
}
