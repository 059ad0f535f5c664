// SPDX-License-Identifier: Apache-2.0
//
// Patterns of shared-memory accesses, one launch each, for Nsight Compute to count their passes: 64 accesses by each of
// 8 warps, 4 stores of each warp before them. Writes the patterns: operation, bits, active lanes, cycles from the first
// to the last access, and the element that each lane accesses. shared_passes.py runs it and joins both.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

struct Pattern {
  uint16_t word[32];
  uint32_t lanes;
};

template <int Words, bool Store>
__global__ void access(Pattern pattern, uint32_t* out, int2* times) {
  extern __shared__ __align__(16) uint32_t room[];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) room[i] = i;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(room + pattern.word[lane]));
  if ((pattern.lanes >> lane & 1) == 0) return;
  uint32_t sum = 0;
  const int start = clock();
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    uint32_t x = 0, y = 0, z = 0, w = 0;
    if (Store && Words == 1) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(sum) : "memory");
    if (Store && Words == 2) asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%1};" ::"r"(at), "r"(sum) : "memory");
    if (Store && Words == 4)
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(sum) : "memory");
    if (!Store && Words == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    if (!Store && Words == 2)
      asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(at) : "memory");
    if (!Store && Words == 4)
      asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                   : "r"(at)
                   : "memory");
    sum += x ^ y ^ z ^ w;
  }
  const int end = clock();
  if (sum == 0x12345) out[threadIdx.x] = sum;
  times[threadIdx.x] = make_int2(start, end);
}

struct Row {
  int words;
  bool store;
  Pattern pattern;
};

class Patterns {
 public:
  Patterns() {
    for (int words : {1, 2, 4})
      for (bool store : {false, true}) {
        words_ = words;
        store_ = store;
        regular();
        for (uint32_t n : {2u, 4u, 8u, 16u, 32u, 64u, 256u})
          for (int sample = 0; sample < (words == 1 ? 1 : 2); ++sample) random(n);
        products();
      }
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  using Element = std::function<uint32_t(int)>;

  void add(const Element& element, uint32_t lanes = ~0u) {
    Row row{words_, store_, {}};
    row.pattern.lanes = lanes;
    for (int i = 0; i < 32; ++i)
      row.pattern.word[i] = static_cast<uint16_t>(element(i) % (8192 / words_) * words_);
    rows_.push_back(row);
  }
  uint32_t below(uint32_t limit) {
    seed_ = seed_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>((seed_ >> 33) % limit);
  }
  void regular() {
    for (int s : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 32}) add([&](int i) { return i * s; });
    for (int k : {2, 4, 8, 16}) {
      add([&](int i) { return i % k; });
      add([&](int i) { return i / k; });
      add([&](int i) { return i / k * 33; });
      add([&](int i) { return i % k + (i >= 16 ? 40 : 0); });
      add([&](int i) { return i % k + i / 8 * 24; });
    }
  }
  // Lanes that share with others of the warp, of half of it, or only where they are active.
  void random(uint32_t n) {
    uint32_t t[32];
    for (uint32_t& v : t) v = below(n);
    add([&](int i) { return t[i]; });
    for (int bits : {1, 2, 4, 8, 16, 3}) add([&](int i) { return t[i & ~bits]; });
    add([&](int i) { return t[i < 16 ? i & ~1 : i & ~2]; });
    add([&](int i) { return t[i / 8 % 2 ? i & ~1 : i & ~2]; });
    add([&](int i) { return t[i < 16 ? i & ~1 : i]; });
    add([&](int i) { return t[i < 8 ? i : i & ~1]; });
    uint32_t lanes = ~0u;
    for (int k = 0; k < 3; ++k) {
      lanes &= below(65536) << 16 | below(65536);
      for (int bits : {0, 1, 2})
        if (lanes != 0) add([&](int i) { return t[i & ~bits]; }, lanes);
    }
    if (n < 8 || n > 64) return;
    for (uint32_t some : {~0u, 0x55555555u, 0x33333333u, 0x0000ffffu, 0x00ff00ffu, 0x0f0f0f0fu, 0x11111111u, 0xffff0000u,
                          0x00ffffffu, 0x7fffffffu, 1u, 0x00010001u, 0x000000ffu, 0x80000001u})
      add([&](int i) { return t[i]; }, some);
  }
  // Permutations, and what tiles of matrix products make.
  void products() {
    for (int sample = 0; sample < (words_ == 1 ? 1 : 2); ++sample) {
      uint32_t t[32];
      for (uint32_t i = 0; i < 32; ++i) t[i] = i;
      for (uint32_t i = 31; i > 0; --i) std::swap(t[i], t[below(i + 1)]);
      for (uint32_t n : {32u, 16u, 8u}) add([&](int i) { return t[i] % n; });
    }
    add([](int i) { return i / 8 * 8; });
    add([](int i) { return i % 8 * 2; });
    add([](int i) { return (i & 3) | (i >> 3) << 2; });
    add([](int i) { return (i >> 2 & 1) + (i & 1) * 8; });
    add([](int i) { return i / 16 * 17; });
    add([](int i) { return (i & 1) | (i >> 2 & 3) << 1; });
    add([](int i) { return (i >> 1 & 1) | (i >> 3 & 3) << 3; });
  }

  std::vector<Row> rows_;
  int words_ = 1;
  bool store_ = false;
  uint64_t seed_ = 12345;
};

const void* kernel_of(const Row& row) {
  if (row.store)
    return row.words == 1   ? reinterpret_cast<const void*>(access<1, true>)
           : row.words == 2 ? reinterpret_cast<const void*>(access<2, true>)
                            : reinterpret_cast<const void*>(access<4, true>);
  return row.words == 1   ? reinterpret_cast<const void*>(access<1, false>)
         : row.words == 2 ? reinterpret_cast<const void*>(access<2, false>)
                          : reinterpret_cast<const void*>(access<4, false>);
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: shared_passes FILE\n"), 2;
  uint32_t* out = nullptr;
  int2* times = nullptr;
  cudaMalloc(&out, 1024);
  cudaMalloc(&times, 256 * sizeof(int2));
  std::vector<int2> got(256);
  FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) return std::fprintf(stderr, "cannot write %s\n", argv[1]), 1;
  const Patterns patterns;
  for (Row row : patterns.rows()) {
    cudaMemset(times, 0, 256 * sizeof(int2));
    void* args[] = {&row.pattern, &out, &times};
    cudaLaunchKernel(kernel_of(row), dim3(1), dim3(256), args, 32768, nullptr);
    if (cudaMemcpy(got.data(), times, 256 * sizeof(int2), cudaMemcpyDeviceToHost) != cudaSuccess)
      return std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError())), 1;
    int first = 0, last = 0;
    for (const int2& t : got) {
      if (t.y == 0) continue;
      first = first == 0 || t.x - first < 0 ? t.x : first;
      last = last == 0 || t.y - last > 0 ? t.y : last;
    }
    std::fprintf(file, "%s %d %08x %d", row.store ? "st" : "ld", 32 * row.words, row.pattern.lanes, last - first);
    for (uint16_t word : row.pattern.word) std::fprintf(file, " %d", word / row.words);
    std::fprintf(file, "\n");
  }
  std::fclose(file);
}
