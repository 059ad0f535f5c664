// SPDX-License-Identifier: Apache-2.0
//
// y = A x, a warp per row with shuffles, then y = transpose(A) x, a thread per column.
#include "../app.h"

__global__ void matvec_rows(const float* a, const float* x, float* y, int rows, int columns) {
    const int row = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
    if (row >= rows) return;
    float sum = 0;
    for (int j = threadIdx.x; j < columns; j += 32) sum += a[row * columns + j] * x[j];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (threadIdx.x == 0) y[row] = sum;
}

__global__ void matvec_columns(const float* a, const float* x, float* y, int rows, int columns) {
    const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (column >= columns) return;
    float sum = 0;
    for (int i = 0; i < rows; ++i) sum += a[i * columns + column] * x[i];
    y[column] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(512, 2048);
    auto a = app::floats(static_cast<std::size_t>(n) * n, 1), x = app::floats(static_cast<std::size_t>(n), 2);
    app::Buffer<float> da(a), dx(x), dy(x.size()), dz(x.size());
    matvec_rows<<<app::blocks(n, 8), dim3(32, 8)>>>(da.get(), dx.get(), dy.get(), n, n);
    bench::finish();
    matvec_columns<<<app::blocks(n, 64), 64>>>(da.get(), dx.get(), dz.get(), n, n);
    bench::finish();
    std::vector<float> rows(x.size()), columns(x.size());
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            rows[i] += a[static_cast<std::size_t>(i) * n + j] * x[j];
            columns[j] += a[static_cast<std::size_t>(i) * n + j] * x[i];
        }
    app.check(dy.download(), rows, 1e-3);
    app.check(dz.download(), columns, 1e-3);
    return app.finish();
}
