// SPDX-License-Identifier: Apache-2.0
//
// Speckle reduction of an image: mean and variance by a reduction, then two steps of diffusion that stop at edges.
#include "../app.h"

constexpr int kThreads = 256;

__global__ void srad_sums(const float* image, float2* sums, int count) {
    __shared__ float2 part[kThreads];
    float2 own = make_float2(0, 0);
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += static_cast<int>(gridDim.x * blockDim.x)) {
        own.x += image[i];
        own.y += image[i] * image[i];
    }
    part[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            part[threadIdx.x].x += part[threadIdx.x + half].x;
            part[threadIdx.x].y += part[threadIdx.x + half].y;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__host__ __device__ inline float coefficient(float c, float n, float s, float w, float e, float q0) {
    const float gradient = (n * n + s * s + w * w + e * e) / (c * c), laplace = (n + s + w + e) / c;
    const float numerator = 0.5f * gradient - laplace * laplace / 16.0f, denominator = 1.0f + 0.25f * laplace;
    const float q = numerator / (denominator * denominator);
    const float value = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

__global__ void srad_coefficients(const float* image, float4* slopes, float* c, int n, float q0) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= n || y >= n) return;
    const int i = y * n + x;
    const float here = image[i];
    float4 d;
    d.x = image[max(y - 1, 0) * n + x] - here;
    d.y = image[min(y + 1, n - 1) * n + x] - here;
    d.z = image[y * n + max(x - 1, 0)] - here;
    d.w = image[y * n + min(x + 1, n - 1)] - here;
    slopes[i] = d;
    c[i] = coefficient(here, d.x, d.y, d.z, d.w, q0);
}

__global__ void srad_update(float* image, const float4* slopes, const float* c, int n) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= n || y >= n) return;
    const int i = y * n + x;
    const float here = c[i], south = c[min(y + 1, n - 1) * n + x], east = c[y * n + min(x + 1, n - 1)];
    const float4 d = slopes[i];
    image[i] += 0.125f * (here * d.x + south * d.y + here * d.z + east * d.w);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(256, 1024), count = n * n;
    auto image = app::floats(static_cast<std::size_t>(count), 1, 0.5f, 2.0f);
    app::Buffer<float> d_image(image), d_c(image.size());
    app::Buffer<float4> d_slopes(image.size());
    const int parts = std::min(264, count / 1024);
    app::Buffer<float2> d_sums(static_cast<std::size_t>(parts));
    const dim3 block(32, 8), grid(app::blocks(n, 32), app::blocks(n, 8));
    std::vector<float4> slopes(image.size());
    std::vector<float> c(image.size());
    for (int round = 0; round < 2; ++round) {
        srad_sums<<<static_cast<unsigned>(parts), kThreads>>>(d_image.get(), d_sums.get(), count);
        bench::finish();
        double sum = 0, squares = 0;
        for (const float2& part : d_sums.download()) sum += part.x, squares += part.y;
        const double mean = sum / count;
        const auto q0 = static_cast<float>((squares / count - mean * mean) / (mean * mean));
        srad_coefficients<<<grid, block>>>(d_image.get(), d_slopes.get(), d_c.get(), n, q0);
        bench::finish();
        srad_update<<<grid, block>>>(d_image.get(), d_slopes.get(), d_c.get(), n);
        bench::finish();
        auto at = [&](int y, int x) { return image[std::min(std::max(y, 0), n - 1) * n + std::min(std::max(x, 0), n - 1)]; };
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                const float here = at(y, x);
                const float4 d = make_float4(at(y - 1, x) - here, at(y + 1, x) - here, at(y, x - 1) - here, at(y, x + 1) - here);
                slopes[y * n + x] = d;
                c[y * n + x] = coefficient(here, d.x, d.y, d.z, d.w, q0);
            }
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                const int i = y * n + x;
                const float4 d = slopes[i];
                image[i] += 0.125f * (c[i] * d.x + c[std::min(y + 1, n - 1) * n + x] * d.y + c[i] * d.z + c[y * n + std::min(x + 1, n - 1)] * d.w);
            }
    }
    app.check(d_image.download(), image, 1e-3);
    return app.finish();
}
