// SPDX-License-Identifier: Apache-2.0
//
// Bilateral filter: each pixel becomes the mean of those around it, weighted by how near and how alike they are.
#include "../app.h"

constexpr int kRadius = 3;

__global__ void bilateral(const float* __restrict__ in, float* __restrict__ out, int width, int height, float alike) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height) return;
    const float centre = in[y * width + x];
    float sum = 0, weights = 0;
    for (int dy = -kRadius; dy <= kRadius; ++dy)
        for (int dx = -kRadius; dx <= kRadius; ++dx) {
            const float v = in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
            const float off = v - centre;
            const float weight = __expf(-static_cast<float>(dx * dx + dy * dy) / 8.0f - off * off * alike);
            sum += weight * v;
            weights += weight;
        }
    out[y * width + x] = sum / weights;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(128, 512);
    auto image = app::floats(static_cast<std::size_t>(n) * n, 1, 0, 1);
    app::Buffer<float> in(image), out(image.size());
    bilateral<<<dim3(app::blocks(n, 16), app::blocks(n, 16)), dim3(16, 16)>>>(in.get(), out.get(), n, n, 10.0f);
    bench::finish();
    std::vector<float> want(image.size());
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            float sum = 0, weights = 0;
            for (int dy = -kRadius; dy <= kRadius; ++dy)
                for (int dx = -kRadius; dx <= kRadius; ++dx) {
                    const float v = image[std::min(std::max(y + dy, 0), n - 1) * n + std::min(std::max(x + dx, 0), n - 1)];
                    const float off = v - image[y * n + x];
                    const float weight = std::exp(-static_cast<float>(dx * dx + dy * dy) / 8.0f - off * off * 10.0f);
                    sum += weight * v;
                    weights += weight;
                }
            want[y * n + x] = sum / weights;
        }
    app.check(out.download(), want, 1e-4);
    return app.finish();
}
