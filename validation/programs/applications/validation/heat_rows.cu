// SPDX-License-Identifier: Apache-2.0
//
// A step of the heat equation: each block goes down a strip of columns; rows arrive three ahead through a cuda::pipeline of each thread.
#include <cuda/pipeline>

#include "../app.h"

constexpr int kThreads = 128, kColumns = 4 * kThreads, kHalo = 4, kWidth = kColumns + 2 * kHalo, kAhead = 3, kRing = 8;

// The grid has a border of one row above and below and of kHalo columns at both sides.
__global__ void __launch_bounds__(kThreads) heat_rows(const float* in, float* out, int pitch, int rows, float rate) {
    __shared__ __align__(16) float ring[kRing][kWidth];
    auto pipe = cuda::make_pipeline();
    const int t = threadIdx.x, column = static_cast<int>(blockIdx.x) * kColumns, first = static_cast<int>(blockIdx.y) * rows;
    auto fetch = [&](int row) {
        pipe.producer_acquire();
        if (row < rows + 2)
            for (int i = t; i < kWidth / 4; i += kThreads)
                cuda::memcpy_async(&ring[row % kRing][4 * i], in + static_cast<std::size_t>(first + row) * pitch + column + 4 * i,
                                   cuda::aligned_size_t<16>(16), pipe);
        pipe.producer_commit();
    };
    for (int row = 0; row < 2 + kAhead; ++row) fetch(row);
    for (int row = 0; row < rows; ++row) {
        cuda::pipeline_consumer_wait_prior<kAhead - 1>(pipe);
        __syncthreads();
        const int at = kHalo + 4 * t;
        const float* above = ring[row % kRing];
        const float* here = ring[(row + 1) % kRing];
        const float* below = ring[(row + 2) % kRing];
        float next[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            next[i] = here[at + i] + rate * (above[at + i] + below[at + i] + here[at + i - 1] + here[at + i + 1] - 4 * here[at + i]);
        *reinterpret_cast<float4*>(&out[static_cast<std::size_t>(first + row + 1) * pitch + column + at]) =
            make_float4(next[0], next[1], next[2], next[3]);
        pipe.consumer_release();
        fetch(row + 2 + kAhead);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1024, 4096), pitch = n + 2 * kHalo, height = n + 2, rows = 32;
    const float rate = 0.1f;
    const auto grid = app::floats(static_cast<std::size_t>(pitch) * height, 1);
    app::Buffer<float> in(grid), out(grid);
    heat_rows<<<dim3(n / kColumns, n / rows), kThreads>>>(in.get(), out.get(), pitch, rows, rate);
    bench::finish();
    const auto result = out.download();
    std::vector<float> got, want;
    for (int y = 1; y <= n; ++y)
        for (int x = y % 7; x < n; x += 13) {
            const std::size_t at = static_cast<std::size_t>(y) * pitch + kHalo + x;
            got.push_back(result[at]);
            want.push_back(grid[at] + rate * (grid[at - pitch] + grid[at + pitch] + grid[at - 1] + grid[at + 1] - 4 * grid[at]));
        }
    app.check(got, want, 1e-5);
    return app.finish();
}
