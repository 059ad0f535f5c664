// SPDX-License-Identifier: Apache-2.0
//
// y = alpha x + y with 16-byte accesses in a grid-stride loop.
#include "../app.h"

__global__ void saxpy(float alpha, const float4* x, float4* y, int n) {
    int step = static_cast<int>(gridDim.x * blockDim.x);
    for (int i = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x); i < n; i += step) {
        float4 u = x[i];
        float4 v = y[i];
        v.x = fmaf(alpha, u.x, v.x);
        v.y = fmaf(alpha, u.y, v.y);
        v.z = fmaf(alpha, u.z, v.z);
        v.w = fmaf(alpha, u.w, v.w);
        y[i] = v;
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(1 << 20, 1 << 24);
    auto x = app::floats(static_cast<std::size_t>(n), 1);
    auto y = app::floats(static_cast<std::size_t>(n), 2);
    app::Buffer<float> dx(x), dy(y);
    saxpy<<<512, 256>>>(2.5f, reinterpret_cast<const float4*>(dx.get()), reinterpret_cast<float4*>(dy.get()), n / 4);
    bench::finish();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::fma(2.5f, x[i], y[i]);
    app.check(dy.download(), y, 0);
    return app.finish();
}
