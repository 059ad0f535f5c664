// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix of dense 4 x 4 blocks times a vector: a warp per block row, and its transpose by atomic adds.
#include "../app.h"

__global__ void product(const int* start, const int* column, const float* values, const float* x, float* y, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const int r = lane % 16 / 4, c = lane % 4, half = lane / 16;
    float sum = 0;
    for (int b = start[row] + half; b < start[row + 1]; b += 2) sum += values[b * 16 + r * 4 + c] * x[column[b] * 4 + c];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    sum += __shfl_xor_sync(0xffffffffu, sum, 16);
    if (half == 0 && c == 0) y[row * 4 + r] = sum;
}

__global__ void transposed(const int* start, const int* column, const float* values, const float* x, float* y, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    if (row >= rows) return;
    const float mine = x[row * 4 + lane / 4];
    for (int b = start[row]; b < start[row + 1]; ++b) atomicAdd(&y[column[b] * 4 + lane % 4], values[b * 16 + lane] * mine);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(4096, 65536);
    const auto many = app::integers(rows, 23, 16);
    std::vector<int> start(rows + 1);
    for (int i = 0; i < rows; ++i) start[i + 1] = start[i] + 4 + static_cast<int>(many[i]);
    const auto blocks = static_cast<std::size_t>(start[rows]);
    const auto picks = app::integers(blocks, 24, 512);
    std::vector<int> column(blocks);
    for (int i = 0; i < rows; ++i)
        for (int b = start[i]; b < start[i + 1]; ++b) column[b] = (i + static_cast<int>(picks[b])) % rows;
    const auto values = app::floats(blocks * 16, 25), x = app::floats(static_cast<std::size_t>(rows) * 4, 26);
    app::Buffer<int> s(start), c(column);
    app::Buffer<float> v(values), in(x), out(x.size()), turned(x.size());
    turned.clear();
    product<<<app::blocks(rows, 8), 256>>>(s.get(), c.get(), v.get(), in.get(), out.get(), rows);
    transposed<<<app::blocks(rows, 16), 256>>>(s.get(), c.get(), v.get(), in.get(), turned.get(), rows);
    bench::finish();
    std::vector<double> direct(x.size()), other(x.size());
    for (int i = 0; i < rows; ++i)
        for (int b = start[i]; b < start[i + 1]; ++b)
            for (int k = 0; k < 16; ++k) {
                direct[4 * i + k / 4] += double(values[static_cast<std::size_t>(b) * 16 + k]) * x[4 * column[b] + k % 4];
                other[4 * column[b] + k % 4] += double(values[static_cast<std::size_t>(b) * 16 + k]) * x[4 * i + k / 4];
            }
    app.check(out.download(), std::vector<float>(direct.begin(), direct.end()), 1e-4);
    app.check(turned.download(), std::vector<float>(other.begin(), other.end()), 1e-4);
    return app.finish();
}
