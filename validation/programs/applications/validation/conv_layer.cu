// SPDX-License-Identifier: Apache-2.0
//
// A layer of a network: 3 by 3 convolution over channels with bias and ReLU, then the largest of each 2 by 2.
#include "../app.h"

constexpr int kMaps = 4;

__global__ void conv_relu(const float* in, const float* weights, const float* bias, float* out, int channels, int n) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int map = static_cast<int>(blockIdx.z) * kMaps;
    if (x >= n || y >= n) return;
    float sum[kMaps];
    for (int m = 0; m < kMaps; ++m) sum[m] = bias[map + m];
    for (int c = 0; c < channels; ++c) {
#pragma unroll
        for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
            for (int dx = -1; dx <= 1; ++dx) {
                const bool inside = x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < n;
                const float value = inside ? in[(c * n + y + dy) * n + x + dx] : 0.0f;
#pragma unroll
                for (int m = 0; m < kMaps; ++m) sum[m] += value * __ldg(&weights[((map + m) * channels + c) * 9 + (dy + 1) * 3 + dx + 1]);
            }
    }
    for (int m = 0; m < kMaps; ++m) out[((map + m) * n + y) * n + x] = fmaxf(sum[m], 0.0f);
}

__global__ void max_pool(const float* in, float* out, int n, int count) {
    const int half = n / 2;
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const int x = i % half, y = i / half % half, c = i / (half * half);
        const float* at = in + (c * n + 2 * y) * n + 2 * x;
        const float2 top = *reinterpret_cast<const float2*>(at), bottom = *reinterpret_cast<const float2*>(at + n);
        out[i] = fmaxf(fmaxf(top.x, top.y), fmaxf(bottom.x, bottom.y));
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(32, 96), channels = 16, maps = 32;
    auto in = app::floats(static_cast<std::size_t>(channels) * n * n, 1), weights = app::floats(maps * channels * 9, 2), bias = app::floats(maps, 3);
    const int count = maps * (n / 2) * (n / 2);
    app::Buffer<float> di(in), dw(weights), db(bias), dm(static_cast<std::size_t>(maps) * n * n), dp(count);
    conv_relu<<<dim3(app::blocks(n, 32), app::blocks(n, 4), maps / kMaps), dim3(32, 4)>>>(di.get(), dw.get(), db.get(), dm.get(), channels, n);
    bench::finish();
    max_pool<<<std::min(app::blocks(count, 256), 264u), 256>>>(dm.get(), dp.get(), n, count);
    bench::finish();
    std::vector<float> map(dm.size()), pooled(count);
    for (int m = 0; m < maps; ++m)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                float sum = bias[m];
                for (int c = 0; c < channels; ++c)
                    for (int dy = -1; dy <= 1; ++dy)
                        for (int dx = -1; dx <= 1; ++dx)
                            if (x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < n)
                                sum += in[(c * n + y + dy) * n + x + dx] * weights[(m * channels + c) * 9 + (dy + 1) * 3 + dx + 1];
                map[(m * n + y) * n + x] = std::max(sum, 0.0f);
            }
    for (int i = 0; i < count; ++i) {
        const int half = n / 2, x = i % half, y = i / half % half, m = i / (half * half);
        const float* at = &map[(m * n + 2 * y) * n + 2 * x];
        pooled[i] = std::max({at[0], at[1], at[n], at[n + 1]});
    }
    app.check(dp.download(), pooled, 1e-3);
    return app.finish();
}
