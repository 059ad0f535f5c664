// SPDX-License-Identifier: Apache-2.0
//
// The ChaCha20 key stream, a block of 64 bytes per thread, xored to a text; and a sum of the result's words by atomics of each block.
#include "../app.h"

__host__ __device__ inline uint32_t turn(uint32_t v, int by) { return v << by | v >> (32 - by); }

__host__ __device__ inline void quarter(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
    a += b, d = turn(d ^ a, 16);
    c += d, b = turn(b ^ c, 12);
    a += b, d = turn(d ^ a, 8);
    c += d, b = turn(b ^ c, 7);
}

__host__ __device__ inline void block_of(const uint32_t* key, uint32_t counter, uint32_t* out) {
    uint32_t start[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};
#pragma unroll
    for (int i = 0; i < 8; ++i) start[4 + i] = key[i];
    start[12] = counter, start[13] = 1, start[14] = 2, start[15] = 3;
#pragma unroll
    for (int i = 0; i < 16; ++i) out[i] = start[i];
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        quarter(out[0], out[4], out[8], out[12]);
        quarter(out[1], out[5], out[9], out[13]);
        quarter(out[2], out[6], out[10], out[14]);
        quarter(out[3], out[7], out[11], out[15]);
        quarter(out[0], out[5], out[10], out[15]);
        quarter(out[1], out[6], out[11], out[12]);
        quarter(out[2], out[7], out[8], out[13]);
        quarter(out[3], out[4], out[9], out[14]);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) out[i] += start[i];
}

struct Key { uint32_t word[8]; };

__global__ void encrypt(Key key, const uint4* in, uint4* out, int blocks) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    uint32_t stream[16];
    block_of(key.word, i, stream);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        uint4 v = in[4 * i + k];
        v.x ^= stream[4 * k], v.y ^= stream[4 * k + 1], v.z ^= stream[4 * k + 2], v.w ^= stream[4 * k + 3];
        out[4 * i + k] = v;
    }
}

__global__ void sum_words(const uint4* in, unsigned* sum, int count) {
    __shared__ unsigned part;
    if (threadIdx.x == 0) part = 0;
    __syncthreads();
    unsigned mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint4 v = in[i];
        mine += v.x + v.y + v.z + v.w;
    }
    atomicAdd(&part, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, part);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int blocks = app.size(8192, 1 << 20);
    const auto words = static_cast<std::size_t>(blocks) * 16;
    const auto text = app::integers(words, 13, 0xffffffffu);
    const Key key{{0x03020100u, 0x07060504u, 0x0b0a0908u, 0x0f0e0d0cu, 0x13121110u, 0x17161514u, 0x1b1a1918u, 0x1f1e1d1cu}};
    app::Buffer<uint32_t> in(text), out(words);
    app::Buffer<unsigned> sum(1);
    sum.clear();
    encrypt<<<app::blocks(blocks, 128), 128>>>(key, reinterpret_cast<uint4*>(in.get()), reinterpret_cast<uint4*>(out.get()), blocks);
    sum_words<<<std::min(blocks / 64, 1056), 256>>>(reinterpret_cast<uint4*>(out.get()), sum.get(), blocks * 4);
    bench::finish();
    std::vector<uint32_t> want(words);
    uint32_t total = 0;
    for (int i = 0; i < blocks; ++i) {
        uint32_t stream[16];
        block_of(key.word, i, stream);
        for (int k = 0; k < 16; ++k) total += want[16 * static_cast<std::size_t>(i) + k] = text[16 * static_cast<std::size_t>(i) + k] ^ stream[k];
    }
    app.check(out.download(), want, 0);
    app.check(sum.download(), std::vector<unsigned>{total}, 0);
    return app.finish();
}
