// SPDX-License-Identifier: Apache-2.0
//
// Lennard-Jones forces over neighbour lists (positions gathered), and a step of their motion (streamed).
#include "../app.h"

constexpr int kNeighbours = 32;

__global__ void forces(const float4* at, const int* list, float4* force, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = at[i];
    float fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < kNeighbours; ++k) {
        const float4 q = at[list[k * n + i]];
        const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        const float r2 = dx * dx + dy * dy + dz * dz + 0.25f;
        const float inverse = 1.0f / r2, six = inverse * inverse * inverse;
        const float scale = six * (2.0f * six - 1.0f) * inverse;
        fx += scale * dx, fy += scale * dy, fz += scale * dz;
    }
    force[i] = make_float4(fx, fy, fz, 0);
}

__global__ void move(float4* at, float4* speed, const float4* force, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = speed[i], p = at[i];
    const float4 f = force[i];
    v.x += dt * f.x, v.y += dt * f.y, v.z += dt * f.z;
    p.x += dt * v.x, p.y += dt * v.y, p.z += dt * v.z;
    speed[i] = v;
    at[i] = p;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(16384, 262144);
    const auto numbers = app::floats(static_cast<std::size_t>(n) * 4, 17, 0, 20);
    const auto picks = app::integers(static_cast<std::size_t>(n) * kNeighbours, 18, 2048);
    std::vector<float> speeds(numbers.size());
    std::vector<int> list(picks.size());
    for (int k = 0; k < kNeighbours; ++k)
        for (int i = 0; i < n; ++i) list[static_cast<std::size_t>(k) * n + i] = (i + static_cast<int>(picks[static_cast<std::size_t>(k) * n + i]) - 1024 + n) % n;
    app::Buffer<float> at(numbers), speed(speeds), force(numbers.size());
    app::Buffer<int> lists(list);
    auto* p = reinterpret_cast<float4*>(at.get());
    auto* v = reinterpret_cast<float4*>(speed.get());
    auto* f = reinterpret_cast<float4*>(force.get());
    forces<<<app::blocks(n, 128), 128>>>(p, lists.get(), f, n);
    move<<<app::blocks(n, 256), 256>>>(p, v, f, 0.001f, n);
    bench::finish();
    std::vector<float> want(numbers);
    for (int i = 0; i < n; ++i) {
        double sum[3] = {};
        for (int k = 0; k < kNeighbours; ++k) {
            const int j = list[static_cast<std::size_t>(k) * n + i];
            double d[3], r2 = 0.25;
            for (int c = 0; c < 3; ++c) d[c] = double(numbers[4 * i + c]) - numbers[4 * j + c], r2 += d[c] * d[c];
            const double six = 1 / (r2 * r2 * r2), scale = six * (2 * six - 1) / r2;
            for (int c = 0; c < 3; ++c) sum[c] += scale * d[c];
        }
        for (int c = 0; c < 3; ++c) want[4 * i + c] = static_cast<float>(numbers[4 * i + c] + 0.001 * 0.001 * sum[c]);
    }
    app.check(at.download(), want, 1e-4);
    return app.finish();
}
