// SPDX-License-Identifier: Apache-2.0
//
// D2Q9 lattice Boltzmann, periodic: nine streams read with offsets, collision, nine streams written.
#include "../app.h"

#define DIRECTIONS                            \
    constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}; \
    constexpr int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__host__ __device__ inline float weight(int k) { return k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36; }

__host__ __device__ inline void collide(float f[9]) {
    DIRECTIONS
    float rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        rho += f[k];
        ux += f[k] * cx[k];
        uy += f[k] * cy[k];
    }
    ux /= rho;
    uy /= rho;
    const float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const float along = 3 * (cx[k] * ux + cy[k] * uy);
        f[k] += 0.6f * (weight(k) * rho * (1 + along + 0.5f * along * along - square) - f[k]);
    }
}

__global__ void lattice_boltzmann(const float* from, float* to, int n) {
    DIRECTIONS
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    float f[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) f[k] = from[k * n * n + (y - cy[k] + n) % n * n + (x - cx[k] + n) % n];
    collide(f);
#pragma unroll
    for (int k = 0; k < 9; ++k) to[k * n * n + y * n + x] = f[k];
}

int main(int argc, char** argv) {
    DIRECTIONS
    app::App app(argc, argv);
    const int n = app.size(256, 768);
    const int cells = n * n;
    auto from = app::floats(static_cast<std::size_t>(cells) * 9, 3, 0.05f, 0.15f);
    std::vector<float> want(from.size());
    app::Buffer<float> df(from), dt(from.size());
    lattice_boltzmann<<<dim3(n / 64, n / 2), dim3(64, 2)>>>(df.get(), dt.get(), n);
    bench::finish();
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            float f[9];
            for (int k = 0; k < 9; ++k) f[k] = from[k * cells + (y - cy[k] + n) % n * n + (x - cx[k] + n) % n];
            collide(f);
            for (int k = 0; k < 9; ++k) want[k * cells + y * n + x] = f[k];
        }
    app.check(dt.download(), want, 1e-4);
    return app.finish();
}
