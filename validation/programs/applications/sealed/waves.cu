// SPDX-License-Identifier: Apache-2.0
//
// Maxwell's equations on a plane in time steps: the magnetic field from the electric one, and back.
#include "../app.h"

__global__ void magnetic(const float* e, float* hx, float* hy, int n) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= n - 1 || y >= n - 1) return;
    const int i = y * n + x;
    hx[i] -= 0.5f * (e[i + n] - e[i]);
    hy[i] += 0.5f * (e[i + 1] - e[i]);
}

__global__ void electric(float* e, const float* hx, const float* hy, int n) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    const int i = y * n + x;
    e[i] += 0.5f * (hy[i] - hy[i - 1] - hx[i] + hx[i - n]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(512, 3072), steps = 3;
    const auto count = static_cast<std::size_t>(n) * n;
    auto field = app::floats(count, 47);
    app::Buffer<float> e(field), hx(count), hy(count);
    hx.clear();
    hy.clear();
    std::vector<float> x(count), y(count);
    for (int s = 0; s < steps; ++s) {
        magnetic<<<dim3(n / 64, n / 4), dim3(64, 4)>>>(e.get(), hx.get(), hy.get(), n);
        electric<<<dim3(n / 64, n / 4), dim3(64, 4)>>>(e.get(), hx.get(), hy.get(), n);
        for (int v = 0; v < n - 1; ++v)
            for (int u = 0; u < n - 1; ++u) {
                const int i = v * n + u;
                x[i] -= 0.5f * (field[i + n] - field[i]);
                y[i] += 0.5f * (field[i + 1] - field[i]);
            }
        for (int v = 1; v < n - 1; ++v)
            for (int u = 1; u < n - 1; ++u) {
                const int i = v * n + u;
                field[i] += 0.5f * (y[i] - y[i - 1] - x[i] + x[i - n]);
            }
    }
    bench::finish();
    app.check(e.download(), field, 1e-5);
    return app.finish();
}
