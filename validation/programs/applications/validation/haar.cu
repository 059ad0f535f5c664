// SPDX-License-Identifier: Apache-2.0
//
// Haar wavelet of an image: each level halves rows in shared memory, then columns directly, of the corner that is left.
#include "../app.h"

constexpr float kRoot = 0.70710678f;

__global__ void haar_rows(const float* in, float* out, int width, int stride) {
    extern __shared__ float row[];
    const float* from = in + static_cast<std::size_t>(blockIdx.x) * stride;
    float* to = out + static_cast<std::size_t>(blockIdx.x) * stride;
    for (int i = static_cast<int>(threadIdx.x); i < width; i += static_cast<int>(blockDim.x)) row[i] = from[i];
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < width / 2; i += static_cast<int>(blockDim.x)) {
        const float a = row[2 * i], b = row[2 * i + 1];
        to[i] = (a + b) * kRoot;
        to[i + width / 2] = (a - b) * kRoot;
    }
}

__global__ void haar_columns(const float* in, float* out, int width, int height, int stride) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height / 2) return;
    const float a = in[2 * y * stride + x], b = in[(2 * y + 1) * stride + x];
    out[y * stride + x] = (a + b) * kRoot;
    out[(y + height / 2) * stride + x] = (a - b) * kRoot;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(256, 1024), levels = 3;
    auto image = app::floats(static_cast<std::size_t>(n) * n, 1, 0, 255);
    app::Buffer<float> a(image), b(image.size());
    for (int level = 0; level < levels; ++level) {
        const int size = n >> level;
        haar_rows<<<static_cast<unsigned>(size), 128, size * sizeof(float)>>>(a.get(), b.get(), size, n);
        bench::finish();
        haar_columns<<<dim3(app::blocks(size, 32), app::blocks(size / 2, 8)), dim3(32, 8)>>>(b.get(), a.get(), size, size, n);
        bench::finish();
    }
    std::vector<float> line(n);
    for (int level = 0; level < levels; ++level) {
        const int size = n >> level;
        auto halve = [&](std::size_t first, std::size_t step) {
            for (int i = 0; i < size / 2; ++i) {
                const float p = image[first + 2 * i * step], q = image[first + (2 * i + 1) * step];
                line[i] = (p + q) * kRoot;
                line[i + size / 2] = (p - q) * kRoot;
            }
            for (int i = 0; i < size; ++i) image[first + i * step] = line[i];
        };
        for (int y = 0; y < size; ++y) halve(static_cast<std::size_t>(y) * n, 1);
        for (int x = 0; x < size; ++x) halve(static_cast<std::size_t>(x), static_cast<std::size_t>(n));
    }
    app.check(a.download(), image, 1e-4);
    return app.finish();
}
