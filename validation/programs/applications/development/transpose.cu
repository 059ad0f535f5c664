// SPDX-License-Identifier: Apache-2.0
//
// Matrix transpose: naive (strided stores), through shared memory with bank conflicts, and with padding.
#include "../app.h"

constexpr int kTile = 32;

__global__ void transpose_naive(const float* in, float* out, int n) {
    int x = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
    for (int j = 0; j < kTile; j += 8) {
        int y = static_cast<int>(blockIdx.y * kTile + threadIdx.y) + j;
        out[x * n + y] = in[y * n + x];
    }
}

template <int Pad>
__global__ void transpose_shared(const float* in, float* out, int n) {
    __shared__ float tile[kTile][kTile + Pad];
    int x = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
    int y = static_cast<int>(blockIdx.y * kTile + threadIdx.y);
    for (int j = 0; j < kTile; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = static_cast<int>(blockIdx.y * kTile + threadIdx.x);
    y = static_cast<int>(blockIdx.x * kTile + threadIdx.y);
    for (int j = 0; j < kTile; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(512, 2048);
    auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    auto data = app::floats(count, 7);
    app::Buffer<float> in(data), out(count);
    std::vector<float> want(count);
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) want[x * n + y] = data[y * n + x];
    }
    dim3 grid(static_cast<unsigned>(n / kTile), static_cast<unsigned>(n / kTile));
    dim3 block(kTile, 8);
    for (int kind = 0; kind < 3; ++kind) {
        out.clear();
        if (kind == 0) transpose_naive<<<grid, block>>>(in.get(), out.get(), n);
        if (kind == 1) transpose_shared<0><<<grid, block>>>(in.get(), out.get(), n);
        if (kind == 2) transpose_shared<1><<<grid, block>>>(in.get(), out.get(), n);
        bench::finish();
        app.check(out.download(), want, 0);
    }
    return app.finish();
}
