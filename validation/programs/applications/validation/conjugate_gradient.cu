// SPDX-License-Identifier: Apache-2.0
//
// Conjugate gradients in double precision on a matrix in ELL form: product, dot products with warp shuffles, and updates.
#include "../app.h"

constexpr int kThreads = 128, kWidth = 9;

__global__ void ell_product(const double* value, const int* column, const double* x, double* y, int n) {
    const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= n) return;
    double sum = 0;
    for (int k = 0; k < kWidth; ++k) {
        const int at = column[k * n + row];
        if (at >= 0) sum += value[k * n + row] * x[at];
    }
    y[row] = sum;
}

__global__ void dot(const double* a, const double* b, double* sums, int n) {
    __shared__ double part[kThreads / 32];
    double own = 0;
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += static_cast<int>(gridDim.x * blockDim.x)) own += a[i] * b[i];
    for (int k = 16; k > 0; k /= 2) own += __shfl_down_sync(0xffffffffu, own, k);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        double all = 0;
        for (double p : part) all += p;
        sums[blockIdx.x] = all;
    }
}

__global__ void update(double* x, double* r, const double* p, const double* q, double alpha, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
}

__global__ void direction(double* p, const double* r, double beta, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) p[i] = r[i] + beta * p[i];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int side = app.size(96, 384), n = side * side;
    std::vector<double> value(static_cast<std::size_t>(kWidth) * n, 0.0), right(n);
    std::vector<int> column(value.size(), -1);
    auto numbers = app::floats(static_cast<std::size_t>(n), 1);
    for (int i = 0; i < n; ++i) {
        const int x = i % side, y = i / side;
        right[i] = numbers[i];
        for (int k = 0; k < kWidth; ++k) {
            const int a = x + k % 3 - 1, b = y + k / 3 - 1;
            if (a < 0 || b < 0 || a >= side || b >= side) continue;
            column[k * n + i] = b * side + a;
            value[k * n + i] = k == 4 ? 9.0 : -1.0;
        }
    }
    app::Buffer<double> d_value(value), x(right.size()), r(right), p(right), q(right.size());
    app::Buffer<int> d_column(column);
    x.clear();
    const unsigned grid = app::blocks(n, kThreads), parts = std::min(grid, 264u);
    app::Buffer<double> sums(parts);
    auto sum_of = [&](const double* a, const double* b) {
        dot<<<parts, kThreads>>>(a, b, sums.get(), n);
        bench::finish();
        double all = 0;
        for (double v : sums.download()) all += v;
        return all;
    };
    double before = sum_of(r.get(), r.get());
    for (int round = 0; round < 2; ++round) {
        ell_product<<<grid, kThreads>>>(d_value.get(), d_column.get(), p.get(), q.get(), n);
        bench::finish();
        const double alpha = before / sum_of(p.get(), q.get());
        update<<<grid, kThreads>>>(x.get(), r.get(), p.get(), q.get(), alpha, n);
        bench::finish();
        const double now = sum_of(r.get(), r.get());
        direction<<<grid, kThreads>>>(p.get(), r.get(), now / before, n);
        bench::finish();
        before = now;
    }
    std::vector<double> wx(n, 0.0), wr = right, wp = right, wq(n);
    auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
        double all = 0;
        for (int i = 0; i < n; ++i) all += a[i] * b[i];
        return all;
    };
    double had = product(wr, wr);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < n; ++i) {
            wq[i] = 0;
            for (int k = 0; k < kWidth; ++k)
                if (column[k * n + i] >= 0) wq[i] += value[k * n + i] * wp[column[k * n + i]];
        }
        const double alpha = had / product(wp, wq);
        for (int i = 0; i < n; ++i) wx[i] += alpha * wp[i], wr[i] -= alpha * wq[i];
        const double now = product(wr, wr);
        for (int i = 0; i < n; ++i) wp[i] = wr[i] + now / had * wp[i];
        had = now;
    }
    app.check(x.download(), wx, 1e-9);
    app.check(p.download(), wp, 1e-9);
    return app.finish();
}
