// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix times 64 dense columns: a warp for each row with two columns in each lane, whose elements all lanes read;
// then the products of dense rows and columns at the matrix's places, a group of eight lanes for each.
#include "../app.h"

constexpr int kColumns = 64;

__global__ void __launch_bounds__(128) multiply(const int* rows, const int* columns, const float* values, const float2* dense, float2* out, int n) {
    const int row = static_cast<int>(blockIdx.x * 4 + threadIdx.x / 32), lane = threadIdx.x % 32;
    if (row >= n) return;
    float2 sum = make_float2(0, 0);
    for (int e = rows[row]; e < rows[row + 1]; ++e) {
        const float value = values[e];
        const float2 d = dense[columns[e] * (kColumns / 2) + lane];
        sum.x += value * d.x, sum.y += value * d.y;
    }
    out[row * (kColumns / 2) + lane] = sum;
}

__global__ void __launch_bounds__(256) sampled(const int* row_of, const int* columns, const float4* left, const float4* right, float* values, int elements) {
    const int e = static_cast<int>((blockIdx.x * 256 + threadIdx.x) / 8), part = threadIdx.x % 8;
    float sum = 0;
    if (e < elements)
        for (int k = part; k < kColumns / 4; k += 8) {
            const float4 a = left[row_of[e] * (kColumns / 4) + k], b = right[columns[e] * (kColumns / 4) + k];
            sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
    for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (e < elements && part == 0) values[e] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1500, 10000);
    const auto count = static_cast<std::size_t>(n);
    bench::Random random(101);
    std::vector<int> rows(count + 1), columns, row_of;
    for (std::size_t r = 0; r < count; ++r) {
        const uint32_t length = random.below(25);
        for (uint32_t e = 0; e < length; ++e) {
            const bool near = random.below(2) == 0;
            const uint32_t column = near ? static_cast<uint32_t>(r) + random.below(64) : random.below(static_cast<uint32_t>(n));
            columns.push_back(static_cast<int>(column % static_cast<uint32_t>(n))), row_of.push_back(static_cast<int>(r));
        }
        rows[r + 1] = static_cast<int>(columns.size());
    }
    const int elements = static_cast<int>(columns.size());
    auto values = app::floats(columns.size(), 1), dense = app::floats(count * kColumns, 2);
    app::Buffer<int> r(rows), c(columns), of(row_of);
    app::Buffer<float> v(values), d(dense), out(dense.size()), dots(columns.size());
    multiply<<<app::blocks(n, 4), 128>>>(r.get(), c.get(), v.get(), reinterpret_cast<const float2*>(d.get()), reinterpret_cast<float2*>(out.get()), n);
    bench::finish();
    sampled<<<app::blocks(elements, 32), 256>>>(of.get(), c.get(), reinterpret_cast<const float4*>(d.get()), reinterpret_cast<const float4*>(d.get()), dots.get(), elements);
    bench::finish();
    std::vector<float> want(dense.size()), want_dots(columns.size());
    for (std::size_t e = 0; e < columns.size(); ++e)
        for (std::size_t k = 0; k < kColumns; ++k) {
            const auto row = static_cast<std::size_t>(row_of[e]), column = static_cast<std::size_t>(columns[e]);
            want[row * kColumns + k] += values[e] * dense[column * kColumns + k];
            want_dots[e] += dense[row * kColumns + k] * dense[column * kColumns + k];
        }
    app.check(out.download(), want, 1e-4);
    app.check(dots.download(), want_dots, 1e-4);
    return app.finish();
}
