// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix times 4 vectors: ELL (columns of entries, a thread per row) and COO (a thread per entry, atomic additions).
#include "../app.h"

__global__ void ell(const uint32_t* column, const float* value, const float4* x, float4* y, int rows, int most) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < most; ++k) {
        const float v = value[k * rows + row];
        const float4 from = x[column[k * rows + row]];
        sum.x += v * from.x, sum.y += v * from.y, sum.z += v * from.z, sum.w += v * from.w;
    }
    y[row] = sum;
}

__global__ void coo(const uint32_t* rows, const uint32_t* columns, const float* values, const float* x, float* y, int entries) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < entries) atomicAdd(&y[rows[i]], values[i] * x[columns[i] * 4]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(1 << 14, 1 << 18), most = 12;
    const auto n = static_cast<std::size_t>(rows);
    auto column = app::integers(n * most, 17, static_cast<uint32_t>(rows));
    auto value = app::floats(n * most, 18), x = app::floats(n * 4, 19);
    std::vector<uint32_t> row(n * most);
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = static_cast<uint32_t>(i % n);
        column[i] = static_cast<uint32_t>((i % n + column[i] % 4096) % n);
    }
    app::Buffer<uint32_t> dr(row), dc(column);
    app::Buffer<float> dv(value), dx(x), y(n * 4), z(n);
    z.clear();
    ell<<<app::blocks(rows, 256), 256>>>(dc.get(), dv.get(), reinterpret_cast<const float4*>(dx.get()), reinterpret_cast<float4*>(y.get()), rows, most);
    bench::finish();
    const int entries = rows * most;
    coo<<<app::blocks(entries, 256), 256>>>(dr.get(), dc.get(), dv.get(), dx.get(), z.get(), entries);
    bench::finish();
    std::vector<float> want(n * 4), first(n);
    for (std::size_t i = 0; i < row.size(); ++i)
        for (std::size_t k = 0; k < 4; ++k) want[row[i] * 4 + k] += value[i] * x[column[i] * std::size_t{4} + k];
    for (std::size_t i = 0; i < n; ++i) first[i] = want[i * 4];
    app.check(y.download(), want, 1e-4);
    app.check(z.download(), first, 1e-4);
    return app.finish();
}
