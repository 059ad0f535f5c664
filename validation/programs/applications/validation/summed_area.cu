// SPDX-License-Identifier: Apache-2.0
//
// A summed-area table: prefix sums of rows by warps, prefix sums of columns by threads, then means of 9x9 boxes.
#include "../app.h"

__global__ void sum_rows(const uint32_t* in, uint32_t* out, int width) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    uint32_t carry = 0;
    for (int x = lane; x < width; x += 32) {
        uint32_t v = in[row * width + x];
        for (int k = 1; k < 32; k *= 2) {
            const uint32_t other = __shfl_up_sync(0xffffffffu, v, k);
            if (lane >= k) v += other;
        }
        v += carry;
        out[row * width + x] = v;
        carry = __shfl_sync(0xffffffffu, v, 31);
    }
}

__global__ void sum_columns(uint32_t* table, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    for (int y = 0; y < height; ++y) table[y * width + x] = sum += table[y * width + x];
}

__global__ void box(const uint32_t* table, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int x0 = max(x - 5, -1), x1 = min(x + 4, width - 1), y0 = max(y - 5, -1), y1 = min(y + 4, height - 1);
    auto at = [&](int u, int v) { return u < 0 || v < 0 ? 0u : table[v * width + u]; };
    const uint32_t sum = at(x1, y1) - at(x0, y1) - at(x1, y0) + at(x0, y0);
    out[y * width + x] = static_cast<float>(sum) / static_cast<float>((x1 - x0) * (y1 - y0));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int width = app.size(512, 2048), height = width / 2;
    const auto n = static_cast<std::size_t>(width) * height;
    auto data = app::integers(n, 9, 256);
    app::Buffer<uint32_t> in(data), table(n);
    app::Buffer<float> out(n);
    sum_rows<<<static_cast<unsigned>(height / 4), dim3(32, 4)>>>(in.get(), table.get(), width);
    bench::finish();
    sum_columns<<<static_cast<unsigned>(width / 64), 64>>>(table.get(), width, height);
    bench::finish();
    box<<<dim3(static_cast<unsigned>(width / 32), static_cast<unsigned>(height / 8)), dim3(32, 8)>>>(table.get(), out.get(), width, height);
    bench::finish();
    std::vector<uint32_t> sums(data);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const auto i = static_cast<std::size_t>(y * width + x);
            sums[i] += (x ? sums[i - 1] : 0) + (y ? sums[i - static_cast<std::size_t>(width)] : 0) - (x && y ? sums[i - static_cast<std::size_t>(width) - 1] : 0);
        }
    app.check(table.download(), sums, 0);
    return app.finish();
}
