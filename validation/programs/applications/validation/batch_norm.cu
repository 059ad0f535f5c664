// SPDX-License-Identifier: Apache-2.0
//
// Normalises each channel over a batch: a block per channel sums with float4 and shuffles, then all elements are scaled.
#include "../app.h"

__global__ void moments(const float4* in, float2* out, int batch, int channels, int pixels) {
    __shared__ float2 parts[8];
    float sum = 0, squares = 0;
    for (int b = 0; b < batch; ++b) {
        const float4* at = in + (static_cast<std::size_t>(b) * channels + blockIdx.x) * (pixels / 4);
        for (int i = threadIdx.x; i < pixels / 4; i += blockDim.x) {
            const float4 v = at[i];
            sum += v.x + v.y + v.z + v.w;
            squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
        squares += __shfl_down_sync(0xffffffffu, squares, step);
    }
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = make_float2(sum, squares);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) sum += parts[w].x, squares += parts[w].y;
        const float count = static_cast<float>(batch) * static_cast<float>(pixels), mean = sum / count;
        out[blockIdx.x] = make_float2(mean, rsqrtf(squares / count - mean * mean + 1e-5f));
    }
}

__global__ void normalise(const float4* in, const float2* moments, float4* out, int channels, int quads) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const float2 m = moments[blockIdx.y % channels];
    if (i >= quads) return;
    const std::size_t at = static_cast<std::size_t>(blockIdx.y) * quads + i;
    const float4 v = in[at];
    out[at] = make_float4((v.x - m.x) * m.y, (v.y - m.x) * m.y, (v.z - m.x) * m.y, (v.w - m.x) * m.y);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int batch = 8, channels = 64, pixels = app.size(32 * 32, 80 * 80);
    auto in = app::floats(static_cast<std::size_t>(batch) * channels * pixels, 1, -2, 3);
    app::Buffer<float> di(in), out(in.size());
    app::Buffer<float2> m(channels);
    moments<<<channels, 256>>>(reinterpret_cast<float4*>(di.get()), m.get(), batch, channels, pixels);
    bench::finish();
    normalise<<<dim3(app::blocks(pixels / 4, 256), batch * channels), 256>>>(reinterpret_cast<float4*>(di.get()), m.get(),
                                                                            reinterpret_cast<float4*>(out.get()), channels, pixels / 4);
    bench::finish();
    std::vector<float> want(in.size());
    for (int c = 0; c < channels; ++c) {
        double sum = 0, squares = 0;
        auto each = [&](auto&& what) {
            for (int b = 0; b < batch; ++b)
                for (int i = 0; i < pixels; ++i) what((static_cast<std::size_t>(b) * channels + c) * pixels + i);
        };
        each([&](std::size_t i) { sum += in[i], squares += static_cast<double>(in[i]) * in[i]; });
        const double mean = sum / (batch * pixels), scale = 1 / std::sqrt(squares / (batch * pixels) - mean * mean + 1e-5);
        each([&](std::size_t i) { want[i] = static_cast<float>((in[i] - mean) * scale); });
    }
    app.check(out.download(), want, 1e-3);
    return app.finish();
}
