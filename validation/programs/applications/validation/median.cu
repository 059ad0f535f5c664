// SPDX-License-Identifier: Apache-2.0
//
// Median of 5x5 windows by counting into a histogram of 16 classes in local memory, then choosing among the class's members.
#include "../app.h"

__host__ __device__ inline uint32_t median_of(const uint32_t* window) {
    uint8_t count[16] = {};
    for (int i = 0; i < 25; ++i) ++count[window[i] >> 4];
    int seen = 0, group = 0;
    while (seen + count[group] < 13) seen += count[group++];
    uint32_t members[25];
    int n = 0;
    for (int i = 0; i < 25; ++i)
        if (window[i] >> 4 == static_cast<uint32_t>(group)) members[n++] = window[i];
    for (int i = 0; i <= 12 - seen; ++i) {
        int least = i;
        for (int j = i + 1; j < n; ++j)
            if (members[j] < members[least]) least = j;
        const uint32_t keep = members[i];
        members[i] = members[least], members[least] = keep;
    }
    return members[12 - seen];
}

__global__ void median(const uint8_t* in, uint8_t* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    uint32_t window[25];
    for (int k = 0; k < 25; ++k) {
        const int u = min(max(x + k % 5 - 2, 0), width - 1), v = min(max(y + k / 5 - 2, 0), height - 1);
        window[k] = in[v * width + u];
    }
    out[y * width + x] = static_cast<uint8_t>(median_of(window));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int width = app.size(200, 700), height = width * 3 / 4;
    auto random = app::integers(static_cast<std::size_t>(width) * height, 6, 256);
    std::vector<uint8_t> in(random.begin(), random.end()), want(in.size());
    app::Buffer<uint8_t> from(in), to(in.size());
    median<<<dim3(app::blocks(width, 32), app::blocks(height, 4)), dim3(32, 4)>>>(from.get(), to.get(), width, height);
    bench::finish();
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            uint32_t window[25];
            for (int k = 0; k < 25; ++k)
                window[k] = in[static_cast<std::size_t>(std::min(std::max(y + k / 5 - 2, 0), height - 1) * width + std::min(std::max(x + k % 5 - 2, 0), width - 1))];
            want[static_cast<std::size_t>(y * width + x)] = static_cast<uint8_t>(median_of(window));
        }
    app.check(to.download(), want, 0);
    return app.finish();
}
