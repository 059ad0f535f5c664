// SPDX-License-Identifier: Apache-2.0
//
// Half precision in pairs: y = a*x + y, then a bias and the GELU of a layer's output.
#include "../app.h"

#include <cuda_fp16.h>

__global__ void half_axpy(const __half2* x, __half2* y, __half2 a, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void bias_gelu(__half2* y, const __half2* bias, int row, int count) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const float2 v = __half22float2(__hadd2(y[i], bias[i % row]));
        const float a = 0.5f * v.x * (1.0f + tanhf(0.79788456f * (v.x + 0.044715f * v.x * v.x * v.x)));
        const float b = 0.5f * v.y * (1.0f + tanhf(0.79788456f * (v.y + 0.044715f * v.y * v.y * v.y)));
        y[i] = __floats2half2_rn(a, b);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(1 << 17, 1 << 21), row = 384;
    auto fx = app::floats(2 * static_cast<std::size_t>(count), 1), fy = app::floats(fx.size(), 2), fb = app::floats(2 * row, 3);
    auto pairs = [](const std::vector<float>& from) {
        std::vector<__half2> to(from.size() / 2);
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = __floats2half2_rn(from[2 * i], from[2 * i + 1]);
        return to;
    };
    app::Buffer<__half2> x(pairs(fx)), y(pairs(fy)), bias(pairs(fb));
    half_axpy<<<app::blocks(count, 256), 256>>>(x.get(), y.get(), __float2half2_rn(0.75f), count);
    bench::finish();
    bias_gelu<<<std::min(app::blocks(count, 256), 528u), 256>>>(y.get(), bias.get(), row, count);
    bench::finish();
    std::vector<float> got, want;
    const auto result = y.download();
    for (int i = 0; i < count; ++i) got.push_back(__low2float(result[i])), got.push_back(__high2float(result[i]));
    for (int i = 0; i < 2 * count; ++i) {
        const float v = 0.75f * fx[i] + fy[i] + fb[i % (2 * row)];
        want.push_back(0.5f * v * (1.0f + std::tanh(0.79788456f * (v + 0.044715f * v * v * v))));
    }
    app.check(got, want, 6e-3);
    return app.finish();
}
