// SPDX-License-Identifier: Apache-2.0
//
// Many complex FFTs of 1024 points, radix 2 in shared memory with sine and cosine computed on the fly.
#include "../app.h"

constexpr int kPoints = 1024;

__global__ void fft1024(const float2* in, float2* out) {
    __shared__ float re[kPoints];
    __shared__ float im[kPoints];
    int base = static_cast<int>(blockIdx.x) * kPoints;
    for (int k = 0; k < 2; ++k) {
        unsigned i = threadIdx.x + 512 * k;
        unsigned to = __brev(i) >> 22;
        re[to] = in[base + i].x;
        im[to] = in[base + i].y;
    }
    for (int half = 1; half < kPoints; half *= 2) {
        __syncthreads();
        int t = static_cast<int>(threadIdx.x);
        int j = t & (half - 1);
        int i = 2 * t - j;
        float s;
        float c;
        __sincosf(-3.14159265f * static_cast<float>(j) / static_cast<float>(half), &s, &c);
        float xr = re[i + half] * c - im[i + half] * s;
        float xi = re[i + half] * s + im[i + half] * c;
        float ur = re[i];
        float ui = im[i];
        re[i] = ur + xr;
        im[i] = ui + xi;
        re[i + half] = ur - xr;
        im[i + half] = ui - xi;
    }
    __syncthreads();
    for (int k = 0; k < 2; ++k) {
        unsigned i = threadIdx.x + 512 * k;
        out[base + i] = make_float2(re[i], im[i]);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int count = app.size(132, 1056);
    auto data = app::floats(static_cast<std::size_t>(count) * kPoints * 2, 20);
    app::Buffer<float> in(data), out(data.size());
    fft1024<<<static_cast<unsigned>(count), 512>>>(reinterpret_cast<const float2*>(in.get()),
                                                   reinterpret_cast<float2*>(out.get()));
    bench::finish();
    std::vector<float> all = out.download();
    // The direct sum, for a few outputs of the first and the last transform.
    std::vector<float> got;
    std::vector<float> want;
    for (int which : {0, count - 1}) {
        for (int k = 0; k < kPoints; k += 73) {
            double r = 0;
            double m = 0;
            for (int i = 0; i < kPoints; ++i) {
                double angle = -2 * 3.14159265358979 * (static_cast<double>(k) * i / kPoints);
                double x = data[static_cast<std::size_t>(which * kPoints + i) * 2];
                double y = data[static_cast<std::size_t>(which * kPoints + i) * 2 + 1];
                r += x * std::cos(angle) - y * std::sin(angle);
                m += x * std::sin(angle) + y * std::cos(angle);
            }
            got.push_back(all[static_cast<std::size_t>(which * kPoints + k) * 2]);
            got.push_back(all[static_cast<std::size_t>(which * kPoints + k) * 2 + 1]);
            want.push_back(static_cast<float>(r));
            want.push_back(static_cast<float>(m));
        }
    }
    app.check(got, want, 2e-3);
    return app.finish();
}
