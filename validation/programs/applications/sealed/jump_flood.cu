// SPDX-License-Identifier: Apache-2.0
//
// Voronoi cells by jump flooding: launches with steps that halve, each looking at nine places far apart; then the area of cells by atomics.
#include "../app.h"

__host__ __device__ inline int apart(int x, int y, int seed, int n) {
    const int dx = x - seed % n, dy = y - seed / n;
    return dx * dx + dy * dy;
}

__global__ void flood(const int* in, int* out, int n, int step) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int best = -1, distance = 0x7fffffff;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            const int u = x + dx * step, v = y + dy * step;
            if (u < 0 || v < 0 || u >= n || v >= n) continue;
            const int seed = in[v * n + u];
            if (seed < 0) continue;
            const int d = apart(x, y, seed, n);
            if (d < distance) distance = d, best = seed;
        }
    out[y * n + x] = best;
}

__global__ void areas(const int* cells, const int* number, unsigned* area, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(&area[number[cells[i]]], 1u);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(256, 1024), seeds = 256;
    const auto count = static_cast<std::size_t>(n) * n;
    std::vector<int> start(count, -1), number(count, 0);
    const auto at = app::integers(seeds, 43, static_cast<uint32_t>(count));
    for (int s = 0; s < seeds; ++s) start[at[s]] = static_cast<int>(at[s]), number[at[s]] = s;
    app::Buffer<int> a(start), b(count), names(number);
    app::Buffer<unsigned> area(seeds);
    area.clear();
    int *from = a.get(), *to = b.get();
    std::vector<int> now = start, next(count);
    for (int step = n / 2; step > 0; step /= 2) {
        flood<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(from, to, n, step);
        std::swap(from, to);
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                int best = -1, distance = 0x7fffffff;
                for (int dy = -1; dy <= 1; ++dy)
                    for (int dx = -1; dx <= 1; ++dx) {
                        const int u = x + dx * step, v = y + dy * step;
                        if (u < 0 || v < 0 || u >= n || v >= n || now[v * n + u] < 0) continue;
                        const int d = apart(x, y, now[v * n + u], n);
                        if (d < distance) distance = d, best = now[v * n + u];
                    }
                next[y * n + x] = best;
            }
        std::swap(now, next);
    }
    areas<<<app::blocks(static_cast<int>(count), 256), 256>>>(from, names.get(), area.get(), static_cast<int>(count));
    bench::finish();
    std::vector<unsigned> sizes(seeds);
    for (int cell : now) ++sizes[number[cell]];
    app.check(from == a.get() ? a.download() : b.download(), now, 0);
    app.check(area.download(), sizes, 0);
    return app.finish();
}
