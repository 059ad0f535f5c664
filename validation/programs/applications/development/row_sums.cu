// SPDX-License-Identifier: Apache-2.0
//
// Each thread adds up a row: 32 lines for a load, each sector of which eight loads use in turn.
#include "../app.h"

constexpr int kWidth = 128;

__global__ void row_sums(const float* in, float* out, int width) {
    const int y = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += in[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + x];
    out[y] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(16384, 65536);  // a multiple of 128
    const auto data = app::floats(static_cast<std::size_t>(rows) * kWidth, 127);
    app::Buffer<float> in(data), out(static_cast<std::size_t>(rows));
    row_sums<<<static_cast<unsigned>(rows / 128), 128>>>(in.get(), out.get(), kWidth);
    bench::finish();
    std::vector<float> want;
    for (int y = 0; y < rows; ++y) {
        float sum = 0;
        for (int x = 0; x < kWidth; ++x) sum += data[static_cast<std::size_t>(y * kWidth + x)];
        want.push_back(sum);
    }
    app.check(out.download(), want, 1e-4);
    return app.finish();
}
