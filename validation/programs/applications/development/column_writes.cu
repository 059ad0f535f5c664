// SPDX-License-Identifier: Apache-2.0
//
// Matrix transpose that reads rows and writes columns, 32 lines for a store: transpose_naive in sizes between its two.
#include "../app.h"

constexpr int kTile = 32;

__global__ void column_writes(const float* in, float* out, int n) {
    const int x = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
    const int y = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
    for (int j = 0; j < kTile; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1024, 1440);  // a multiple of 32
    const auto data = app::floats(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 126);
    app::Buffer<float> in(data), out(data.size());
    const auto blocks = static_cast<unsigned>(n / kTile);
    column_writes<<<dim3(blocks, blocks), dim3(kTile, 8)>>>(in.get(), out.get(), n);
    bench::finish();
    std::vector<float> want(data.size());
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) want[static_cast<std::size_t>(x * n + y)] = data[static_cast<std::size_t>(y * n + x)];
    app.check(out.download(), want, 0);
    return app.finish();
}
