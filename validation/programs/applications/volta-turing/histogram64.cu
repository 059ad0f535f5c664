// SPDX-License-Identifier: Apache-2.0
//
// Histogram of the upper six bits of n bytes: every thread has 64 counters of a byte each in shared memory, beside those
// of the other threads, for as many bytes as such a counter can count; then a thread for each bin adds them up.
#include "row.h"

constexpr int kThreads = 64, kBins = 64, kWords = 15;  // of 16 bytes: no counter gets beyond 240

__device__ void count(unsigned char* mine, unsigned four) {
    ++mine[(four >> 2 & 63) * kThreads];
    ++mine[(four >> 10 & 63) * kThreads];
    ++mine[(four >> 18 & 63) * kThreads];
    ++mine[(four >> 26 & 63) * kThreads];
}

__global__ void histogram64(const uint4* data, unsigned* partial, int words) {
    __shared__ unsigned counters[kBins * kThreads / 4];
    const int thread = static_cast<int>(threadIdx.x);
    // Threads whose counters would share a bank's word are apart by it.
    unsigned char* const mine =
        reinterpret_cast<unsigned char*>(counters) + ((thread & ~63) | (thread & 15) << 2 | (thread & 48) >> 4);
#pragma unroll
    for (int i = 0; i < kBins / 4; ++i) counters[thread + i * kThreads] = 0;
    row::sync();
    for (int i = static_cast<int>(blockIdx.x * blockDim.x) + thread; i < words; i += static_cast<int>(blockDim.x * gridDim.x)) {
        const uint4 next = data[i];
        count(mine, next.x);
        count(mine, next.y);
        count(mine, next.z);
        count(mine, next.w);
    }
    row::sync();
    const unsigned char* const bin = reinterpret_cast<unsigned char*>(counters) + thread * kThreads;
    unsigned sum = 0;
    int at = 4 * (thread & 15);
#pragma unroll
    for (int i = 0; i < kThreads / 4; ++i) {
        sum += bin[at] + bin[at + 1] + bin[at + 2] + bin[at + 3];
        at = (at + 4) & (kThreads - 1);
    }
    partial[blockIdx.x * kBins + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "histogram64", 1 << 26);
    const int words = options.n / 16;
    auto data = app::integers(static_cast<std::size_t>(words) * 4, 12, 0xffffffffu);
    std::vector<unsigned> want(kBins), sums(kBins);
    for (unsigned four : data)
        for (int shift : {2, 10, 18, 26}) ++want[four >> shift & 63];
    const unsigned blocks = row::blocks(words, kThreads * kWords);
    row::Buffer<unsigned> in(data), partial(std::size_t{blocks} * kBins);
    histogram64<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(in.get()), partial.get(), words);
    bench::finish();
    auto got = partial.download();
    for (std::size_t i = 0; i < got.size(); ++i) sums[i % kBins] += got[i];
    app.check(sums, want, 0);
    return app.finish();
}
