// SPDX-License-Identifier: Apache-2.0
//
// Walsh-Hadamard transforms (as CUDA's fastWalshTransform): steps of radix 4 in global memory while they are wide, then
// the rest in dynamic shared memory.
#include "../app.h"

constexpr int kShared = 2048;

__global__ void __launch_bounds__(256) wide(float* data, int stride) {
    const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x), low = i & (stride - 1);
    const int at = (i - low) * 4 + low;
    const float a = data[at], b = data[at + stride], c = data[at + 2 * stride], d = data[at + 3 * stride];
    const float s = a + c, t = a - c, u = b + d, v = b - d;
    data[at] = s + u, data[at + stride] = s - u, data[at + 2 * stride] = t + v, data[at + 3 * stride] = t - v;
}

__global__ void __launch_bounds__(512) rest(float* data) {
    extern __shared__ float s[];
    float* own = data + blockIdx.x * kShared;
    for (int i = threadIdx.x; i < kShared; i += 512) s[i] = own[i];
    int stride = kShared / 4;
    for (; stride > 0; stride /= 4) {
        __syncthreads();
        const int i = threadIdx.x, low = i & (stride - 1), at = (i - low) * 4 + low;
        const float a = s[at], b = s[at + stride], c = s[at + 2 * stride], d = s[at + 3 * stride];
        const float e = a + c, f = a - c, g = b + d, h = b - d;
        s[at] = e + g, s[at + stride] = e - g, s[at + 2 * stride] = f + h, s[at + 3 * stride] = f - h;
        if (stride == 2) break;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kShared / 2; i += 512) {
        const float a = s[2 * i], b = s[2 * i + 1];
        s[2 * i] = a + b, s[2 * i + 1] = a - b;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kShared; i += 512) own[i] = s[i];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 17, 1 << 21);
    auto in = app::floats(static_cast<std::size_t>(n), 111);
    app::Buffer<float> data(in);
    for (int stride = n / 4; stride >= kShared; stride /= 4) {
        wide<<<static_cast<unsigned>(n / 1024), 256>>>(data.get(), stride);
        bench::finish();
    }
    rest<<<static_cast<unsigned>(n / kShared), 512, kShared * sizeof(float)>>>(data.get());
    bench::finish();
    for (std::size_t stride = in.size() / 2; stride > 0; stride /= 2)
        for (std::size_t i = 0; i < in.size(); ++i)
            if ((i & stride) == 0) {
                const float a = in[i], b = in[i + stride];
                in[i] = a + b, in[i + stride] = a - b;
            }
    // Sums of many terms: relative to their typical size.
    auto got = data.download();
    const float scale = 1.0f / std::sqrt(static_cast<float>(n));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] *= scale, got[i] *= scale;
    app.check(got, in, 1e-4);
    return app.finish();
}
