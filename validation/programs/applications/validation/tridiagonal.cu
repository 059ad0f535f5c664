// SPDX-License-Identifier: Apache-2.0
//
// Tridiagonal systems of 512 unknowns, one per block, by parallel cyclic reduction in shared memory.
#include "../app.h"

constexpr int kN = 512;

__global__ void solve(const float* lower, const float* diagonal, const float* upper, const float* right, float* out) {
    __shared__ float a[kN], b[kN], c[kN], d[kN];
    const int i = threadIdx.x, at = blockIdx.x * kN + i;
    a[i] = lower[at], b[i] = diagonal[at], c[i] = upper[at], d[i] = right[at];
    __syncthreads();
    for (int step = 1; step < kN; step *= 2) {
        float na = 0, nb = b[i], nc = 0, nd = d[i];
        if (i >= step) {
            const float f = a[i] / b[i - step];
            na = -a[i - step] * f, nb -= c[i - step] * f, nd -= d[i - step] * f;
        }
        if (i + step < kN) {
            const float f = c[i] / b[i + step];
            nc = -c[i + step] * f, nb -= a[i + step] * f, nd -= d[i + step] * f;
        }
        __syncthreads();
        a[i] = na, b[i] = nb, c[i] = nc, d[i] = nd;
        __syncthreads();
    }
    out[at] = d[i] / b[i];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int systems = app.size(264, 4096);
    const auto n = static_cast<std::size_t>(systems) * kN;
    auto l = app::floats(n, 1), u = app::floats(n, 2), r = app::floats(n, 3), m = app::floats(n, 4, 3, 4);
    for (std::size_t i = 0; i < n; i += kN) l[i] = u[i + kN - 1] = 0;
    app::Buffer<float> dl(l), dm(m), du(u), dr(r), out(n);
    solve<<<static_cast<unsigned>(systems), kN>>>(dl.get(), dm.get(), du.get(), dr.get(), out.get());
    bench::finish();
    std::vector<float> want(n);
    std::vector<double> cc(kN), dd(kN);
    for (std::size_t s = 0; s < n; s += kN) {
        for (std::size_t i = 0; i < kN; ++i) {
            const double w = m[s + i] - (i ? l[s + i] * cc[i - 1] : 0);
            cc[i] = u[s + i] / w;
            dd[i] = (r[s + i] - (i ? l[s + i] * dd[i - 1] : 0)) / w;
        }
        for (std::size_t i = kN; i-- > 0;) {
            if (i + 1 < kN) dd[i] -= cc[i] * dd[i + 1];
            want[s + i] = static_cast<float>(dd[i]);
        }
    }
    app.check(out.download(), want, 1e-4);
    return app.finish();
}
