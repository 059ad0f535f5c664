// SPDX-License-Identifier: Apache-2.0
//
// Bias, GELU and dropout in one kernel with Philox numbers made in registers, a mask of bits for the way back, then that way back.
#include "../app.h"

__host__ __device__ inline void philox(uint32_t (&c)[4], uint32_t k0, uint32_t k1) {
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = static_cast<uint64_t>(c[0]) * 0xD2511F53u, b = static_cast<uint64_t>(c[2]) * 0xCD9E8D57u;
        const uint32_t c0 = static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, c2 = static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1;
        c[1] = static_cast<uint32_t>(b), c[3] = static_cast<uint32_t>(a), c[0] = c0, c[2] = c2;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
}
__host__ __device__ inline float gelu(float x) { return 0.5f * x * (1 + erff(x * 0.70710678f)); }

constexpr uint32_t kKeep = 0xe6666666u;    // nine in ten

__global__ void __launch_bounds__(256) bias_gelu_dropout(const float4* x, const float4* bias, float4* out, uint32_t* mask, int wide, int count, uint64_t seed) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += static_cast<int>(gridDim.x * blockDim.x)) {
        uint32_t c[4] = {static_cast<uint32_t>(i), 0, 7, 0};
        philox(c, static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32));
        const float4 v = x[i], b = __ldg(&bias[i % wide]);
        float4 r;
        r.x = c[0] < kKeep ? gelu(v.x + b.x) / 0.9f : 0;
        r.y = c[1] < kKeep ? gelu(v.y + b.y) / 0.9f : 0;
        r.z = c[2] < kKeep ? gelu(v.z + b.z) / 0.9f : 0;
        r.w = c[3] < kKeep ? gelu(v.w + b.w) / 0.9f : 0;
        out[i] = r;
        uint32_t bits = 0;
        for (int j = 0; j < 4; ++j) {
            const unsigned votes = __ballot_sync(__activemask(), c[j] < kKeep);
            if (threadIdx.x % 32 == j) bits = votes;
        }
        if (threadIdx.x % 32 < 4) mask[i / 32 * 4 + threadIdx.x % 32] = bits;
    }
}

__global__ void dropout_back(const float4* gradient, const uint32_t* mask, float4* out, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const uint4 bits = *reinterpret_cast<const uint4*>(&mask[i / 32 * 4]);
    const float4 g = gradient[i];
    const unsigned lane = threadIdx.x % 32;
    out[i] = make_float4(bits.x >> lane & 1 ? g.x / 0.9f : 0, bits.y >> lane & 1 ? g.y / 0.9f : 0, bits.z >> lane & 1 ? g.z / 0.9f : 0,
                         bits.w >> lane & 1 ? g.w / 0.9f : 0);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(1 << 16, 1 << 19), wide = 768 / 4;
    const auto x = app::floats(4 * static_cast<std::size_t>(count), 1, -3, 3), bias = app::floats(4 * wide, 2), gradient = app::floats(x.size(), 3);
    app::Buffer<float> dx(x), db(bias), dg(gradient), out(x.size()), back(x.size());
    app::Buffer<uint32_t> mask(count / 8);
    bias_gelu_dropout<<<std::min(app::blocks(count, 256), 1056u), 256>>>(reinterpret_cast<float4*>(dx.get()), reinterpret_cast<float4*>(db.get()),
                                                                        reinterpret_cast<float4*>(out.get()), mask.get(), wide, count, 0x1234567890abcdefull);
    bench::finish();
    dropout_back<<<app::blocks(count, 256), 256>>>(reinterpret_cast<float4*>(dg.get()), mask.get(), reinterpret_cast<float4*>(back.get()), count);
    bench::finish();
    std::vector<float> want, backwards;
    for (int i = 0; i < count; ++i) {
        uint32_t c[4] = {static_cast<uint32_t>(i), 0, 7, 0};
        philox(c, 0x90abcdefu, 0x12345678u);
        for (int j = 0; j < 4; ++j) {
            want.push_back(c[j] < kKeep ? gelu(x[4 * i + j] + bias[i % wide * 4 + j]) / 0.9f : 0);
            backwards.push_back(c[j] < kKeep ? gradient[4 * i + j] / 0.9f : 0);
        }
    }
    app.check(out.download(), want, 1e-5);
    app.check(back.download(), backwards, 1e-6);
    return app.finish();
}
