// SPDX-License-Identifier: Apache-2.0
//
// European option prices by the Black-Scholes formula (Volkov 3.10), one option per thread: special functions and branches.
#include "../app.h"

__host__ __device__ inline float normal_cdf(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float cdf = 0.39894228f * expf(-0.5f * d * d) *
                (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - cdf : cdf;
}

__host__ __device__ inline void price(float s, float x, float t, float* call, float* put) {
    const float rate = 0.02f;
    const float volatility = 0.3f;
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float discount = expf(-rate * t);
    *call = s * normal_cdf(d1) - x * discount * normal_cdf(d2);
    *put = x * discount * (1.0f - normal_cdf(d2)) - s * (1.0f - normal_cdf(d1));
}

__global__ void black_scholes(const float* s, const float* x, const float* t, float* call, float* put, int n) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) price(s[i], x[i], t[i], &call[i], &put[i]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(1 << 18, 1 << 21);
    auto count = static_cast<std::size_t>(n);
    auto s = app::floats(count, 14, 5, 30);
    auto x = app::floats(count, 15, 1, 100);
    auto t = app::floats(count, 16, 0.25f, 10);
    app::Buffer<float> ds(s), dx(x), dt(t), call(count), put(count);
    black_scholes<<<app::blocks(n, 128), 128>>>(ds.get(), dx.get(), dt.get(), call.get(), put.get(), n);
    bench::finish();
    std::vector<float> calls(count);
    std::vector<float> puts(count);
    for (std::size_t i = 0; i < count; ++i) price(s[i], x[i], t[i], &calls[i], &puts[i]);
    app.check(call.download(), calls, 1e-4);
    app.check(put.download(), puts, 1e-4);
    return app.finish();
}
