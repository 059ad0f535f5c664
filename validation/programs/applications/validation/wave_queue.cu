// SPDX-License-Identifier: Apache-2.0
//
// A wave equation of eighth order in space (as CUDA's FDTD3d): blocks of 32x16 go through the planes, with the planes
// before and behind in a queue of registers and the current one, with its rim, in shared memory.
#include "../app.h"

constexpr int kRadius = 4, kX = 32, kY = 16;
__constant__ float weights[kRadius + 1];

__global__ void __launch_bounds__(kX * kY) wave(const float* in, float* out, int nx, int ny, int nz) {
    __shared__ float plane[kY + 2 * kRadius][kX + 2 * kRadius];
    const int x = static_cast<int>(blockIdx.x) * kX + static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.y) * kY + static_cast<int>(threadIdx.y);
    const int row = nx + 2 * kRadius, layer = row * (ny + 2 * kRadius);
    int at = (y + kRadius) * row + x + kRadius;
    float behind[kRadius], front[kRadius], current;
    for (int k = kRadius - 1; k >= 0; --k) behind[k] = in[at], at += layer;
    current = in[at];
    const int first = at;
    at += layer;
    for (int k = 0; k < kRadius; ++k) front[k] = in[at], at += layer;
    const int tx = threadIdx.x + kRadius, ty = threadIdx.y + kRadius;
    for (int z = 0, centre = first; z < nz; ++z, centre += layer) {
        __syncthreads();
        if (threadIdx.y < kRadius) {
            plane[threadIdx.y][tx] = in[centre - kRadius * row];
            plane[threadIdx.y + kY + kRadius][tx] = in[centre + kY * row];
        }
        if (threadIdx.x < kRadius) {
            plane[ty][threadIdx.x] = in[centre - kRadius];
            plane[ty][threadIdx.x + kX + kRadius] = in[centre + kX];
        }
        plane[ty][tx] = current;
        __syncthreads();
        float value = weights[0] * current;
#pragma unroll
        for (int k = 1; k <= kRadius; ++k)
            value += weights[k] * (front[k - 1] + behind[k - 1] + plane[ty - k][tx] + plane[ty + k][tx] + plane[ty][tx - k] + plane[ty][tx + k]);
        out[centre] = value;
        for (int k = kRadius - 1; k > 0; --k) behind[k] = behind[k - 1];
        behind[0] = current;
        current = front[0];
        for (int k = 0; k + 1 < kRadius; ++k) front[k] = front[k + 1];
        if (z + 1 < nz) front[kRadius - 1] = in[centre + (kRadius + 1) * layer];
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int nx = app.size(64, 352), ny = nx / 2, nz = app.size(16, 40);
    const auto row = static_cast<std::size_t>(nx + 2 * kRadius), layer = row * static_cast<std::size_t>(ny + 2 * kRadius);
    const std::size_t points = layer * static_cast<std::size_t>(nz + 2 * kRadius);
    auto in = app::floats(points, 7);
    const float w[kRadius + 1] = {-0.7f, 0.16f, -0.02f, 0.0025f, -0.0002f};
    CUDA_OK(cudaMemcpyToSymbol(weights, w, sizeof w));
    app::Buffer<float> from(in), to(points);
    to.clear();
    wave<<<dim3(static_cast<unsigned>(nx / kX), static_cast<unsigned>(ny / kY)), dim3(kX, kY)>>>(from.get(), to.get(), nx, ny, nz);
    bench::finish();
    std::vector<float> want(points);
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x) {
                const std::size_t c = static_cast<std::size_t>(z + kRadius) * layer + static_cast<std::size_t>(y + kRadius) * row + static_cast<std::size_t>(x + kRadius);
                float value = w[0] * in[c];
                for (std::size_t k = 1; k <= kRadius; ++k)
                    value += w[k] * (in[c + k * layer] + in[c - k * layer] + in[c - k * row] + in[c + k * row] + in[c - k] + in[c + k]);
                want[c] = value;
            }
    app.check(to.download(), want, 1e-5);
    return app.finish();
}
