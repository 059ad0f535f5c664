// SPDX-License-Identifier: Apache-2.0
//
// Adaptive quadrature that calls itself, of integrands called through a table of function pointers.
#include "../app.h"

using Integrand = float (*)(float);

__host__ __device__ __noinline__ float peak(float x) { return 1.0f / (0.01f + (x - 0.3f) * (x - 0.3f)); }
__host__ __device__ __noinline__ float root(float x) { return sqrtf(fabsf(x - 0.5f)); }
__host__ __device__ __noinline__ float cubic(float x) { return x * x * x - 2.0f * x + 1.0f; }
__host__ __device__ __noinline__ float runge(float x) { return 1.0f / (1.0f + 25.0f * x * x); }

__device__ Integrand integrands[] = {peak, root, cubic, runge};
const Integrand host_integrands[] = {peak, root, cubic, runge};

__host__ __device__ __noinline__ float integrate(Integrand f, float a, float b, float fa, float fm, float fb, int depth) {
    const float h = b - a, m = 0.5f * (a + b);
    const float left = f(0.5f * (a + m)), right = f(0.5f * (m + b));
    const float coarse = h / 6.0f * (fa + 4.0f * fm + fb), fine = h / 12.0f * (fa + 4.0f * left + 2.0f * fm + 4.0f * right + fb);
    if (depth == 0 || fabsf(fine - coarse) < 1e-4f * h) return fine;
    return integrate(f, a, m, fa, left, fm, depth - 1) + integrate(f, m, b, fm, right, fb, depth - 1);
}

__global__ void __launch_bounds__(128) quadrature(const float* low, const float* high, float* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const Integrand f = integrands[i / 8 % 4];
    const float a = low[i], b = high[i];
    out[i] = integrate(f, a, b, f(a), f(0.5f * (a + b)), f(b), 8);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(512, 4096);
    const auto n = static_cast<std::size_t>(count);
    auto low = app::floats(n, 1, 0.0f, 0.4f), high = app::floats(n, 2, 0.5f, 1.0f);
    app::Buffer<float> a(low), b(high), out(n);
    quadrature<<<app::blocks(count, 128), 128>>>(a.get(), b.get(), out.get(), count);
    bench::finish();
    std::vector<float> want(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Integrand f = host_integrands[i / 8 % 4];
        want[i] = integrate(f, low[i], high[i], f(low[i]), f(0.5f * (low[i] + high[i])), f(high[i]), 8);
    }
    app.check(out.download(), want, 1e-3);
    return app.finish();
}
