// SPDX-License-Identifier: Apache-2.0
//
// Layers of a small vision network on halves, channels last: depthwise 3 by 3, group norm with SiLU, bilinear upsampling, and channels first.
#include <cuda_fp16.h>

#include "../app.h"

constexpr int kChannels = 64, kGroups = 8;

// A thread for 8 channels of one pixel.
__global__ void __launch_bounds__(128) depthwise(const uint4* x, const float* filters, uint4* out, int side) {
    __shared__ float weights[9][kChannels];
    for (int i = threadIdx.x; i < 9 * kChannels; i += 128) weights[i / kChannels][i % kChannels] = filters[i];
    __syncthreads();
    const int at = static_cast<int>(blockIdx.x * 128 + threadIdx.x), part = at % (kChannels / 8), pixel = at / (kChannels / 8), px = pixel % side, py = pixel / side;
    if (py >= side) return;
    const std::size_t image = static_cast<std::size_t>(blockIdx.y) * side * side;
    float sum[8] = {};
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            if (py + dy < 0 || py + dy >= side || px + dx < 0 || px + dx >= side) continue;
            const uint4 raw = __ldg(&x[(image + (py + dy) * side + px + dx) * (kChannels / 8) + part]);
            const float* w = &weights[(dy + 1) * 3 + dx + 1][part * 8];
            for (int i = 0; i < 4; ++i) {
                const float2 two = __half22float2(reinterpret_cast<const __half2*>(&raw)[i]);
                sum[2 * i] += two.x * w[2 * i], sum[2 * i + 1] += two.y * w[2 * i + 1];
            }
        }
    uint4 raw;
    for (int i = 0; i < 4; ++i) reinterpret_cast<__half2*>(&raw)[i] = __floats2half2_rn(sum[2 * i], sum[2 * i + 1]);
    out[(image + pixel) * (kChannels / 8) + part] = raw;
}

// A block per image and group of 8 channels.
__global__ void __launch_bounds__(256) group_norm(uint4* x, const float* scale, const float* shift, int pixels) {
    __shared__ float2 parts[8];
    uint4* at = x + static_cast<std::size_t>(blockIdx.y) * pixels * (kChannels / 8) + blockIdx.x;
    float2 sum = {};
    for (int i = threadIdx.x; i < pixels; i += 256) {
        const uint4 raw = at[i * (kChannels / 8)];
        for (int j = 0; j < 4; ++j) {
            const float2 two = __half22float2(reinterpret_cast<const __half2*>(&raw)[j]);
            sum.x += two.x + two.y, sum.y += two.x * two.x + two.y * two.y;
        }
    }
    for (int step = 16; step > 0; step /= 2) sum.x += __shfl_xor_sync(0xffffffffu, sum.x, step), sum.y += __shfl_xor_sync(0xffffffffu, sum.y, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    float2 all = {};
    for (const float2& part : parts) all.x += part.x, all.y += part.y;
    const float mean = all.x / static_cast<float>(8 * pixels), one = rsqrtf(all.y / static_cast<float>(8 * pixels) - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < pixels; i += 256) {
        uint4 raw = at[i * (kChannels / 8)];
        for (int j = 0; j < 4; ++j) {
            auto& both = reinterpret_cast<__half2*>(&raw)[j];
            float2 two = __half22float2(both);
            const int c = static_cast<int>(blockIdx.x) * 8 + 2 * j;
            two.x = (two.x - mean) * one * scale[c] + shift[c], two.y = (two.y - mean) * one * scale[c + 1] + shift[c + 1];
            both = __floats2half2_rn(two.x / (1 + __expf(-two.x)), two.y / (1 + __expf(-two.y)));
        }
        at[i * (kChannels / 8)] = raw;
    }
}

__global__ void upsample(const __half2* x, __half2* out, int side) {
    const int wide = 2 * side, ox = blockIdx.x * blockDim.y + threadIdx.y, oy = blockIdx.y;
    const float fy = fmaxf((static_cast<float>(oy) + 0.5f) / 2 - 0.5f, 0), fx = fmaxf((static_cast<float>(ox) + 0.5f) / 2 - 0.5f, 0);
    const int y0 = static_cast<int>(fy), x0 = static_cast<int>(fx), y1 = min(y0 + 1, side - 1), x1 = min(x0 + 1, side - 1);
    const float wy = fy - static_cast<float>(y0), wx = fx - static_cast<float>(x0);
    const __half2* image = x + static_cast<std::size_t>(blockIdx.z) * side * side * (kChannels / 2) + threadIdx.x;
    const float2 a = __half22float2(image[(y0 * side + x0) * (kChannels / 2)]), b = __half22float2(image[(y0 * side + x1) * (kChannels / 2)]);
    const float2 c = __half22float2(image[(y1 * side + x0) * (kChannels / 2)]), d = __half22float2(image[(y1 * side + x1) * (kChannels / 2)]);
    out[((static_cast<std::size_t>(blockIdx.z) * wide + oy) * wide + ox) * (kChannels / 2) + threadIdx.x] =
        __floats2half2_rn((1 - wy) * ((1 - wx) * a.x + wx * b.x) + wy * ((1 - wx) * c.x + wx * d.x),
                          (1 - wy) * ((1 - wx) * a.y + wx * b.y) + wy * ((1 - wx) * c.y + wx * d.y));
}

// [pixel][channel] to [channel][pixel], 32 pixels and all channels per block.
__global__ void __launch_bounds__(256) channels_first(const __half* x, __half* out, int pixels) {
    __shared__ __half tile[32][kChannels + 2];
    const std::size_t image = static_cast<std::size_t>(blockIdx.y) * pixels * kChannels;
    const int first = blockIdx.x * 32;
    for (int i = threadIdx.x; i < 32 * kChannels; i += 256) tile[i / kChannels][i % kChannels] = x[image + static_cast<std::size_t>(first) * kChannels + i];
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * kChannels; i += 256) out[image + static_cast<std::size_t>(i / 32) * pixels + first + i % 32] = tile[i % 32][i / 32];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int side = app.size(28, 56), images = 4, pixels = side * side, wide = 2 * side;
    const std::size_t count = static_cast<std::size_t>(images) * pixels * kChannels;
    std::vector<__half> x;
    for (float value : app::floats(count, 1)) x.push_back(__float2half(value));
    const auto filters = app::floats(9 * kChannels, 2), scale = app::floats(kChannels, 3), shift = app::floats(kChannels, 4);
    app::Buffer<__half> dx(x), middle(count), large(4 * count), out(4 * count);
    app::Buffer<float> df(filters), ds(scale), dt(shift);
    depthwise<<<dim3(app::blocks(pixels * kChannels / 8, 128), images), 128>>>(reinterpret_cast<uint4*>(dx.get()), df.get(), reinterpret_cast<uint4*>(middle.get()), side);
    bench::finish();
    group_norm<<<dim3(kGroups, images), 256>>>(reinterpret_cast<uint4*>(middle.get()), ds.get(), dt.get(), pixels);
    bench::finish();
    upsample<<<dim3(wide / 8, wide, images), dim3(kChannels / 2, 8)>>>(reinterpret_cast<__half2*>(middle.get()), reinterpret_cast<__half2*>(large.get()), side);
    bench::finish();
    channels_first<<<dim3(4 * pixels / 32, images), 256>>>(large.get(), out.get(), 4 * pixels);
    bench::finish();
    const auto result = out.download();
    std::vector<float> got, want;
    for (int image = 0; image < images; ++image)
        for (int group = 0; group < kGroups; ++group) {
            std::vector<float> v(static_cast<std::size_t>(pixels) * 8);
            double sum = 0, squares = 0;
            for (int p = 0; p < pixels; ++p)
                for (int c = 0; c < 8; ++c) {
                    float value = 0;
                    for (int dy = -1; dy <= 1; ++dy)
                        for (int dx = -1; dx <= 1; ++dx) {
                            const int y = p / side + dy, xx = p % side + dx;
                            if (y >= 0 && y < side && xx >= 0 && xx < side)
                                value += __half2float(x[((static_cast<std::size_t>(image) * side + y) * side + xx) * kChannels + group * 8 + c]) *
                                         filters[((dy + 1) * 3 + dx + 1) * kChannels + group * 8 + c];
                        }
                    v[p * 8 + c] = value, sum += value, squares += value * value;
                }
            const double mean = sum / (8 * pixels), one = 1 / std::sqrt(squares / (8 * pixels) - mean * mean + 1e-5);
            for (int i = 0; i < 8 * pixels; ++i) {
                const auto value = static_cast<float>((v[i] - mean) * one * scale[group * 8 + i % 8] + shift[group * 8 + i % 8]);
                v[i] = value / (1 + std::exp(-value));
            }
            for (int p = 3; p < 4 * pixels; p += 41)
                for (int c = 0; c < 8; ++c) {
                    const float fy = std::max((static_cast<float>(p / wide) + 0.5f) / 2 - 0.5f, 0.0f), fx = std::max((static_cast<float>(p % wide) + 0.5f) / 2 - 0.5f, 0.0f);
                    const int y0 = static_cast<int>(fy), x0 = static_cast<int>(fx), y1 = std::min(y0 + 1, side - 1), x1 = std::min(x0 + 1, side - 1);
                    const float wy = fy - static_cast<float>(y0), wx = fx - static_cast<float>(x0);
                    want.push_back((1 - wy) * ((1 - wx) * v[(y0 * side + x0) * 8 + c] + wx * v[(y0 * side + x1) * 8 + c]) +
                                   wy * ((1 - wx) * v[(y1 * side + x0) * 8 + c] + wx * v[(y1 * side + x1) * 8 + c]));
                    got.push_back(__half2float(result[(static_cast<std::size_t>(image) * kChannels + group * 8 + c) * 4 * pixels + p]));
                }
        }
    app.check(got, want, 1e-2);
    return app.finish();
}
