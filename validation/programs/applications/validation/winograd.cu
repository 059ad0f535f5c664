// SPDX-License-Identifier: Apache-2.0
//
// A 3 by 3 convolution by Winograd's F(2x2, 3x3): filters and tiles of 4 by 4 transformed, 16 products of matrices, and back.
#include "../app.h"

__global__ void filter_transform(const float* filters, float* u, int pairs) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= pairs) return;
    float g[3][3], t[4][3];
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x) g[y][x] = filters[i * 9 + y * 3 + x];
    for (int x = 0; x < 3; ++x) {
        t[0][x] = g[0][x], t[3][x] = g[2][x];
        t[1][x] = 0.5f * (g[0][x] + g[1][x] + g[2][x]), t[2][x] = 0.5f * (g[0][x] - g[1][x] + g[2][x]);
    }
    for (int y = 0; y < 4; ++y) {
        u[(y * 4 + 0) * pairs + i] = t[y][0];
        u[(y * 4 + 1) * pairs + i] = 0.5f * (t[y][0] + t[y][1] + t[y][2]);
        u[(y * 4 + 2) * pairs + i] = 0.5f * (t[y][0] - t[y][1] + t[y][2]);
        u[(y * 4 + 3) * pairs + i] = t[y][2];
    }
}

// A thread per tile and channel; v is [16][channel][tile].
__global__ void input_transform(const float* image, float* v, int side, int channels) {
    const int wide = side / 2, tiles = wide * wide, tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), channel = blockIdx.y;
    if (tile >= tiles) return;
    const int x0 = tile % wide * 2 - 1, y0 = tile / wide * 2 - 1;
    float d[4][4], t[4][4];
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) {
            const bool inside = x0 + x >= 0 && x0 + x < side && y0 + y >= 0 && y0 + y < side;
            d[y][x] = inside ? __ldg(&image[(channel * side + y0 + y) * side + x0 + x]) : 0;
        }
    for (int x = 0; x < 4; ++x) {
        t[0][x] = d[0][x] - d[2][x], t[1][x] = d[1][x] + d[2][x];
        t[2][x] = d[2][x] - d[1][x], t[3][x] = d[1][x] - d[3][x];
    }
    const int plane = channels * tiles, at = channel * tiles + tile;
    for (int y = 0; y < 4; ++y) {
        v[(y * 4 + 0) * plane + at] = t[y][0] - t[y][2], v[(y * 4 + 1) * plane + at] = t[y][1] + t[y][2];
        v[(y * 4 + 2) * plane + at] = t[y][2] - t[y][1], v[(y * 4 + 3) * plane + at] = t[y][1] - t[y][3];
    }
}

// m[z] = u[z] (outs x channels) * v[z] (channels x tiles); 32 x 64 results per block of 128 threads, 4 x 4 each.
__global__ void __launch_bounds__(128) products(const float* u, const float* v, float* m, int outs, int channels, int tiles) {
    __shared__ float us[16][32 + 1], vs[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.y * 32, column = blockIdx.x * 64;
    u += static_cast<std::size_t>(blockIdx.z) * outs * channels;
    v += static_cast<std::size_t>(blockIdx.z) * channels * tiles;
    float sum[4][4] = {};
    for (int k = 0; k < channels; k += 16) {
        for (int i = t; i < 32 * 16; i += 128) us[i % 16][i / 16] = u[(row + i / 16) * channels + k + i % 16];
        for (int i = t; i < 16 * 16; i += 128)
            *reinterpret_cast<float4*>(&vs[i / 16][i % 16 * 4]) = *reinterpret_cast<const float4*>(&v[(k + i / 16) * tiles + column + i % 16 * 4]);
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; ++kk) {
            const float4 b = *reinterpret_cast<const float4*>(&vs[kk][tx * 4]);
            for (int y = 0; y < 4; ++y) {
                const float a = us[kk][ty * 4 + y];
                sum[y][0] += a * b.x, sum[y][1] += a * b.y, sum[y][2] += a * b.z, sum[y][3] += a * b.w;
            }
        }
        __syncthreads();
    }
    for (int y = 0; y < 4; ++y)
        *reinterpret_cast<float4*>(&m[(static_cast<std::size_t>(blockIdx.z) * outs + row + ty * 4 + y) * tiles + column + tx * 4]) =
            make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
}

__global__ void output_transform(const float* m, const float* bias, float* out, int side, int outs) {
    const int wide = side / 2, tiles = wide * wide, tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), channel = blockIdx.y;
    if (tile >= tiles) return;
    float t[2][4];
    for (int x = 0; x < 4; ++x) {
        float c[4];
        for (int y = 0; y < 4; ++y) c[y] = m[(static_cast<std::size_t>(y * 4 + x) * outs + channel) * tiles + tile];
        t[0][x] = c[0] + c[1] + c[2], t[1][x] = c[1] - c[2] - c[3];
    }
    for (int y = 0; y < 2; ++y) {
        const float a = t[y][0] + t[y][1] + t[y][2] + bias[channel], b = t[y][1] - t[y][2] - t[y][3] + bias[channel];
        *reinterpret_cast<float2*>(&out[(channel * side + tile / wide * 2 + y) * side + tile % wide * 2]) = make_float2(fmaxf(a, 0), fmaxf(b, 0));
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int side = app.size(32, 64), channels = 64, outs = 64, tiles = side * side / 4, pixels = side * side;
    const auto image = app::floats(static_cast<std::size_t>(channels) * pixels, 1), filters = app::floats(static_cast<std::size_t>(outs) * channels * 9, 2, -0.1f, 0.1f),
               bias = app::floats(outs, 3);
    app::Buffer<float> dimage(image), dfilters(filters), dbias(bias), u(16 * static_cast<std::size_t>(outs) * channels),
        v(16 * static_cast<std::size_t>(channels) * tiles), m(16 * static_cast<std::size_t>(outs) * tiles), out(static_cast<std::size_t>(outs) * pixels);
    filter_transform<<<app::blocks(outs * channels, 128), 128>>>(dfilters.get(), u.get(), outs * channels);
    bench::finish();
    input_transform<<<dim3(app::blocks(tiles, 128), channels), 128>>>(dimage.get(), v.get(), side, channels);
    bench::finish();
    products<<<dim3(tiles / 64, outs / 32, 16), 128>>>(u.get(), v.get(), m.get(), outs, channels, tiles);
    bench::finish();
    output_transform<<<dim3(app::blocks(tiles, 128), outs), 128>>>(m.get(), dbias.get(), out.get(), side, outs);
    bench::finish();
    const auto result = out.download();
    std::vector<float> got, want;
    for (int at = 0; at < outs * pixels; at += 19) {
        const int o = at / pixels, py = at % pixels / side, px = at % side;
        float sum = bias[o];
        for (int c = 0; c < channels; ++c)
            for (int y = 0; y < 3; ++y)
                for (int x = 0; x < 3; ++x) {
                    const int iy = py + y - 1, ix = px + x - 1;
                    if (iy >= 0 && iy < side && ix >= 0 && ix < side) sum += image[(c * side + iy) * side + ix] * filters[((o * channels + c) * 3 + y) * 3 + x];
                }
        got.push_back(result[at]), want.push_back(std::max(sum, 0.0f));
    }
    app.check(got, want, 1e-4);
    return app.finish();
}
