// SPDX-License-Identifier: Apache-2.0
//
// SHA3-256 of short messages: a thread for each, whose state of 25 words of 64 bits stays in registers.
#include "../app.h"

constexpr int kRounds = 24, kRate = 17;
__constant__ uint64_t round_constants[kRounds];

__host__ __device__ inline uint64_t rotate(uint64_t x, int by) { return by == 0 ? x : x << by | x >> (64 - by); }

__host__ __device__ inline void permute(uint64_t* s, const uint64_t* constants) {
    const int rotations[25] = {0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14};
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
        uint64_t c[5], b[25];
#pragma unroll
        for (int x = 0; x < 5; ++x) c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
#pragma unroll
        for (int i = 0; i < 25; ++i) {
            const int x = i % 5, y = i / 5;
            b[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(s[i] ^ c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1), rotations[i]);
        }
#pragma unroll
        for (int i = 0; i < 25; ++i) s[i] = b[i] ^ (~b[i / 5 * 5 + (i + 1) % 5] & b[i / 5 * 5 + (i + 2) % 5]);
        s[0] ^= constants[round];
    }
}

__global__ void __launch_bounds__(128) keccak(const uint64_t* messages, uint64_t* digests, int n, int blocks) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    uint64_t state[25] = {};
    for (int b = 0; b < blocks; ++b) {
#pragma unroll
        for (int k = 0; k < kRate; ++k) state[k] ^= messages[(b * kRate + k) * n + i];
        permute(state, round_constants);
    }
    for (int k = 0; k < 4; ++k) digests[i * 4 + k] = state[k];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(4096, 33000), blocks = 2;
    const auto n = static_cast<std::size_t>(count);
    uint64_t constants[kRounds];
    uint32_t shift = 1;  // The constants' bits come from a shift register.
    for (uint64_t& c : constants) {
        c = 0;
        for (int j = 0; j < 7; ++j) {
            if (shift & 1) c |= 1ull << ((1 << j) - 1);
            shift = shift << 1 ^ (shift >> 7) * 0x171u;
        }
    }
    CUDA_OK(cudaMemcpyToSymbol(round_constants, constants, sizeof constants));
    auto random = app::integers(2 * kRate * static_cast<std::size_t>(blocks) * n, 141, 0xffffffffu);
    std::vector<uint64_t> messages(random.size() / 2);
    for (std::size_t i = 0; i < messages.size(); ++i) messages[i] = static_cast<uint64_t>(random[2 * i]) << 32 | random[2 * i + 1];
    app::Buffer<uint64_t> in(messages), out(4 * n);
    keccak<<<app::blocks(count, 128), 128>>>(in.get(), out.get(), count, blocks);
    bench::finish();
    auto got = out.download();
    std::vector<uint32_t> same(4 * n), all(4 * n, 1);
    for (std::size_t i = 0; i < n; ++i) {
        uint64_t state[25] = {};
        for (std::size_t b = 0; b < static_cast<std::size_t>(blocks); ++b) {
            for (std::size_t k = 0; k < kRate; ++k) state[k] ^= messages[(b * kRate + k) * n + i];
            permute(state, constants);
        }
        for (std::size_t k = 0; k < 4; ++k) same[4 * i + k] = got[4 * i + k] == state[k];
    }
    app.check(same, all, 0);
    return app.finish();
}
