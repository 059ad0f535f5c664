// SPDX-License-Identifier: Apache-2.0
//
// Coding of bytes with codes of different lengths: a block codes 1024 bytes, finds by a scan where each code begins, puts
// them together in shared memory with atomic or, and writes words at the block's own place.
#include "../app.h"

#include <array>

constexpr int kThreads = 256, kEach = 4, kBlock = kThreads * kEach, kWords = kBlock * 16 / 32;

__global__ void __launch_bounds__(kThreads) encode(const uchar4* in, const uint32_t* table, uint32_t* out, uint32_t* lengths) {
    __shared__ uint32_t codes[256];
    __shared__ uint32_t bits[kWords];
    __shared__ uint32_t sums[kThreads / 32];
    codes[threadIdx.x] = table[threadIdx.x];
    for (int i = threadIdx.x; i < kWords; i += kThreads) bits[i] = 0;
    __syncthreads();
    const uchar4 own = in[blockIdx.x * kThreads + threadIdx.x];
    const uint32_t code[kEach] = {codes[own.x], codes[own.y], codes[own.z], codes[own.w]};
    uint32_t length = 0;
    for (int k = 0; k < kEach; ++k) length += code[k] >> 16;
    uint32_t before = length;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        const uint32_t other = __shfl_up_sync(0xffffffffu, before, static_cast<unsigned>(offset));
        if (lane >= offset) before += other;
    }
    if (lane == 31) sums[warp] = before;
    __syncthreads();
    for (int w = 0; w < warp; ++w) before += sums[w];
    uint32_t at = before - length;
    for (int k = 0; k < kEach; ++k) {
        const uint32_t size = code[k] >> 16, value = code[k] & 0xffff, shift = at % 32;
        atomicOr(&bits[at / 32], value << shift);
        if (shift + size > 32) atomicOr(&bits[at / 32 + 1], value >> (32 - shift));
        at += size;
    }
    if (threadIdx.x == kThreads - 1) lengths[blockIdx.x] = before;
    __syncthreads();
    for (int i = threadIdx.x; i < kWords; i += kThreads) out[blockIdx.x * kWords + i] = bits[i];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int blocks = app.size(64, 1000);
    const std::size_t n = static_cast<std::size_t>(blocks) * kBlock;
    auto random = app::integers(2 * n, 81, 256);
    std::vector<uint8_t> in(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<uint8_t>(random[2 * i] * random[2 * i + 1] / 256);
    // Codes with as many leading ones as the symbol's rank over 32 says: no code begins another.
    std::vector<uint32_t> table(256);
    for (uint32_t s = 0; s < 256; ++s) {
        const uint32_t group = s / 32, size = group + 1 + 5;
        table[s] = size << 16 | ((1u << group) - 1u) | (s % 32) << (group + 1);
    }
    app::Buffer<uchar4> from(n / 4);
    CUDA_OK(cudaMemcpy(from.get(), in.data(), n, cudaMemcpyHostToDevice));
    app::Buffer<uint32_t> codes(table), out(static_cast<std::size_t>(blocks) * kWords), lengths(static_cast<std::size_t>(blocks));
    encode<<<static_cast<unsigned>(blocks), kThreads>>>(from.get(), codes.get(), out.get(), lengths.get());
    bench::finish();
    std::vector<uint32_t> want(out.size()), sizes(lengths.size());
    for (std::size_t b = 0; b < sizes.size(); ++b)
        for (std::size_t i = b * kBlock; i < (b + 1) * kBlock; ++i)
            for (uint32_t k = 0, size = table[in[i]] >> 16; k < size; ++k, ++sizes[b])
                want[b * kWords + sizes[b] / 32] |= (table[in[i]] >> k & 1) << sizes[b] % 32;
    app.check(out.download(), want, 0);
    app.check(lengths.download(), sizes, 0);
    return app.finish();
}
