// SPDX-License-Identifier: Apache-2.0
//
// A recursive blur (as CUDA's recursiveGaussian): a thread for each column of an image of packed colours runs down and up
// again, the image is transposed, and the same for the rows.
#include "../app.h"

__host__ __device__ inline float4 unpack(uint32_t c) {
    return make_float4(static_cast<float>(c & 255), static_cast<float>(c >> 8 & 255), static_cast<float>(c >> 16 & 255), static_cast<float>(c >> 24));
}

__host__ __device__ inline uint32_t pack(float4 c) {
    return static_cast<uint32_t>(c.x + 0.5f) | static_cast<uint32_t>(c.y + 0.5f) << 8 | static_cast<uint32_t>(c.z + 0.5f) << 16 | static_cast<uint32_t>(c.w + 0.5f) << 24;
}

__host__ __device__ inline float4 mix(float4 a, float4 b, float part) {
    return make_float4(a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, a.z + (b.z - a.z) * part, a.w + (b.w - a.w) * part);
}

__global__ void __launch_bounds__(64) columns(const uint32_t* in, uint32_t* out, int width, int height, float part) {
    const int x = static_cast<int>(blockIdx.x * 64 + threadIdx.x);
    if (x >= width) return;
    float4 state = unpack(in[x]);
    for (int y = 0; y < height; ++y) {
        state = mix(state, unpack(in[y * width + x]), part);
        out[y * width + x] = pack(state);
    }
    for (int y = height - 1; y >= 0; --y) {
        state = mix(state, unpack(out[y * width + x]), part);
        out[y * width + x] = pack(state);
    }
}

__global__ void __launch_bounds__(256) turn(const uint32_t* in, uint32_t* out, int width, int height) {
    __shared__ uint32_t tile[16][17];
    int x = static_cast<int>(blockIdx.x * 16 + threadIdx.x), y = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = static_cast<int>(blockIdx.y * 16 + threadIdx.x), y = static_cast<int>(blockIdx.x * 16 + threadIdx.y);
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int width = app.size(200, 1000), height = width * 3 / 5;
    const auto n = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    auto in = app::integers(n, 131, 0xffffffffu);
    app::Buffer<uint32_t> from(in), a(n), b(n);
    columns<<<app::blocks(width, 64), 64>>>(from.get(), a.get(), width, height, 0.25f);
    bench::finish();
    turn<<<dim3(app::blocks(width, 16), app::blocks(height, 16)), dim3(16, 16)>>>(a.get(), b.get(), width, height);
    bench::finish();
    columns<<<app::blocks(height, 64), 64>>>(b.get(), a.get(), height, width, 0.25f);
    bench::finish();
    auto filter = [](std::vector<uint32_t> image, std::size_t w, std::size_t h) {
        for (std::size_t x = 0; x < w; ++x) {
            float4 state = unpack(image[x]);
            for (std::size_t y = 0; y < h; ++y) image[y * w + x] = pack(state = mix(state, unpack(image[y * w + x]), 0.25f));
            for (std::size_t y = h; y-- > 0;) image[y * w + x] = pack(state = mix(state, unpack(image[y * w + x]), 0.25f));
        }
        return image;
    };
    const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);
    auto blurred = filter(in, w, h);
    std::vector<uint32_t> turned(n);
    for (std::size_t i = 0; i < n; ++i) turned[i % w * h + i / w] = blurred[i];
    auto want = filter(turned, h, w), got = a.download();
    // Fused or not, a colour may round to its neighbour.
    std::vector<uint32_t> apart(n), none(n);
    for (std::size_t i = 0; i < n; ++i)
        for (int s = 0; s < 32; s += 8) apart[i] += std::abs(static_cast<int>(want[i] >> s & 255) - static_cast<int>(got[i] >> s & 255)) > 1;
    app.check(apart, none, 0);
    return app.finish();
}
