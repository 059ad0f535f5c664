// SPDX-License-Identifier: Apache-2.0
//
// The pointwise part of an LSTM: four gates per unit in half precision, with tanh and the logistic function.
#include <cuda_fp16.h>

#include "../app.h"

__host__ __device__ inline float logistic(float x) { return 1.0f / (1.0f + expf(-x)); }

__global__ void cell(const __half* gates, const __half* bias, float* state, __half* out, int units, int total) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    const int row = i / units, unit = i % units;
    const __half* g = gates + static_cast<size_t>(row) * units * 4 + unit;
    const float in = logistic(__half2float(g[0]) + __half2float(bias[unit]));
    const float forget = logistic(__half2float(g[units]) + __half2float(bias[units + unit]));
    const float what = tanhf(__half2float(g[2 * units]) + __half2float(bias[2 * units + unit]));
    const float show = logistic(__half2float(g[3 * units]) + __half2float(bias[3 * units + unit]));
    const float c = forget * state[i] + in * what;
    state[i] = c;
    out[i] = __float2half(show * tanhf(c));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int units = 512, rows = app.size(128, 2048), total = units * rows;
    const auto n = static_cast<std::size_t>(total);
    auto g = app::floats(n * 4, 11, -3, 3), b = app::floats(units * 4, 12), s = app::floats(n, 13);
    std::vector<__half> gates(n * 4), bias(units * 4);
    for (std::size_t i = 0; i < n * 4; ++i) gates[i] = __float2half(g[i]);
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = __float2half(b[i]);
    app::Buffer<__half> dg(gates), db(bias), out(n);
    app::Buffer<float> state(s);
    cell<<<app::blocks(total, 256), 256>>>(dg.get(), db.get(), state.get(), out.get(), units, total);
    bench::finish();
    std::vector<float> want(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = i / units, unit = i % units;
        auto gate = [&](std::size_t k) { return __half2float(gates[row * units * 4 + k * units + unit]) + __half2float(bias[k * units + unit]); };
        want[i] = logistic(gate(1)) * s[i] + logistic(gate(0)) * std::tanh(gate(2));
    }
    app.check(state.download(), want, 1e-4);
    return app.finish();
}
