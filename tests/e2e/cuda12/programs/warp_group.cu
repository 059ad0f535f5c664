// SPDX-License-Identifier: Apache-2.0
// Products of warp groups (wgmma) for sm_90a: types, shapes, and layouts of shared memory. Compares each with the
// host's and prints a checksum of the result's bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kM = 64, kN = 32, kMost = 8192;  // bytes of an operand

__device__ std::uint64_t describe(const void* memory, std::uint64_t leading, std::uint64_t stride,
                                  std::uint64_t swizzle) {
  const auto at = static_cast<std::uint64_t>(__cvta_generic_to_shared(memory));
  return (at & 0x3ffff) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62;
}

struct Strides {
  unsigned leading_a, stride_a, leading_b, stride_b, swizzle;
};

#define D16 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"
#define OUT(i, how) how(d[i]), how(d[i + 1]), how(d[i + 2]), how(d[i + 3])
#define ALL(how) OUT(0, how), OUT(4, how), OUT(8, how), OUT(12, how)
#define FLOATS(x) "+f"(x)
#define WORDS(x) "+r"(x)

enum Case {
  kHalf,
  kHalfNone,
  kHalf64,
  kHalf32,
  kRegisters,
  kTransposed,
  kNegated,
  kBfloat,
  kTf32,
  kBytes,
  kFp8,
  kHalfSum,
  kFirst,
  kCases
};

/// Two products after each other; kFirst: the first one does not add what is in the registers.
template <int kCase>
__global__ void multiply(const std::uint8_t* a, const std::uint8_t* b, const std::uint32_t* in_registers,
                         std::uint32_t* out, Strides s) {
  __shared__ __align__(1024) std::uint8_t first[kMost], second[kMost];
  for (int i = threadIdx.x; i < kMost; i += blockDim.x) first[i] = a[i], second[i] = b[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const std::uint64_t da = describe(first, s.leading_a, s.stride_a, s.swizzle),
                      db = describe(second, s.leading_b, s.stride_b, s.swizzle);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if constexpr (kCase == kBytes) {
    int d[16];
    for (int i = 0; i < 16; ++i) d[i] = i;
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 " D16 ", %16, %17, 1;"
                 : ALL(WORDS)
                 : "l"(da), "l"(db));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" : ALL(WORDS)::"memory");
    for (int i = 0; i < 16; ++i) out[threadIdx.x * 16 + i] = d[i];
  } else if constexpr (kCase == kHalfSum) {
    std::uint32_t d[8] = {};
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f16.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 1, 1, 1, 0, 0;"
                 : OUT(0, WORDS), OUT(4, WORDS)
                 : "l"(da), "l"(db));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
                 : OUT(0, WORDS), OUT(4, WORDS)::"memory");
    for (int i = 0; i < 8; ++i) out[threadIdx.x * 16 + i] = d[i];
    for (int i = 8; i < 16; ++i) out[threadIdx.x * 16 + i] = 0;
  } else {
    float d[16];
    for (int i = 0; i < 16; ++i) d[i] = 0.5f * i;
    if constexpr (kCase == kRegisters) {
      const std::uint32_t* x = in_registers + threadIdx.x * 4;
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D16 ", {%16,%17,%18,%19}, %20, 1, 1, 1, 0;"
                   : ALL(FLOATS)
                   : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(db));
    } else if constexpr (kCase == kTransposed) {
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D16 ", %16, %17, 1, 1, 1, 1, 1;"
                   : ALL(FLOATS)
                   : "l"(da), "l"(db));
    } else if constexpr (kCase == kNegated) {
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D16 ", %16, %17, 1, -1, 1, 0, 0;"
                   : ALL(FLOATS)
                   : "l"(da), "l"(db));
    } else if constexpr (kCase == kBfloat) {
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 " D16 ", %16, %17, 1, 1, 1, 0, 0;"
                   : ALL(FLOATS)
                   : "l"(da), "l"(db));
    } else if constexpr (kCase == kTf32) {
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 " D16 ", %16, %17, 1, 1, 1;"
                   : ALL(FLOATS)
                   : "l"(da), "l"(db));
    } else if constexpr (kCase == kFp8) {
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e5m2 " D16 ", %16, %17, 1, 1, 1;"
                   : ALL(FLOATS)
                   : "l"(da), "l"(db));
    } else if constexpr (kCase == kFirst) {
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D16 ", %16, %17, 0, 1, 1, 0, 0;"
                   : ALL(FLOATS)
                   : "l"(da), "l"(db));
    } else {
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D16 ", %16, %17, 1, 1, 1, 0, 0;"
                   : ALL(FLOATS)
                   : "l"(da), "l"(db));
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" : ALL(FLOATS)::"memory");
    for (int i = 0; i < 16; ++i) out[threadIdx.x * 16 + i] = __float_as_uint(d[i]);
  }
}

/// Where byte `k` of a line is. Without a swizzle, eight lines of 16 bytes are a piece, and the pieces of all lines
/// with their first 16 bytes come before those with the next. With one, a line has `width` bytes, in chunks whose
/// number is mixed with that of the line, as bits 4 to 6 of the address are with bits 7 to 9.
unsigned place(unsigned lines, unsigned line, unsigned k, unsigned width) {
  if (width == 16) return k / 16 * (lines * 16) + line * 16 + k % 16;
  const unsigned at = line * width + k;
  return at ^ (at >> 7 & (width / 16 - 1)) << 4;
}

template <class T>
void put(std::vector<std::uint8_t>& to, unsigned at, T value) {
  std::memcpy(to.data() + at, &value, sizeof value);
}

static unsigned seed = 1;
float next_value(int most) {
  seed = seed * 1664525u + 1013904223u;
  return static_cast<float>(static_cast<int>(seed >> 16) % (2 * most + 1) - most);
}

static int failures = 0;

template <int kCase, class A, class B>
void run(const char* name, unsigned width, unsigned depth, float unit, int most) {
  std::vector<std::uint8_t> a(kMost), b(kMost);
  std::vector<std::uint32_t> registers(128 * 4);
  std::vector<float> x(kM * depth), y(kN * depth);
  const bool transposed = kCase == kTransposed;
  for (unsigned row = 0; row < kM; ++row)
    for (unsigned k = 0; k < depth; ++k) {
      const A value(next_value(most) * unit);
      x[row * depth + k] = static_cast<float>(value);
      put(a, transposed ? place(depth, k, row * sizeof value, width) : place(kM, row, k * sizeof value, width), value);
      if (kCase != kRegisters) continue;
      const unsigned thread = row / 16 * 32 + row % 8 * 4 + k % 8 / 2, reg = k / 8 * 2 + row % 16 / 8;
      std::memcpy(reinterpret_cast<char*>(&registers[thread * 4 + reg]) + k % 2 * 2, &value, 2);
    }
  for (unsigned column = 0; column < kN; ++column)
    for (unsigned k = 0; k < depth; ++k) {
      const B value(next_value(most) * unit);
      y[column * depth + k] = static_cast<float>(value);
      put(b, transposed ? place(depth, k, column * sizeof value, width) : place(kN, column, k * sizeof value, width),
          value);
    }
  Strides strides{16, 8 * width, 16, 8 * width, width == 128 ? 1u : width == 64 ? 2u : width == 32 ? 3u : 0u};
  if (width == 16) strides = {kM * 16, 128, kN * 16, 128, 0};
  std::uint8_t *da, *db;
  std::uint32_t *dr, *out;
  cudaMalloc(&da, kMost), cudaMalloc(&db, kMost), cudaMalloc(&dr, 2048), cudaMalloc(&out, 8192);
  cudaMemcpy(da, a.data(), kMost, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), kMost, cudaMemcpyHostToDevice);
  cudaMemcpy(dr, registers.data(), 2048, cudaMemcpyHostToDevice);
  multiply<kCase><<<1, 128>>>(da, db, dr, out, strides);
  std::vector<std::uint32_t> got(128 * 16);
  const cudaError_t error = cudaMemcpy(got.data(), out, 8192, cudaMemcpyDeviceToHost);
  double worst = 0;
  for (unsigned row = 0; row < kM; ++row)
    for (unsigned column = 0; column < kN; ++column) {
      const unsigned thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
      const unsigned i = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
      double sum = kCase == kFirst || kCase == kHalfSum ? 0 : kCase == kBytes ? i : 0.5 * i;
      for (unsigned k = 0; k < depth; ++k)
        sum += (kCase == kNegated ? -1.0 : 1.0) * x[row * depth + k] * y[column * depth + k];
      double value = 0;
      if (kCase == kBytes) {
        value = static_cast<std::int32_t>(got[thread * 16 + i]);
      } else if (kCase == kHalfSum) {
        __half_raw half;
        half.x = static_cast<unsigned short>(got[thread * 16 + i / 2] >> (16 * (column % 2)));
        value = static_cast<float>(__half(half));
      } else {
        float single;
        std::memcpy(&single, &got[thread * 16 + i], 4);
        value = single;
      }
      worst = std::fmax(worst, std::fabs(value - sum) / (1 + std::fabs(sum)));
    }
  std::uint32_t checksum = 2166136261u;
  for (const std::uint32_t word : got)
    for (int i = 0; i < 4; ++i) checksum = (checksum ^ (word >> 8 * i & 255)) * 16777619u;
  const bool right = error == cudaSuccess && worst < (kCase == kHalfSum || kCase == kFp8 ? 2e-3 : 1e-6);
  failures += !right;
  std::printf("%s: %s, worst %.1e, bits %08x\n", name, right ? "right" : "WRONG", worst, checksum);
  cudaFree(da), cudaFree(db), cudaFree(dr), cudaFree(out);
}

int main() {
  run<kHalf, __half, __half>("halves, 128-byte swizzle", 128, 16, 0.125f, 40);
  run<kHalfNone, __half, __half>("halves, no swizzle", 16, 16, 0.125f, 40);
  run<kHalf64, __half, __half>("halves, 64-byte swizzle", 64, 16, 0.125f, 40);
  run<kHalf32, __half, __half>("halves, 32-byte swizzle", 32, 16, 0.125f, 40);
  run<kRegisters, __half, __half>("A in registers", 128, 16, 0.125f, 40);
  run<kTransposed, __half, __half>("both transposed", 128, 16, 0.125f, 40);
  run<kNegated, __half, __half>("negated", 128, 16, 0.125f, 40);
  run<kFirst, __half, __half>("the first product", 128, 16, 0.125f, 40);
  run<kBfloat, __nv_bfloat16, __nv_bfloat16>("bfloats", 128, 16, 0.25f, 40);
  run<kTf32, float, float>("TF32", 128, 8, 0.25f, 40);
  run<kBytes, signed char, signed char>("bytes", 128, 32, 1, 127);
  run<kFp8, __nv_fp8_e4m3, __nv_fp8_e5m2>("eight-bit floats", 128, 32, 0.5f, 12);
  run<kHalfSum, __half, __half>("half sums", 128, 16, 0.125f, 20);
  std::printf("%s\n", failures == 0 ? "PASS" : "FAIL");
  return failures != 0;
}
