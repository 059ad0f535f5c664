// SPDX-License-Identifier: Apache-2.0
//
// Walsh-Hadamard transform of n floats. strided: steps of radix 4 in place, in global memory, one launch for each; inner:
// the last eleven steps of two, 2048 floats at a time in shared memory.
#include "row.h"

constexpr int kLog2Inner = 11, kInner = 1 << kLog2Inner, kInnerThreads = kInner / 4;

__device__ void butterfly(float& a, float& b, float& c, float& d) {
    const float p = a + c, q = a - c, r = b + d, s = b - d;
    a = p + r;
    b = p - r;
    c = q + s;
    d = q - s;
}

__global__ void strided(float* data, int stride) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int low = i & (stride - 1);
    float* at = data + (i - low) * 4 + low;
    float a = at[0], b = at[stride], c = at[2 * stride], d = at[3 * stride];
    butterfly(a, b, c, d);
    at[0] = a;
    at[stride] = b;
    at[2 * stride] = c;
    at[3 * stride] = d;
}

__global__ void inner(const float* in, float* out, int log2) {
    extern __shared__ float values[];
    const int count = 1 << log2, first = static_cast<int>(blockIdx.x) << log2, thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < count; i += static_cast<int>(blockDim.x)) values[i] = in[first + i];
    for (int stride = count >> 2; stride > 0; stride >>= 2) {
        const int low = thread & (stride - 1), at = (thread - low) * 4 + low;
        row::sync();
        float a = values[at], b = values[at + stride], c = values[at + 2 * stride], d = values[at + 3 * stride];
        butterfly(a, b, c, d);
        values[at] = a;
        values[at + stride] = b;
        values[at + 2 * stride] = c;
        values[at + 3 * stride] = d;
    }
    if (log2 & 1) {  // an odd number of steps: the last one is of radix 2
        row::sync();
        for (int i = thread; i < count / 2; i += static_cast<int>(blockDim.x)) {
            const float a = values[2 * i], b = values[2 * i + 1];
            values[2 * i] = a + b;
            values[2 * i + 1] = a - b;
        }
    }
    row::sync();
    for (int i = thread; i < count; i += static_cast<int>(blockDim.x)) out[first + i] = values[i];
}

/// The CPU's, of strides below `from` down to `to`.
void transform(std::vector<float>& data, std::size_t from, std::size_t to) {
    for (std::size_t stride = from; stride >= to; stride /= 2)
        for (std::size_t i = 0; i < data.size(); ++i)
            if ((i & stride) == 0) {
                const float a = data[i], b = data[i + stride];
                data[i] = a + b;
                data[i + stride] = a - b;
            }
}

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "strided", 1 << 23);
    const int n = options.n;
    auto data = app::floats(static_cast<std::size_t>(n), 11);
    row::Buffer<float> buffer(data);
    if (options.is("strided")) {
        const int stride = static_cast<int>(options.args.number("stride", n / 4));
        strided<<<row::blocks(n, 4 * 256), 256>>>(buffer.get(), stride);
        const auto step = static_cast<std::size_t>(stride);
        transform(data, 2 * step, step);
    } else if (options.is("inner")) {
        inner<<<row::blocks(n, kInner), kInnerThreads, kInner * sizeof(float)>>>(buffer.get(), buffer.get(), kLog2Inner);
        transform(data, kInner / 2, 1);
    } else {
        options.unknown("strided, inner");
    }
    bench::finish();
    app.check(buffer.download(), data, 1e-4);
    return app.finish();
}
