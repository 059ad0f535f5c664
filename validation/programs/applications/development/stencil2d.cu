// SPDX-License-Identifier: Apache-2.0
//
// Five-point stencil on a square grid, from global memory, and a 9-point one with a halo in shared memory.
#include "../app.h"

__global__ void stencil5(const float* in, float* out, int n) {
    int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    int i = y * n + x;
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

__global__ void stencil9_shared(const float* in, float* out, int n) {
    __shared__ float tile[10][34];
    int x0 = static_cast<int>(blockIdx.x) * 32 - 1;
    int y0 = static_cast<int>(blockIdx.y) * 8 - 1;
    for (int i = static_cast<int>(threadIdx.y * 32 + threadIdx.x); i < 10 * 34; i += 256) {
        int x = min(max(x0 + i % 34, 0), n - 1);
        int y = min(max(y0 + i / 34, 0), n - 1);
        tile[i / 34][i % 34] = in[y * n + x];
    }
    __syncthreads();
    int x = x0 + 1 + static_cast<int>(threadIdx.x);
    int y = y0 + 1 + static_cast<int>(threadIdx.y);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    float sum = 0;
    for (int dy = 0; dy < 3; ++dy) {
        for (int dx = 0; dx < 3; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
    }
    out[y * n + x] = sum / 9.0f;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(512, 2048);
    auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    auto data = app::floats(count, 8);
    app::Buffer<float> in(data), out(count);
    std::vector<float> five(count, 0.0f);
    std::vector<float> nine(count, 0.0f);
    for (int y = 1; y < n - 1; ++y) {
        for (int x = 1; x < n - 1; ++x) {
            int i = y * n + x;
            five[i] = 0.5f * data[i] + 0.125f * (data[i - 1] + data[i + 1] + data[i - n] + data[i + n]);
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) nine[i] += data[i + dy * n + dx];
            }
            nine[i] /= 9.0f;
        }
    }
    dim3 block(32, 8);
    dim3 grid(app::blocks(n, 32), app::blocks(n, 8));
    out.clear();
    stencil5<<<grid, block>>>(in.get(), out.get(), n);
    bench::finish();
    app.check(out.download(), five, 1e-6);
    out.clear();
    stencil9_shared<<<grid, block>>>(in.get(), out.get(), n);
    bench::finish();
    app.check(out.download(), nine, 1e-5);
    return app.finish();
}
