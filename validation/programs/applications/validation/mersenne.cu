// SPDX-License-Identifier: Apache-2.0
//
// MT19937 by blocks: the 624 words of a generator in shared memory, renewed in three stretches between barriers, tempered
// and written to a row of each block's own.
#include "../app.h"

constexpr int kState = 624, kShift = 397, kThreads = 256;

__host__ __device__ inline uint32_t twist(uint32_t high, uint32_t low) {
    const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0u);
}

__host__ __device__ inline uint32_t temper(uint32_t y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

__global__ void __launch_bounds__(kThreads) generate(const uint32_t* seeds, uint32_t* out, int rounds) {
    __shared__ uint32_t state[kState];
    for (int i = threadIdx.x; i < kState; i += kThreads) state[i] = seeds[blockIdx.x * kState + i];
    const int t = threadIdx.x, part = kState - kShift;  // 227 words can be renewed at a time.
    for (int round = 0; round < rounds; ++round) {
        for (int from = 0; from < kState; from += part) {
            __syncthreads();
            uint32_t next = 0;
            const int i = from + t;
            const bool mine = t < part && i < kState;
            if (mine) next = state[(i + kShift) % kState] ^ twist(state[i], state[(i + 1) % kState]);
            __syncthreads();
            if (mine) state[i] = next;
        }
        __syncthreads();
        for (int i = t; i < kState; i += kThreads) out[(blockIdx.x * rounds + round) * kState + i] = temper(state[i]);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int blocks = app.size(96, 700), rounds = 6;
    const auto rows = static_cast<std::size_t>(blocks);
    std::vector<uint32_t> seeds(rows * kState), want(rows * static_cast<std::size_t>(rounds) * kState);
    for (std::size_t b = 0; b < rows; ++b) {
        uint32_t* s = &seeds[b * kState];
        s[0] = 5489u + static_cast<uint32_t>(b);
        for (uint32_t i = 1; i < kState; ++i) s[i] = 1812433253u * (s[i - 1] ^ s[i - 1] >> 30) + i;
    }
    app::Buffer<uint32_t> in(seeds), out(want.size());
    generate<<<static_cast<unsigned>(blocks), kThreads>>>(in.get(), out.get(), rounds);
    bench::finish();
    for (std::size_t b = 0; b < rows; ++b) {
        uint32_t* s = &seeds[b * kState];
        for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
            for (std::size_t i = 0; i < kState; ++i) s[i] = s[(i + kShift) % kState] ^ twist(s[i], s[(i + 1) % kState]);
            for (std::size_t i = 0; i < kState; ++i) want[(b * static_cast<std::size_t>(rounds) + round) * kState + i] = temper(s[i]);
        }
    }
    app.check(out.download(), want, 0);
    return app.finish();
}
