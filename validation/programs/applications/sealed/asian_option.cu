// SPDX-License-Identifier: Apache-2.0
//
// Paths of a price by random numbers made in registers: the mean along each path (single precision with exp and log), and the mean and
// spread of all paths in double precision.
#include "../app.h"

__host__ __device__ inline uint32_t next(uint32_t& s) {
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    return s;
}

__global__ void paths(float* out, int steps, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    uint32_t state = 2654435761u * (i + 1) | 1;
    float log_price = 0, sum = 0;
    for (int s = 0; s < steps; ++s) {
        // Sum of four uniforms: near enough to normal, and the same on the CPU.
        float z = -2.0f;
#pragma unroll
        for (int k = 0; k < 4; ++k) z += static_cast<float>(next(state) >> 8) * (1.0f / 16777216.0f);
        log_price += 0.0005f + 0.03f * z;
        sum += __expf(log_price);
    }
    out[i] = fmaxf(100.0f * sum / steps - 100.0f, 0.0f);
}

__global__ void moments(const float* in, double* out, int count) {
    __shared__ double part[2][8];
    double sum = 0, squares = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const double v = in[i];
        sum += v, squares += v * v;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    }
    if (threadIdx.x % 32 == 0) part[0][threadIdx.x / 32] = sum, part[1][threadIdx.x / 32] = squares;
    __syncthreads();
    if (threadIdx.x < 2) {
        double all = 0;
        for (int w = 0; w < 8; ++w) all += part[threadIdx.x][w];
        out[blockIdx.x * 2 + threadIdx.x] = all;
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(16384, 524288), steps = 64, blocks = 132;
    app::Buffer<float> out(count);
    app::Buffer<double> sums(blocks * 2);
    paths<<<app::blocks(count, 256), 256>>>(out.get(), steps, count);
    moments<<<blocks, 256>>>(out.get(), sums.get(), count);
    bench::finish();
    std::vector<float> want(count);
    double total = 0;
    const auto got = out.download();
    for (int i = 0; i < count; ++i) {
        uint32_t state = 2654435761u * static_cast<uint32_t>(i + 1) | 1;
        double log_price = 0, sum = 0;
        for (int s = 0; s < steps; ++s) {
            double z = -2;
            for (int k = 0; k < 4; ++k) z += (next(state) >> 8) / 16777216.0;
            log_price += 0.0005 + 0.03 * z;
            sum += std::exp(log_price);
        }
        want[i] = static_cast<float>(std::max(100 * sum / steps - 100, 0.0));
        total += got[i];
    }
    double summed = 0;
    const auto parts = sums.download();
    for (int b = 0; b < blocks; ++b) summed += parts[2 * b];
    app.check(got, want, 2e-3);
    app.check(std::vector<double>{summed}, std::vector<double>{total}, 1e-9);
    return app.finish();
}
