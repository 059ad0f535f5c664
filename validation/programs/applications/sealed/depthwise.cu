// SPDX-License-Identifier: Apache-2.0
//
// The two halves of a separable layer of a network, channels last: each channel with a 3 x 3 mask of its own, then all channels mixed.
#include "../app.h"

constexpr int kChannels = 64;

__global__ void each_channel(const float4* in, const float4* mask, float4* out, int n) {
    const int c = threadIdx.x, x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y;
    constexpr int kQuads = kChannels / 4;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            const int u = x + dx, v = y + dy;
            if (u < 0 || v < 0 || u >= n || v >= n) continue;
            const float4 value = in[(v * n + u) * kQuads + c], weight = mask[((dy + 1) * 3 + dx + 1) * kQuads + c];
            sum.x += value.x * weight.x, sum.y += value.y * weight.y, sum.z += value.z * weight.z, sum.w += value.w * weight.w;
        }
    out[(y * n + x) * kQuads + c] = sum;
}

// A block makes 16 pixels of 64 channels.
__global__ void all_channels(const float* in, const float* weights, float* out) {
    __shared__ float pixels[16][kChannels];
    const std::size_t base = static_cast<std::size_t>(blockIdx.x) * 16 * kChannels;
    for (int i = threadIdx.x; i < 16 * kChannels; i += 256) pixels[i / kChannels][i % kChannels] = in[base + i];
    __syncthreads();
    const int to = threadIdx.x % kChannels, first = threadIdx.x / kChannels * 4;
    float sum[4] = {};
    for (int c = 0; c < kChannels; ++c) {
        const float w = weights[c * kChannels + to];
#pragma unroll
        for (int p = 0; p < 4; ++p) sum[p] += pixels[first + p][c] * w;
    }
#pragma unroll
    for (int p = 0; p < 4; ++p) out[base + (first + p) * kChannels + to] = fmaxf(sum[p], 0.0f);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(64, 512);
    const auto count = static_cast<std::size_t>(n) * n * kChannels;
    const auto data = app::floats(count, 71), mask = app::floats(9 * kChannels, 72), weights = app::floats(kChannels * kChannels, 73);
    app::Buffer<float> in(data), m(mask), w(weights), middle(count), out(count);
    each_channel<<<dim3(n / 8, n), dim3(kChannels / 4, 8)>>>(reinterpret_cast<float4*>(in.get()), reinterpret_cast<float4*>(m.get()),
                                                            reinterpret_cast<float4*>(middle.get()), n);
    all_channels<<<n * n / 16, 256>>>(middle.get(), w.get(), out.get());
    bench::finish();
    std::vector<float> between(count), want(count);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            float* p = &between[(static_cast<std::size_t>(y) * n + x) * kChannels];
            for (int k = 0; k < 9; ++k) {
                const int u = x + k % 3 - 1, v = y + k / 3 - 1;
                if (u < 0 || v < 0 || u >= n || v >= n) continue;
                for (int c = 0; c < kChannels; ++c) p[c] += data[(static_cast<std::size_t>(v) * n + u) * kChannels + c] * mask[k * kChannels + c];
            }
            float* q = &want[(static_cast<std::size_t>(y) * n + x) * kChannels];
            for (int c = 0; c < kChannels; ++c)
                for (int to = 0; to < kChannels; ++to) q[to] += p[c] * weights[c * kChannels + to];
            for (int to = 0; to < kChannels; ++to) q[to] = std::max(q[to], 0.0f);
        }
    app.check(out.download(), want, 1e-4);
    return app.finish();
}
