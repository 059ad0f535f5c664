// SPDX-License-Identifier: Apache-2.0
//
// C = A B in FP32, three ways: one thread per element from global memory, 16x16 tiles in shared memory, and 64x64 tiles
// with 4x4 elements per thread in registers.
#include "../app.h"

__global__ void sgemm_naive(const float* a, const float* b, float* c, int n) {
    int column = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
    int row = static_cast<int>(threadIdx.y + blockIdx.y * blockDim.y);
    float sum = 0;
    for (int k = 0; k < n; ++k) sum = fmaf(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

__global__ void sgemm_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][16];
    __shared__ float bs[16][16];
    int column = static_cast<int>(threadIdx.x + blockIdx.x * 16);
    int row = static_cast<int>(threadIdx.y + blockIdx.y * 16);
    float sum = 0;
    for (int base = 0; base < n; base += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + base + static_cast<int>(threadIdx.x)];
        bs[threadIdx.y][threadIdx.x] = b[(base + static_cast<int>(threadIdx.y)) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) sum = fmaf(as[threadIdx.y][k], bs[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void __launch_bounds__(256) sgemm_registers(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][64 + 4];
    __shared__ float bs[16][64];
    int tx = static_cast<int>(threadIdx.x) % 16;
    int ty = static_cast<int>(threadIdx.x) / 16;
    int row0 = static_cast<int>(blockIdx.y) * 64;
    int column0 = static_cast<int>(blockIdx.x) * 64;
    float sum[4][4] = {};
    for (int base = 0; base < n; base += 16) {
        for (int i = static_cast<int>(threadIdx.x); i < 64 * 16; i += 256) {
            as[i % 16][i / 16] = a[(row0 + i / 16) * n + base + i % 16];
            bs[i / 64][i % 64] = b[(base + i / 64) * n + column0 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float4 u = *reinterpret_cast<const float4*>(&as[k][ty * 4]);
            float4 v = *reinterpret_cast<const float4*>(&bs[k][tx * 4]);
            const float us[4] = {u.x, u.y, u.z, u.w};
            const float vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] = fmaf(us[i], vs[j], sum[i][j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) c[(row0 + ty * 4 + i) * n + column0 + tx * 4 + j] = sum[i][j];
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(192, 512);
    auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    auto a = app::floats(count, 5);
    auto b = app::floats(count, 6);
    app::Buffer<float> da(a), db(b), dc(count);
    std::vector<float> want(count, 0.0f);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < n; ++j) want[i * n + j] = std::fma(a[i * n + k], b[k * n + j], want[i * n + j]);
        }
    }
    auto tiles = static_cast<unsigned>(n / 16);
    sgemm_naive<<<dim3(tiles, tiles), dim3(16, 16)>>>(da.get(), db.get(), dc.get(), n);
    bench::finish();
    app.check(dc.download(), want, 1e-4);
    dc.clear();
    sgemm_tiled<<<dim3(tiles, tiles), dim3(16, 16)>>>(da.get(), db.get(), dc.get(), n);
    bench::finish();
    app.check(dc.download(), want, 1e-4);
    dc.clear();
    sgemm_registers<<<dim3(tiles / 4, tiles / 4), 256>>>(da.get(), db.get(), dc.get(), n);
    bench::finish();
    app.check(dc.download(), want, 1e-4);
    return app.finish();
}
