// SPDX-License-Identifier: Apache-2.0
//
// Escape times of the Mandelbrot set: loops of very different length in neighbouring threads.
#include "../app.h"

constexpr int kLimit = 256;

__host__ __device__ inline int escape(float cx, float cy) {
    float x = 0;
    float y = 0;
    int i = 0;
    for (; i < kLimit; ++i) {
        // Explicit operations, so that host and device round alike.
#ifdef __CUDA_ARCH__
        float xx = __fmul_rn(x, x);
        float yy = __fmul_rn(y, y);
        if (__fadd_rn(xx, yy) > 4.0f) break;
        y = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, x), y), cy);
        x = __fadd_rn(__fadd_rn(xx, -yy), cx);
#else
        volatile float xx = x * x;
        volatile float yy = y * y;
        volatile float norm = xx + yy;
        if (norm > 4.0f) break;
        volatile float product = 2.0f * x;
        product = product * y;
        y = product + cy;
        volatile float difference = xx - yy;
        x = difference + cx;
#endif
    }
    return i;
}

__global__ void mandelbrot(int* out, int n, float step) {
    int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < n && y < n) {
        out[y * n + x] = escape(static_cast<float>(x) * step - 2.0f, static_cast<float>(y) * step - 1.5f);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(256, 1024);
    float step = 3.0f / static_cast<float>(n);  // a power of two below 3: the products are exact enough to agree
    app::Buffer<int> out(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    mandelbrot<<<dim3(app::blocks(n, 16), app::blocks(n, 16)), dim3(16, 16)>>>(out.get(), n, step);
    bench::finish();
    std::vector<int> got = out.download();
    // Points at the set's border may differ by the fused multiply of the coordinates: count them.
    std::size_t different = 0;
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
            int want = escape(std::fma(static_cast<float>(x), step, -2.0f), std::fma(static_cast<float>(y), step, -1.5f));
            if (got[static_cast<std::size_t>(y * n + x)] != want) ++different;
        }
    }
    app.check(std::vector<float>{static_cast<float>(different)}, {0.0f}, 0);
    return app.finish();
}
