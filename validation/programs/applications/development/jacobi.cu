// SPDX-License-Identifier: Apache-2.0
//
// Jacobi iteration with the residual reduced by atomics, ten launches that reuse the cache.
#include "../app.h"

__global__ void jacobi(const float* in, float* out, float* residual, int n) {
    __shared__ float partial[8];
    int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
    int y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
    float change = 0;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        int i = y * n + x;
        float value = 0.25f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
        change = fabsf(value - in[i]);
        out[i] = value;
    }
    for (int offset = 16; offset > 0; offset /= 2) change += __shfl_down_sync(0xffffffffu, change, offset);
    if (threadIdx.x == 0) partial[threadIdx.y] = change;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        for (int i = 1; i < 8; ++i) change += partial[i];
        atomicAdd(residual, change);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(256, 1024);
    auto data = app::floats(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 26);
    app::Buffer<float> a(data), b(data), residual(10);
    residual.clear();
    std::vector<float> next = data;
    double want = 0;
    for (int step = 0; step < 10; ++step) {
        dim3 grid(app::blocks(n, 32), app::blocks(n, 8));
        jacobi<<<grid, dim3(32, 8)>>>(step % 2 ? b.get() : a.get(), step % 2 ? a.get() : b.get(), residual.get() + step, n);
        want = 0;
        for (int y = 1; y < n - 1; ++y) {
            for (int x = 1; x < n - 1; ++x) {
                int i = y * n + x;
                next[i] = 0.25f * (data[i - 1] + data[i + 1] + data[i - n] + data[i + n]);
                want += std::fabs(next[i] - data[i]);
            }
        }
        data = next;
    }
    bench::finish();
    app.check(a.download(), data, 1e-5);
    app.check(std::vector<float>{residual.download()[9]}, {static_cast<float>(want)}, 1e-3);
    return app.finish();
}
