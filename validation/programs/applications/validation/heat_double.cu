// SPDX-License-Identifier: Apache-2.0
//
// Heat in a box, double precision: planes march through registers, neighbours come from shared memory.
#include "../app.h"

constexpr int kX = 32, kY = 8;

__global__ void heat(const double* in, double* out, int n) {
    __shared__ double plane[kY + 2][kX + 2];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * kX + tx, y = blockIdx.y * kY + ty, wide = n + 2;
    const int area = wide * wide;
    int at = y * wide + x;
    double below = in[at], here = in[at + area];
    for (int z = 1; z <= n; ++z) {
        at += area;
        const double above = in[at + area];
        __syncthreads();
        plane[ty][tx] = here;
        if (tx == 1) plane[ty][0] = in[at - 1];
        if (tx == kX) plane[ty][kX + 1] = in[at + 1];
        if (ty == 1) plane[0][tx] = in[at - wide];
        if (ty == kY) plane[kY + 1][tx] = in[at + wide];
        __syncthreads();
        out[at] = here + 0.1 * (below + above + plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] - 6 * here);
        below = here, here = above;
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(64, 160), wide = n + 2;
    const auto all = static_cast<std::size_t>(wide) * wide * wide;
    auto start = app::floats(all, 8);
    std::vector<double> data(start.begin(), start.end()), want(data);
    app::Buffer<double> in(data), out(data);
    heat<<<dim3(static_cast<unsigned>(n / kX), static_cast<unsigned>(n / kY)), dim3(kX, kY)>>>(in.get(), out.get(), n);
    bench::finish();
    for (int z = 1; z <= n; ++z)
        for (int y = 1; y <= n; ++y)
            for (int x = 1; x <= n; ++x) {
                const auto i = static_cast<std::size_t>((z * wide + y) * wide + x);
                const auto w = static_cast<std::size_t>(wide), a = w * w;
                want[i] = data[i] + 0.1 * (data[i - a] + data[i + a] + data[i - 1] + data[i + 1] + data[i - w] + data[i + w] - 6 * data[i]);
            }
    app.check(out.download(), want, 1e-12);
    return app.finish();
}
