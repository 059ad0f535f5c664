// SPDX-License-Identifier: Apache-2.0
//
// Gaussian blur of a colour image with a filter in constant memory: rows, then columns, through shared memory.
#include "../app.h"

constexpr int kRadius = 6, kWide = 128, kTall = 32, kLanes = 16;
__constant__ float filter[2 * kRadius + 1];

__host__ __device__ inline unsigned char rounded(float v) { return static_cast<unsigned char>(v + 0.5f); }

__global__ void blur_rows(const uchar4* in, uchar4* out, int width, int height) {
    __shared__ uchar4 line[kWide + 2 * kRadius];
    const int y = static_cast<int>(blockIdx.y), first = static_cast<int>(blockIdx.x) * kWide;
    for (int i = static_cast<int>(threadIdx.x); i < kWide + 2 * kRadius; i += kWide)
        line[i] = in[y * width + min(max(first + i - kRadius, 0), width - 1)];
    __syncthreads();
    const int x = first + static_cast<int>(threadIdx.x);
    if (x >= width) return;
    float3 sum = make_float3(0, 0, 0);
    for (int k = 0; k <= 2 * kRadius; ++k) {
        const uchar4 p = line[threadIdx.x + k];
        sum.x += filter[k] * static_cast<float>(p.x);
        sum.y += filter[k] * static_cast<float>(p.y);
        sum.z += filter[k] * static_cast<float>(p.z);
    }
    out[y * width + x] = make_uchar4(rounded(sum.x), rounded(sum.y), rounded(sum.z), 255);
}

__global__ void blur_columns(const uchar4* in, uchar4* out, int width, int height) {
    __shared__ uchar4 tile[kTall + 2 * kRadius][kLanes];
    const int x = static_cast<int>(blockIdx.x) * kLanes + static_cast<int>(threadIdx.x), first = static_cast<int>(blockIdx.y) * kTall;
    for (int i = static_cast<int>(threadIdx.y); i < kTall + 2 * kRadius; i += static_cast<int>(blockDim.y))
        tile[i][threadIdx.x] = in[min(max(first + i - kRadius, 0), height - 1) * width + x];
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.y); i < kTall; i += static_cast<int>(blockDim.y)) {
        float3 sum = make_float3(0, 0, 0);
        for (int k = 0; k <= 2 * kRadius; ++k) {
            const uchar4 p = tile[i + k][threadIdx.x];
            sum.x += filter[k] * static_cast<float>(p.x);
            sum.y += filter[k] * static_cast<float>(p.y);
            sum.z += filter[k] * static_cast<float>(p.z);
        }
        out[(first + i) * width + x] = make_uchar4(rounded(sum.x), rounded(sum.y), rounded(sum.z), 255);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(256, 1024);
    std::vector<float> weights(2 * kRadius + 1);
    float total = 0;
    for (int k = -kRadius; k <= kRadius; ++k) total += weights[k + kRadius] = std::exp(-static_cast<float>(k * k) / 18.0f);
    for (float& weight : weights) weight /= total;
    CUDA_OK(cudaMemcpyToSymbol(filter, weights.data(), weights.size() * sizeof(float)));
    auto bytes = app::integers(static_cast<std::size_t>(n) * n, 1, 1u << 24);
    std::vector<uchar4> image(bytes.size()), middle(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i)
        image[i] = make_uchar4(bytes[i] & 255, bytes[i] >> 8 & 255, bytes[i] >> 16 & 255, 255);
    app::Buffer<uchar4> a(image), b(image.size()), c(image.size());
    blur_rows<<<dim3(app::blocks(n, kWide), static_cast<unsigned>(n)), kWide>>>(a.get(), b.get(), n, n);
    bench::finish();
    blur_columns<<<dim3(app::blocks(n, kLanes), app::blocks(n, kTall)), dim3(kLanes, 8)>>>(b.get(), c.get(), n, n);
    bench::finish();
    auto blur = [&](const std::vector<uchar4>& from, int y, int x, int dy, int dx) {
        float3 sum = make_float3(0, 0, 0);
        for (int k = -kRadius; k <= kRadius; ++k) {
            const uchar4 p = from[std::min(std::max(y + k * dy, 0), n - 1) * n + std::min(std::max(x + k * dx, 0), n - 1)];
            sum.x += weights[k + kRadius] * static_cast<float>(p.x);
            sum.y += weights[k + kRadius] * static_cast<float>(p.y);
            sum.z += weights[k + kRadius] * static_cast<float>(p.z);
        }
        return make_uchar4(rounded(sum.x), rounded(sum.y), rounded(sum.z), 255);
    };
    std::vector<int> got, want;
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) middle[y * n + x] = blur(image, y, x, 0, 1);
    const auto result = c.download();
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const uchar4 p = result[y * n + x], q = blur(middle, y, x, 1, 0);
            for (int v : {p.x, p.y, p.z}) got.push_back(v + 100);        // a step of rounding more or less is allowed
            for (int v : {q.x, q.y, q.z}) want.push_back(v + 100);
        }
    app.check(got, want, 0.0201);
    return app.finish();
}
