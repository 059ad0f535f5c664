// SPDX-License-Identifier: Apache-2.0
//
// A sum of waves at every point: the waves (16 bytes each, 16 KiB in all) lie in constant memory, each costs a sine and a
// cosine of the special function unit. The constants do not fit the first-level constant cache, and the loop, two waves long,
// reads them by LDC; unrolled whole it would have their addresses in its instructions, and more code than the caches hold.
#include <cmath>

#include "row.h"

constexpr int kWaves = 1024;
__constant__ float4 waves[kWaves];

__global__ void sum_waves(const float* x, const float* y, const float* z, float* real, float* imaginary, int n) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const float px = x[i], py = y[i], pz = z[i];
    float re = 0.0f, im = 0.0f;
#pragma unroll 2
    for (int k = 0; k < kWaves; ++k) {
        const float4 wave = waves[k];
        const float phase = wave.x * px + wave.y * py + wave.z * pz;
        re += wave.w * __cosf(phase);
        im += wave.w * __sinf(phase);
    }
    real[i] = re;
    imaginary[i] = im;
}

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "constant_waves", 32768);
    const int n = options.n;
    const auto size = static_cast<std::size_t>(n);
    auto x = app::floats(size, 16), y = app::floats(size, 17), z = app::floats(size, 18);
    auto all = app::floats(4 * kWaves, 19, -3.0f, 3.0f);
    CUDA_OK(cudaMemcpyToSymbol(waves, all.data(), sizeof waves));
    row::Buffer<float> dx(x), dy(y), dz(z), real(size), imaginary(size);
    sum_waves<<<row::blocks(n, 256), 256>>>(dx.get(), dy.get(), dz.get(), real.get(), imaginary.get(), n);
    bench::finish();
    std::vector<float> want_re, want_im, got_re, got_im;
    auto re = real.download(), im = imaginary.download();
    for (std::size_t i = 0; i < size; i += 61) {
        double sum_re = 0, sum_im = 0;
        for (std::size_t k = 0; k < kWaves; ++k) {
            const float* wave = &all[4 * k];
            const double phase = double{wave[0]} * x[i] + double{wave[1]} * y[i] + double{wave[2]} * z[i];
            sum_re += wave[3] * std::cos(phase);
            sum_im += wave[3] * std::sin(phase);
        }
        want_re.push_back(static_cast<float>(sum_re));
        want_im.push_back(static_cast<float>(sum_im));
        got_re.push_back(re[i]);
        got_im.push_back(im[i]);
    }
    app.check(got_re, want_re, 2e-3);
    app.check(got_im, want_im, 2e-3);
    return app.finish();
}
