// SPDX-License-Identifier: Apache-2.0
//
// Copies and transpositions of a square matrix by blocks of 16x32 threads: straight, across rows, and by a tile in shared memory with
// and without padding.
#include "../volta-turing/row.h"

namespace {

constexpr int kWide = 16, kHigh = 32;
using Kernel = void (*)(float*, float*, int, int);

__global__ void copy_rows(float* out, float* in, const int rows, const int columns) {
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && column < columns) out[row * columns + column] = in[row * columns + column];
}

__global__ void across(float* out, float* in, const int rows, const int columns) {
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

template <int kPad>
__global__ void by_tile(float* out, float* in, int columns, int rows) {
    __shared__ float tile[kHigh][kWide + kPad];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned from = y * columns + x;
    // The block's threads in rows as long as a column of the tile.
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, row = thread / blockDim.y, column = thread % blockDim.y;
    x = blockIdx.y * blockDim.y + column;
    y = blockIdx.x * blockDim.x + row;
    const unsigned to = y * rows + x;
    if (x < columns && y < rows) {
        tile[threadIdx.y][threadIdx.x] = in[from];
        __syncthreads();
        out[to] = tile[column][row];
    }
}

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "across", 256);
    const int n = options.n;
    const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const Kernel kernel = options.is("copy_rows")     ? copy_rows
                          : options.is("across")      ? across
                          : options.is("tile")        ? by_tile<0>
                          : options.is("tile_padded") ? by_tile<2>
                                                      : nullptr;
    if (kernel == nullptr) options.unknown("copy_rows, across, tile, tile_padded");
    const std::vector<float> data = app::floats(size, 3);
    row::Buffer<float> in(data), out(size);
    kernel<<<dim3(row::blocks(n, kWide), row::blocks(n, kHigh)), dim3(kWide, kHigh)>>>(out.get(), in.get(), n, n);
    bench::finish();
    std::vector<float> want = data;
    if (!options.is("copy_rows")) {
        for (std::size_t i = 0; i < size; ++i) want[i % static_cast<std::size_t>(n) * static_cast<std::size_t>(n) + i / static_cast<std::size_t>(n)] = data[i];
    }
    app.check(out.download(), want, 0);
    return app.finish();
}
