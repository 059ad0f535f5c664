// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 of one 64-byte message per thread, unrolled: integer logic, shifts, a long straight code.
#include "../app.h"

__constant__ uint32_t round_constants[64];
static const uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__host__ __device__ inline uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

__host__ __device__ inline uint32_t digest(uint32_t w[16], const uint32_t* constants) {
    uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll
    for (int i = 0; i < 64; ++i) {
        if (i >= 16) {
            const uint32_t x = w[(i + 1) % 16], y = w[(i + 14) % 16];
            w[i % 16] += (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[(i + 9) % 16] + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
        }
        const uint32_t first = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                               ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i % 16];
        const uint32_t second =
            (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; --k) s[k] = s[k - 1];
        s[4] += first;
        s[0] = first + second;
    }
    return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

__global__ void sha256(const uint4* messages, uint32_t* out, int n) {
    const int i = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x);
    if (i >= n) return;
    uint32_t w[16];
    for (int k = 0; k < 4; ++k) {
        const uint4 part = messages[i * 4 + k];
        w[4 * k] = part.x;
        w[4 * k + 1] = part.y;
        w[4 * k + 2] = part.z;
        w[4 * k + 3] = part.w;
    }
    out[i] = digest(w, round_constants);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 14, 1 << 17);
    auto messages = app::integers(static_cast<std::size_t>(n) * 16, 9, 0xffffffffu);
    std::vector<uint32_t> want(static_cast<std::size_t>(n));
    CUDA_OK(cudaMemcpyToSymbol(round_constants, kRounds, sizeof kRounds));
    app::Buffer<uint32_t> dm(messages), dout(want.size());
    sha256<<<app::blocks(n, 192), 192>>>(reinterpret_cast<const uint4*>(dm.get()), dout.get(), n);
    bench::finish();
    for (int i = 0; i < n; ++i) {
        uint32_t w[16];
        std::copy_n(messages.begin() + static_cast<std::ptrdiff_t>(i) * 16, 16, w);
        want[static_cast<std::size_t>(i)] = digest(w, kRounds);
    }
    app.check(dout.download(), want, 0);
    return app.finish();
}
