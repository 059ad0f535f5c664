// SPDX-License-Identifier: Apache-2.0
// Two kernels at once, each of which reads constants at indices that differ from turn to turn: its parameters, and a table
// of its own.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "check.h"

constexpr int kWords = 64, kThreads = 64, kTurns = 256;

struct Words {
  unsigned at[kWords];
};

__constant__ unsigned first_table[kWords], second_table[kWords];

__global__ void first(Words words, unsigned* out) {
  unsigned sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
    const unsigned at = (turn * 7 + sum % 2) % kWords;
    sum = sum * 3 + words.at[at] + first_table[(at + threadIdx.x % 2) % kWords];
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

/// The table's words in another place of the bank, more parameters, and another rule.
__global__ void second(unsigned* out, unsigned factor, Words words) {
  unsigned sum = 1;
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
    const unsigned at = (turn * 11 + sum % 4) % kWords;
    sum = sum * factor ^ (words.at[at] - second_table[(at + threadIdx.x % 2) % kWords]);
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

static unsigned first_result(const Words& words, const Words& table, unsigned thread) {
  unsigned sum = 0;
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    const unsigned at = (turn * 7 + sum % 2) % kWords;
    sum = sum * 3 + words.at[at] + table.at[(at + thread % 2) % kWords];
  }
  return sum;
}

static unsigned second_result(const Words& words, const Words& table, unsigned thread, unsigned factor) {
  unsigned sum = 1;
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    const unsigned at = (turn * 11 + sum % 4) % kWords;
    sum = sum * factor ^ (words.at[at] - table.at[(at + thread % 2) % kWords]);
  }
  return sum;
}

static Words words(unsigned seed) {
  Words result;
  for (unsigned i = 0; i < kWords; ++i) result.at[i] = (i + 1) * seed;
  return result;
}

int main(int argc, char**) {
  const int blocks = 4, kernels = argc > 1 ? 1 : 4;  // two of each kind in four streams; with an argument, only one
  const Words first_words = words(0x9e3779b1u), second_words = words(0x85ebca6bu);
  CU(cudaMemcpyToSymbol(first_table, &first_words, sizeof first_words));
  CU(cudaMemcpyToSymbol(second_table, &second_words, sizeof second_words));
  unsigned* out = nullptr;
  const int each = blocks * kThreads;
  CU(cudaMalloc(&out, kernels * each * sizeof(unsigned)));
  std::vector<cudaStream_t> streams(static_cast<std::size_t>(kernels));
  for (cudaStream_t& stream : streams) CU(cudaStreamCreate(&stream));
  for (int i = 0; i < kernels; ++i) {
    cudaStream_t stream = streams[static_cast<std::size_t>(i)];
    const Words own = words(static_cast<unsigned>(i) * 77u + 5u);
    if (i % 2 == 0)
      first<<<blocks, kThreads, 0, stream>>>(own, out + i * each);
    else
      second<<<blocks, kThreads, 0, stream>>>(out + i * each, static_cast<unsigned>(i) + 5u, own);
    CU(cudaGetLastError());
  }
  CU(cudaDeviceSynchronize());
  std::vector<unsigned> got(static_cast<std::size_t>(kernels * each));
  CU(cudaMemcpy(got.data(), out, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kernels; ++i) {
    const Words own = words(static_cast<unsigned>(i) * 77u + 5u);
    for (int t = 0; t < each; ++t) {
      const auto thread = static_cast<unsigned>(t % kThreads);
      const unsigned want = i % 2 == 0 ? first_result(own, first_words, thread)
                                       : second_result(own, second_words, thread, static_cast<unsigned>(i) + 5u);
      wrong += got[static_cast<std::size_t>(i * each + t)] != want;
    }
  }
  std::printf("%d kernels, %d wrong words\n", kernels, wrong);
  return wrong != 0;
}
