// SPDX-License-Identifier: Apache-2.0
//
// Marching squares: the case of every cell, and the cells that the contour crosses gathered with one atomic per warp.
#include "../app.h"

__host__ __device__ inline int corner(float v) { return v > 0 ? 1 : 0; }

__global__ void classify(const float* in, uint8_t* out, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= n - 1 || y >= n - 1) return;
    const float* p = in + y * n + x;
    out[y * n + x] = static_cast<uint8_t>(corner(p[0]) | corner(p[1]) << 1 | corner(p[n]) << 2 | corner(p[n + 1]) << 3);
}

__global__ void gather(const uint8_t* cases, unsigned* found, unsigned* cells, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const bool crossed = i < count && cases[i] != 0 && cases[i] != 15;
    const unsigned all = __ballot_sync(0xffffffffu, crossed);
    unsigned base = 0;
    if (lane == 0 && all != 0) base = atomicAdd(found, static_cast<unsigned>(__popc(all)));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (crossed) cells[base + __popc(all & ((1u << lane) - 1))] = i;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(512, 4096);
    const auto count = static_cast<std::size_t>(n) * n;
    std::vector<float> field(count);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) field[static_cast<std::size_t>(y) * n + x] = std::sin(x * 0.05f) * std::cos(y * 0.031f) + 0.3f * std::sin((x + y) * 0.011f);
    app::Buffer<float> in(field);
    app::Buffer<uint8_t> cases(count);
    app::Buffer<unsigned> found(1), cells(count);
    cases.clear();
    found.clear();
    classify<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in.get(), cases.get(), n);
    gather<<<app::blocks(static_cast<int>(count), 256), 256>>>(cases.get(), found.get(), cells.get(), static_cast<int>(count));
    bench::finish();
    std::vector<uint8_t> want(count);
    std::vector<unsigned> crossed;
    for (int y = 0; y < n - 1; ++y)
        for (int x = 0; x < n - 1; ++x) {
            const float* p = &field[static_cast<std::size_t>(y) * n + x];
            const int c = corner(p[0]) | corner(p[1]) << 1 | corner(p[n]) << 2 | corner(p[n + 1]) << 3;
            want[static_cast<std::size_t>(y) * n + x] = static_cast<uint8_t>(c);
            if (c != 0 && c != 15) crossed.push_back(static_cast<unsigned>(y * n + x));
        }
    app.check(cases.download(), want, 0);
    app.check(found.download(), std::vector<unsigned>{static_cast<unsigned>(crossed.size())}, 0);
    auto got = cells.download();
    got.resize(crossed.size());
    std::sort(got.begin(), got.end());      // warps come in any order
    app.check(got, crossed, 0);
    return app.finish();
}
