// SPDX-License-Identifier: Apache-2.0
//
// Sparse matrix times vector in CSR, rows of uneven length: one thread per row, then one warp per row.
#include "../app.h"

__global__ void spmv_scalar(const int* start, const int* column, const float* value, const float* x, float* y, int rows) {
    int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= rows) return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; ++i) sum = fmaf(value[i], x[column[i]], sum);
    y[row] = sum;
}

__global__ void spmv_vector(const int* start, const int* column, const float* value, const float* x, float* y, int rows) {
    int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = static_cast<int>(threadIdx.x) % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = start[row] + lane; i < start[row + 1]; i += 32) sum = fmaf(value[i], x[column[i]], sum);
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0) y[row] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int rows = app.size(16384, 131072);
    bench::Random random(11);
    std::vector<int> start{0};
    std::vector<int> column;
    for (int row = 0; row < rows; ++row) {
        int length = 4 + static_cast<int>(random.below(24)) + (random.below(64) == 0 ? 100 : 0);
        for (int i = 0; i < length; ++i) column.push_back(static_cast<int>(random.below(static_cast<uint32_t>(rows))));
        start.push_back(static_cast<int>(column.size()));
    }
    auto value = app::floats(column.size(), 12);
    auto x = app::floats(static_cast<std::size_t>(rows), 13);
    app::Buffer<int> ds(start), dc(column);
    app::Buffer<float> dv(value), dx(x), dy(x.size());
    std::vector<float> want(x.size());
    for (int row = 0; row < rows; ++row) {
        double sum = 0;
        for (int i = start[row]; i < start[row + 1]; ++i) sum += static_cast<double>(value[i]) * x[column[i]];
        want[row] = static_cast<float>(sum);
    }
    spmv_scalar<<<app::blocks(rows, 128), 128>>>(ds.get(), dc.get(), dv.get(), dx.get(), dy.get(), rows);
    bench::finish();
    app.check(dy.download(), want, 1e-4);
    dy.clear();
    spmv_vector<<<app::blocks(rows * 32, 128), 128>>>(ds.get(), dc.get(), dv.get(), dx.get(), dy.get(), rows);
    bench::finish();
    app.check(dy.download(), want, 1e-4);
    return app.finish();
}
