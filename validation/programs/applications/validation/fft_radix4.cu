// SPDX-License-Identifier: Apache-2.0
//
// A complex Fourier transform of 4^k points in global memory, a launch per radix-4 pass (Stockham).
#include "../app.h"

__global__ void pass(const float2* in, float2* out, int n, int span) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, quarter = n / 4, k = i % span;
    float2 v[4];
    float s, c;
    for (int j = 0; j < 4; ++j) {
        const float2 a = in[i + j * quarter];
        __sincosf(-6.2831853f * static_cast<float>(j * k) / static_cast<float>(4 * span), &s, &c);
        v[j] = make_float2(a.x * c - a.y * s, a.x * s + a.y * c);
    }
    const float2 p = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), m = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    const float2 q = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), r = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    const int to = (i - k) * 4 + k;
    out[to] = make_float2(p.x + q.x, p.y + q.y);
    out[to + span] = make_float2(m.x + r.x, m.y + r.y);
    out[to + 2 * span] = make_float2(p.x - q.x, p.y - q.y);
    out[to + 3 * span] = make_float2(m.x - r.x, m.y - r.y);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 16, 1 << 20);
    const auto count = static_cast<std::size_t>(n);
    auto data = app::floats(count * 2, 20);
    app::Buffer<float> a(data), b(count * 2);
    float2* from = reinterpret_cast<float2*>(a.get());
    float2* to = reinterpret_cast<float2*>(b.get());
    for (int span = 1; span < n; span *= 4, std::swap(from, to)) pass<<<static_cast<unsigned>(n / 4 / 256), 256>>>(from, to, n, span);
    bench::finish();
    std::vector<float> got(count * 2);
    CUDA_OK(cudaMemcpy(got.data(), from, count * 8, cudaMemcpyDeviceToHost));
    std::vector<float> some, want;
    for (std::size_t f = 1; f < count; f += count / 16 + 1) {
        double re = 0, im = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double w = -6.283185307179586 * static_cast<double>(f * i % count) / static_cast<double>(n);
            re += data[2 * i] * std::cos(w) - data[2 * i + 1] * std::sin(w);
            im += data[2 * i] * std::sin(w) + data[2 * i + 1] * std::cos(w);
        }
        some.push_back(got[2 * f]), some.push_back(got[2 * f + 1]);
        want.push_back(static_cast<float>(re)), want.push_back(static_cast<float>(im));
    }
    app.check(some, want, 0.05);
    return app.finish();
}
