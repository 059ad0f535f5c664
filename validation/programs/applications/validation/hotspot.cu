// SPDX-License-Identifier: Apache-2.0
//
// Heat on a chip: each block advances its tile of shared memory by several time steps, losing a border of one with each.
#include "../app.h"

constexpr int kTile = 16, kSteps = 3, kInner = kTile - 2 * kSteps;

__host__ __device__ inline float step(float c, float n, float s, float w, float e, float power) {
    return c + 0.2f * (n + s - 2.0f * c) + 0.15f * (w + e - 2.0f * c) + 0.05f * (power - 0.01f * c);
}

__global__ void hotspot(const float* in, const float* power, float* out, int n) {
    __shared__ float tile[kTile][kTile], next[kTile][kTile];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = static_cast<int>(blockIdx.x) * kInner + tx - kSteps, y = static_cast<int>(blockIdx.y) * kInner + ty - kSteps;
    const int cx = min(max(x, 0), n - 1), cy = min(max(y, 0), n - 1);
    tile[ty][tx] = in[cy * n + cx];
    const float heat = power[cy * n + cx];
    __syncthreads();
    for (int k = 1; k <= kSteps; ++k) {
        if (tx >= k && tx < kTile - k && ty >= k && ty < kTile - k && x >= 0 && y >= 0 && x < n && y < n) {
            const int north = y == 0 ? ty : ty - 1, south = y == n - 1 ? ty : ty + 1;
            const int west = x == 0 ? tx : tx - 1, east = x == n - 1 ? tx : tx + 1;
            next[ty][tx] = step(tile[ty][tx], tile[north][tx], tile[south][tx], tile[ty][west], tile[ty][east], heat);
        }
        __syncthreads();
        if (tx >= k && tx < kTile - k && ty >= k && ty < kTile - k && x >= 0 && y >= 0 && x < n && y < n) tile[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (tx >= kSteps && tx < kTile - kSteps && ty >= kSteps && ty < kTile - kSteps && x < n && y < n) out[y * n + x] = tile[ty][tx];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(256, 1024);
    auto heat = app::floats(static_cast<std::size_t>(n) * n, 1, 20, 90), power = app::floats(heat.size(), 2, 0, 5);
    app::Buffer<float> a(heat), p(power), b(heat.size());
    const unsigned blocks = app::blocks(n, kInner);
    hotspot<<<dim3(blocks, blocks), dim3(kTile, kTile)>>>(a.get(), p.get(), b.get(), n);
    bench::finish();
    hotspot<<<dim3(blocks, blocks), dim3(kTile, kTile)>>>(b.get(), p.get(), a.get(), n);
    bench::finish();
    std::vector<float> next(heat.size());
    for (int k = 0; k < 2 * kSteps; ++k) {
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                auto at = [&](int yy, int xx) { return heat[std::min(std::max(yy, 0), n - 1) * n + std::min(std::max(xx, 0), n - 1)]; };
                next[y * n + x] = step(at(y, x), at(y - 1, x), at(y + 1, x), at(y, x - 1), at(y, x + 1), power[y * n + x]);
            }
        std::swap(heat, next);
    }
    app.check(a.download(), heat, 1e-4);
    return app.finish();
}
