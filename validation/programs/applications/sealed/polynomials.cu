// SPDX-License-Identifier: Apache-2.0
//
// Polynomials of degree 63: in double precision by Horner's rule, one long chain, and in single precision by four chains at a time.
#include "../app.h"

constexpr int kTerms = 64;
__constant__ double slow[kTerms];
__constant__ float fast[kTerms];

__global__ void horner(const double* x, double* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double v = x[i];
    double sum = slow[kTerms - 1];
#pragma unroll
    for (int k = kTerms - 2; k >= 0; --k) sum = sum * v + slow[k];
    y[i] = sum;
}

__global__ void in_parts(const float* x, float* y, int n, int repeat) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], out = 0;
    for (int r = 0; r < repeat; ++r) {
        const float v2 = v * v, v4 = v2 * v2;
        float part[4];
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            part[p] = fast[kTerms - 4 + p];
#pragma unroll
            for (int k = kTerms - 8; k >= 0; k -= 4) part[p] = part[p] * v4 + fast[k + p];
        }
        out += (part[0] + part[1] * v) + v2 * (part[2] + part[3] * v);
        v *= 0.99f;
    }
    y[i] = out;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(65536, 1 << 21), repeat = 8;
    const auto weights = app::floats(kTerms, 57);
    const auto x = app::floats(n, 58);
    const std::vector<double> wide(weights.begin(), weights.end()), points(x.begin(), x.end());
    CUDA_OK(cudaMemcpyToSymbol(slow, wide.data(), kTerms * sizeof(double)));
    CUDA_OK(cudaMemcpyToSymbol(fast, weights.data(), kTerms * sizeof(float)));
    app::Buffer<double> dx(points), dy(n);
    app::Buffer<float> fx(x), fy(n);
    horner<<<app::blocks(n, 256), 256>>>(dx.get(), dy.get(), n);
    in_parts<<<app::blocks(n, 256), 256>>>(fx.get(), fy.get(), n, repeat);
    bench::finish();
    const auto value = [&](double v) {
        double sum = wide[kTerms - 1];
        for (int k = kTerms - 2; k >= 0; --k) sum = sum * v + wide[k];
        return sum;
    };
    std::vector<double> want(n);
    std::vector<float> sums(n);
    for (int i = 0; i < n; ++i) {
        want[i] = value(points[i]);
        double out = 0, v = points[i];
        for (int r = 0; r < repeat; ++r, v *= 0.99) out += value(v);
        sums[i] = static_cast<float>(out);
    }
    app.check(dy.download(), want, 1e-12);
    app.check(fy.download(), sums, 1e-4);
    return app.finish();
}
