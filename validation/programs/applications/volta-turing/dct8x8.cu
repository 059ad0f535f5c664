// SPDX-License-Identifier: Apache-2.0
//
// Cosine transforms of all 8 x 8 tiles of a square image. point: a thread a coefficient, pixels from a texture, one block
// for each tile. column: a thread transforms a row and a column of a tile in registers, 8 tiles of 8 threads for each block.
#include <cmath>

#include "row.h"

constexpr int kTile = 8, kWide = 32, kHigh = 16;
__constant__ float basis[kTile * kTile];

__global__ void dct_point(cudaTextureObject_t image, float* out, int n) {
    __shared__ float pixels[kTile * kTile], half[kTile * kTile];
    const unsigned x = threadIdx.x, y = threadIdx.y, at = y * kTile + x;
    const unsigned column = blockIdx.x * kTile + x, line = blockIdx.y * kTile + y;
    pixels[at] = tex2D<float>(image, static_cast<float>(column) + 0.5f, static_cast<float>(line) + 0.5f);
    row::sync();
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < kTile; ++k) sum += basis[k * kTile + y] * pixels[k * kTile + x];
    half[at] = sum;
    row::sync();
    sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < kTile; ++k) sum += half[y * kTile + k] * basis[k * kTile + x];
    out[line * static_cast<unsigned>(n) + column] = sum;
}

/// Even and odd coefficients from sums and differences of the ends.
__device__ void transform(float* v, int step) {
    const float r = 0.35355339059f, c1 = 0.49039264020f, c2 = 0.46193976626f, c3 = 0.41573480615f, c5 = 0.27778511651f,
                c6 = 0.19134171618f, c7 = 0.09754516101f;
    const float s0 = v[0] + v[7 * step], s1 = v[step] + v[6 * step], s2 = v[2 * step] + v[5 * step],
                s3 = v[3 * step] + v[4 * step];
    const float d0 = v[0] - v[7 * step], d1 = v[step] - v[6 * step], d2 = v[2 * step] - v[5 * step],
                d3 = v[3 * step] - v[4 * step];
    const float a = s0 + s3, b = s1 + s2, c = s0 - s3, d = s1 - s2;
    v[0] = r * (a + b);
    v[4 * step] = r * (a - b);
    v[2 * step] = c2 * c + c6 * d;
    v[6 * step] = c6 * c - c2 * d;
    v[step] = c1 * d0 + c3 * d1 + c5 * d2 + c7 * d3;
    v[3 * step] = c3 * d0 - c7 * d1 - c1 * d2 - c5 * d3;
    v[5 * step] = c5 * d0 - c1 * d1 + c7 * d2 + c3 * d3;
    v[7 * step] = c7 * d0 - c5 * d1 + c3 * d2 - c1 * d3;
}

__global__ void dct_column(const float* in, float* out, int n) {
    constexpr int kPitch = kWide + 1;
    __shared__ float tile[kHigh * kPitch];
    const int inside = static_cast<int>(threadIdx.x), x = static_cast<int>(threadIdx.y) * kTile + inside;
    const int y = static_cast<int>(threadIdx.z) * kTile;
    const int first = (static_cast<int>(blockIdx.y) * kHigh + y) * n + static_cast<int>(blockIdx.x) * kWide + x;
#pragma unroll
    for (int i = 0; i < kTile; ++i) tile[(y + i) * kPitch + x] = in[first + i * n];
    row::sync();
    transform(&tile[(y + inside) * kPitch + x - inside], 1);
    row::sync();
    transform(&tile[y * kPitch + x], kPitch);
#pragma unroll
    for (int i = 0; i < kTile; ++i) out[first + i * n] = tile[(y + i) * kPitch + x];
}

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "point", 512);
    const int n = options.n;
    const auto size = static_cast<std::size_t>(n);
    auto data = app::floats(size * size, 7, -128.0f, 127.0f);
    std::vector<float> cosines(64), half(64), want(size * size);
    for (int k = 0; k < 8; ++k)
        for (int i = 0; i < 8; ++i)
            cosines[static_cast<std::size_t>(k * 8 + i)] =
                static_cast<float>((k == 0 ? std::sqrt(0.125) : 0.5) * std::cos((2 * i + 1) * k * M_PI / 16));
    for (std::size_t top = 0; top < size; top += 8)
        for (std::size_t left = 0; left < size; left += 8) {
            for (std::size_t k = 0; k < 64; ++k) {
                half[k] = 0;
                for (std::size_t i = 0; i < 8; ++i) half[k] += cosines[k / 8 * 8 + i] * data[(top + i) * size + left + k % 8];
            }
            for (std::size_t k = 0; k < 64; ++k)
                for (std::size_t i = 0; i < 8; ++i)
                    want[(top + k / 8) * size + left + k % 8] += half[k / 8 * 8 + i] * cosines[k % 8 * 8 + i];
        }
    row::Buffer<float> out(size * size);
    if (options.is("point")) {
        std::vector<float> columns(64);  // of which a sum takes one word a step
        for (std::size_t k = 0; k < 64; ++k) columns[k % 8 * 8 + k / 8] = cosines[k];
        CUDA_OK(cudaMemcpyToSymbol(basis, columns.data(), sizeof basis));
        cudaArray_t array;
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        CUDA_OK(cudaMallocArray(&array, &format, size, size));
        CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, data.data(), size * 4, size * 4, size, cudaMemcpyHostToDevice));
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc texture{};
        texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
        texture.filterMode = cudaFilterModePoint;
        cudaTextureObject_t image;
        CUDA_OK(cudaCreateTextureObject(&image, &resource, &texture, nullptr));
        dct_point<<<dim3(row::blocks(n, 8), row::blocks(n, 8)), dim3(8, 8)>>>(image, out.get(), n);
        bench::finish();
        CUDA_OK(cudaDestroyTextureObject(image));
        CUDA_OK(cudaFreeArray(array));
    } else if (options.is("column")) {
        row::Buffer<float> in(data);
        dct_column<<<dim3(row::blocks(n, kWide), row::blocks(n, kHigh)), dim3(8, kWide / 8, kHigh / 8)>>>(in.get(), out.get(), n);
        bench::finish();
    } else {
        options.unknown("point, column");
    }
    app.check(out.download(), want, 1e-4);
    return app.finish();
}
