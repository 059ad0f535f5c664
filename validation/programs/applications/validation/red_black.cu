// SPDX-License-Identifier: Apache-2.0
//
// Poisson's equation in double precision: over-relaxation of red, then of black points, of every other one of which a warp's
// accesses make use, and the residual's largest value by atomics on its bits.
#include "../app.h"

__global__ void __launch_bounds__(256) half_sweep(double* u, const double* f, int n, int colour, double omega) {
    const int i = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) + 1, first = (i + colour) % 2 + 1;
    const int j = 2 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + first, row = n + 2;
    if (i > n || j > n) return;
    const int at = i * row + j;
    const double sum = u[at - 1] + u[at + 1] + u[at - row] + u[at + row] - f[at];
    u[at] = (1.0 - omega) * u[at] + omega * 0.25 * sum;
}

__global__ void __launch_bounds__(256) residual(const double* u, const double* f, unsigned long long* largest, int n) {
    const int row = n + 2, cells = n * n;
    double worst = 0;
    for (int k = static_cast<int>(blockIdx.x * 256 + threadIdx.x); k < cells; k += static_cast<int>(gridDim.x * 256)) {
        const int at = (k / n + 1) * row + k % n + 1;
        worst = fmax(worst, fabs(u[at - 1] + u[at + 1] + u[at - row] + u[at + row] - 4.0 * u[at] - f[at]));
    }
    for (int offset = 16; offset > 0; offset /= 2) worst = fmax(worst, __shfl_xor_sync(0xffffffffu, worst, offset));
    if (threadIdx.x % 32 == 0) atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(worst)));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(190, 1000), row = n + 2, sweeps = 2;
    const auto cells = static_cast<std::size_t>(row) * static_cast<std::size_t>(row);
    auto ru = app::floats(cells, 151), rf = app::floats(cells, 152);
    std::vector<double> u(ru.begin(), ru.end()), f(rf.begin(), rf.end());
    app::Buffer<double> du(u), df(f);
    app::Buffer<unsigned long long> largest(1);
    largest.clear();
    const dim3 grid(app::blocks((n + 1) / 2, 32), app::blocks(n, 8)), block(32, 8);
    for (int s = 0; s < 2 * sweeps; ++s) {
        half_sweep<<<grid, block>>>(du.get(), df.get(), n, s % 2, 1.6);
        bench::finish();
    }
    residual<<<264, 256>>>(du.get(), df.get(), largest.get(), n);
    bench::finish();
    for (int s = 0; s < 2 * sweeps; ++s)
        for (int i = 1; i <= n; ++i)
            for (int j = (i + s) % 2 + 1; j <= n; j += 2) {
                double* p = &u[static_cast<std::size_t>(i * row + j)];
                *p = (1.0 - 1.6) * *p + 1.6 * 0.25 * (p[-1] + p[1] + p[-row] + p[row] - f[static_cast<std::size_t>(i * row + j)]);
            }
    double worst = 0;
    for (int i = 1; i <= n; ++i)
        for (int j = 1; j <= n; ++j) {
            const double* p = &u[static_cast<std::size_t>(i * row + j)];
            worst = std::max(worst, std::fabs(p[-1] + p[1] + p[-row] + p[row] - 4.0 * *p - f[static_cast<std::size_t>(i * row + j)]));
        }
    double found;
    const unsigned long long bits = largest.download()[0];
    std::memcpy(&found, &bits, sizeof found);
    app.check(du.download(), u, 1e-12);
    app.check(std::vector<double>{found}, std::vector<double>{worst}, 1e-10);
    return app.finish();
}
