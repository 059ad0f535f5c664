// SPDX-License-Identifier: Apache-2.0
//
// Erosion and dilation of bytes by a 7 x 7 square: from a tile in shared memory, and by four pixels a word with SIMD instructions.
#include "../app.h"

constexpr int kReach = 3;

__global__ void erode(const uint8_t* in, uint8_t* out, int n) {
    __shared__ uint8_t tile[22][40];
    const int x0 = blockIdx.x * 32 - kReach, y0 = blockIdx.y * 16 - kReach;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 22 * 38; i += 512)
        tile[i / 38][i % 38] = in[min(max(y0 + i / 38, 0), n - 1) * n + min(max(x0 + i % 38, 0), n - 1)];
    __syncthreads();
    int least = 255;
    for (int dy = 0; dy < 7; ++dy)
#pragma unroll
        for (int dx = 0; dx < 7; ++dx) least = min(least, static_cast<int>(tile[threadIdx.y + dy][threadIdx.x + dx]));
    out[(y0 + kReach + threadIdx.y) * n + x0 + kReach + threadIdx.x] = static_cast<uint8_t>(least);
}

// Columns only, four pixels to a word.
__global__ void dilate_columns(const uint32_t* in, uint32_t* out, int words, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= words) return;
    uint32_t most = 0;
#pragma unroll
    for (int dy = -kReach; dy <= kReach; ++dy) most = __vmaxu4(most, in[min(max(y + dy, 0), n - 1) * words + x]);
    out[y * words + x] = most;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(256, 2048);
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const auto values = app::integers(count, 3, 256);
    const std::vector<uint8_t> data(values.begin(), values.end());
    app::Buffer<uint8_t> in(data), eroded(count), dilated(count);
    erode<<<dim3(n / 32, n / 16), dim3(32, 16)>>>(in.get(), eroded.get(), n);
    dilate_columns<<<dim3(app::blocks(n / 4, 128), n), 128>>>(reinterpret_cast<uint32_t*>(in.get()),
                                                              reinterpret_cast<uint32_t*>(dilated.get()), n / 4, n);
    bench::finish();
    std::vector<uint8_t> low(count, 255), high(count, 0);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
            for (int dy = -kReach; dy <= kReach; ++dy) {
                const int row = std::min(std::max(y + dy, 0), n - 1) * n;
                high[y * n + x] = std::max(high[y * n + x], data[row + x]);
                for (int dx = -kReach; dx <= kReach; ++dx)
                    low[y * n + x] = std::min(low[y * n + x], data[row + std::min(std::max(x + dx, 0), n - 1)]);
            }
    app.check(eroded.download(), low, 0);
    app.check(dilated.download(), high, 0);
    return app.finish();
}
