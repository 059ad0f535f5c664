// SPDX-License-Identifier: Apache-2.0
// Control flow: divergence, loops, switches, calls, recursion, function pointers, barriers between threads and blocks.
#include "corpus.h"

using namespace corpus;
using u32 = unsigned;

// One body for device and reference.
#define BOTH __host__ __device__

BOTH inline u32 collatz(u32 n) {
  u32 steps = 0;
  while (n != 1 && steps < 200) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

BOTH inline u32 nested(u32 x) {
  u32 sum = 0;
  for (u32 i = 0; i < (x & 7); ++i) {
    if (i == 3 && x & 8) continue;
    for (u32 j = i; j < 6; ++j) {
      if ((i ^ j) == (x & 15)) break;
      sum += i * j + 1;
      if (sum > 100) return sum * 2;
    }
    sum ^= x;
  }
  return sum;
}

BOTH inline u32 dense_switch(u32 x, u32 y) {
  switch (x % 11) {
    case 0:
      return y + 1;
    case 1:
      return y * 3;
    case 2:
      return y ^ 0xffff;
    case 3:
      return y >> 3;
    case 4:
      return y - x;
    case 5:
      return y | x;
    case 6:
      return y & x;
    case 7:
      return (y << 5) + 2;
    case 8:
      return y % 10;
    case 9:
      return ~y;
    default:
      return x;
  }
}

__global__ void divergence(const u32* in, u32* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
  u32 r;
  if (x & 1)
    r = x & 2 ? x * 5 : x + 77;
  else if (x & 4)
    r = collatz((x >> 3 & 63) + 1);
  else
    r = x & 8 ? x / 3 : ~x;
  out[i] = r;
}
BOTH inline u32 reference_divergence(u32 x) {
  if (x & 1) return x & 2 ? x * 5 : x + 77;
  if (x & 4) return collatz((x >> 3 & 63) + 1);
  return x & 8 ? x / 3 : ~x;
}

__global__ void nested_loops(const u32* in, u32* out) { out[threadIdx.x] = nested(in[threadIdx.x]); }

__global__ void switch_table(const u32* in, u32* out) {
  const u32 x = in[threadIdx.x];
  u32* slot = &out[threadIdx.x];
  switch (x % 9) {  // stores in each arm: a jump table, not selects
    case 0:
      *slot = x + 1;
      break;
    case 1:
      atomicAdd(slot, 5u);
      break;
    case 2:
      *slot = collatz((x & 31) + 1);
      break;
    case 3:
      *slot = x * x;
      slot[0] += 3;
      break;
    case 4:
      *slot = __popc(x);
      break;
    case 5:
      *slot = x / 7;
      break;
    case 6:
      *slot = __brev(x);
      break;
    case 7:
      *slot = dense_switch(x, x >> 3);
      break;
    default:
      *slot = 9;
      break;
  }
}
static u32 reference_switch(u32 x) {
  u32 reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
  const u32 r[] = {x + 1, 5,        collatz((x & 31) + 1),   x * x + 3, static_cast<u32>(__builtin_popcount(x)),
                   x / 7, reversed, dense_switch(x, x >> 3), 9};
  return r[x % 9];
}

__device__ __noinline__ u32 mix(u32 a, u32 b) { return (a ^ b) * 2654435761u + (a >> 7); }
__device__ __noinline__ u32 twice(u32 a) { return mix(mix(a, 1), 2) + 1; }
static u32 host_mix(u32 a, u32 b) { return (a ^ b) * 2654435761u + (a >> 7); }
__global__ void calls(const u32* in, u32* out) {
  const u32 x = in[threadIdx.x];
  out[threadIdx.x] = threadIdx.x % 3 == 0 ? twice(x) : mix(x, twice(x + 1));
}

__device__ __noinline__ u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(u32* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 9); }

__device__ __noinline__ u32 add_one(u32 x) { return x + 1; }
__device__ __noinline__ u32 square(u32 x) { return x * x; }
__device__ __noinline__ u32 halve(u32 x) { return x / 2; }
typedef u32 (*Operation)(u32);
__device__ Operation operations[3] = {add_one, square, halve};
__global__ void function_pointers(const u32* in, u32* out) {
  u32 x = in[threadIdx.x];
  for (u32 i = 0; i < 3; ++i) x = operations[(threadIdx.x + i) % 3](x);
  out[threadIdx.x] = x;
}

__global__ void barrier_votes(const u32* in, u32* out) {
  const u32 x = in[blockIdx.x * blockDim.x + threadIdx.x];
  const u32 count = __syncthreads_count(x & 1), any = __syncthreads_or(x == 1), all = __syncthreads_and(x != 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = count << 2 | (any != 0) << 1 | (all != 0);
}

// A producer warp and a consumer warp meet at named barriers.
__global__ void named_barriers(const u32* in, u32* out) {
  __shared__ u32 box[32];
  const u32 lane = threadIdx.x & 31;
  for (u32 round = 0; round < 4; ++round) {
    if (threadIdx.x < 32) {
      box[lane] = in[lane] + round;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[32 * round + lane] = box[31 - lane] * 3;
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}

// The last block to finish adds up what the others left.
__global__ void last_block(const u32* in, u32* partial, u32* ticket, u32* out) {
  __shared__ bool last;
  __shared__ u32 sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    u32 total = 0;
    for (u32 b = 0; b < gridDim.x; ++b) total += reinterpret_cast<volatile u32*>(partial)[b];
    *out = total;
  }
}

// All blocks wait for each other: every block of a small grid must be resident.
__global__ void grid_barrier(volatile u32* data, u32* arrived) {
  const u32 block = blockIdx.x;
  for (u32 round = 1; round <= 3; ++round) {
    const u32 value = data[(round - 1) * gridDim.x + (block + 1) % gridDim.x];
    if (threadIdx.x == 0) {
      data[round * gridDim.x + block] = value + block;
      __threadfence();
      atomicAdd(arrived, 1u);
      while (*reinterpret_cast<volatile u32*>(arrived) < round * gridDim.x) __nanosleep(20);
    }
    __syncthreads();
  }
}

template <class Reference>
static void mapped(const char* name, void (*kernel)(const u32*, u32*), const std::vector<u32>& in,
                   Reference reference) {
  std::vector<u32> want;
  for (u32 i = 0; i < in.size(); ++i) want.push_back(reference(i, in[i]));
  Buffer<u32> source(in), out(in.size());
  kernel<<<1, static_cast<u32>(in.size())>>>(source, out);
  check(name, out, want);
}

int main() {
  Random random(7);
  const auto in = random.words(96);
  mapped("divergence", divergence, in, [](u32, u32 x) { return reference_divergence(x); });
  mapped("nested_loops", nested_loops, in, [](u32, u32 x) { return nested(x); });
  mapped("switch_table", switch_table, in, [](u32, u32 x) { return reference_switch(x); });
  mapped("calls", calls, in, [](u32 i, u32 x) {
    const auto both = [](u32 a) { return host_mix(host_mix(a, 1), 2) + 1; };
    return i % 3 == 0 ? both(x) : host_mix(x, both(x + 1));
  });
  mapped("function_pointers", function_pointers, in, [](u32 i, u32 x) {
    for (u32 k = 0; k < 3; ++k) x = (i + k) % 3 == 0 ? x + 1 : (i + k) % 3 == 1 ? x * x : x / 2;
    return x;
  });
  const u32 fibonacci_numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
  std::vector<u32> fibonacci_want(32), boxes(128), rounds(16), votes(96);
  for (u32 i = 0; i < 32; ++i) fibonacci_want[i] = fibonacci_numbers[i % 9];
  Buffer<u32> din(in), o1(32), o2(128), o3(96), partial(3), ticket(1), total(1), arrived(1);
  recursion<<<1, 32>>>(o1);
  check("recursion", o1, fibonacci_want);

  u32 sum = 0;
  for (u32 i = 0; i < 96; ++i) {
    u32 count = 0, any = 0;
    for (u32 k = i / 48 * 48; k < i / 48 * 48 + 48; ++k) count += in[k] & 1, any |= in[k] == 1;
    votes[i] = count << 2 | any << 1 | !any;
    sum += in[i];
  }
  barrier_votes<<<2, 48>>>(din, o3);
  check("barrier_votes", o3, votes);
  for (u32 i = 0; i < 128; ++i) boxes[i] = (in[31 - i % 32] + i / 32) * 3;
  named_barriers<<<1, 64>>>(din, o2);
  check("named_barriers", o2, boxes);
  last_block<<<3, 32>>>(din, partial, ticket, total);
  check("last_block", total, std::vector<u32>{sum});
  for (u32 i = 0; i < 4; ++i) rounds[i] = in[i];
  Buffer<u32> data(rounds);
  for (u32 i = 4; i < 16; ++i) rounds[i] = rounds[(i / 4 - 1) * 4 + (i % 4 + 1) % 4] + i % 4;
  grid_barrier<<<4, 32>>>(data, arrived);
  check("grid_barrier", data, rounds);
  return finish();
}
