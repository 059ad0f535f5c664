// SPDX-License-Identifier: Apache-2.0
// Thirty planted errors in memory. `// ERROR n KIND` stands on the line that a check must name, `// WITH n` on the line of
// the other access of a race. `memcheck n` runs one of them, `memcheck all` those after which a GPU goes on (the others are
// faults), and `memcheck clean` all kernels without their errors.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kThreads = 128, kHalf = kThreads / 2;
constexpr size_t kBytes = kThreads * sizeof(int);

__global__ void never_written(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // ERROR 1 uninitialised read
}
__global__ void half_filled(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // ERROR 2 uninitialised read
}
__global__ void wide(int* out, const int4* in) {
  const int4 v = in[threadIdx.x];  // ERROR 3 uninitialised read
  out[threadIdx.x] = v.x + v.w;
}
__global__ void counter(int* out, int* count) {
  out[threadIdx.x] = atomicAdd(count, 1);  // ERROR 4 uninitialised read
}
__global__ void even_only(int* to) {
  if (threadIdx.x % 2 == 0) to[threadIdx.x] = 1;
}
__global__ void all_of_them(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // ERROR 5 uninitialised read
}
__global__ void one_too_few(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // ERROR 6 uninitialised read
}
__global__ void bytes(int* out, const char* in) {
  out[threadIdx.x] = in[threadIdx.x];  // ERROR 7 uninitialised read
}
__global__ void from_pool(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // ERROR 8 uninitialised read
}
__global__ void shared_unwritten(int* out, bool clean) {
  __shared__ int word[kThreads];
  if (clean) word[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = word[threadIdx.x];  // ERROR 9 uninitialised read
}
__global__ void shared_partly(int* out, int count) {
  __shared__ int word[kThreads];
  if (threadIdx.x < count) word[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = word[kThreads - 1 - threadIdx.x];  // ERROR 10 uninitialised read
}
__global__ void shared_counter(int* out, bool clean) {
  __shared__ int count;
  if (clean && threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);  // ERROR 11 uninitialised read
  __syncthreads();
  out[threadIdx.x] = count;
}

__global__ void read_freed(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // ERROR 12 use after free
}
__global__ void write_freed(int* to) {
  to[threadIdx.x] = 1;  // ERROR 13 use after free
}
__global__ void add_freed(int* to) {
  atomicAdd(to, 1);  // ERROR 14 use after free
}
__global__ void read_freed_to_pool(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // ERROR 15 use after free
}

__global__ void read_neighbour(int* out, bool clean) {
  __shared__ int word[kThreads];
  word[threadIdx.x] = threadIdx.x;  // WITH 16
  if (clean) __syncthreads();
  out[threadIdx.x] = word[(threadIdx.x + kHalf) % kThreads];  // ERROR 16 race in shared memory
}
__global__ void write_what_is_read(int* out, bool clean) {
  __shared__ int word[kThreads];
  word[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = word[(threadIdx.x + kHalf) % kThreads];  // WITH 17
  if (clean) __syncthreads();
  word[threadIdx.x] = -1;  // ERROR 17 race in shared memory
  __syncthreads();
  out[threadIdx.x] += word[threadIdx.x];
}
__global__ void two_writers(int* out, bool clean) {
  __shared__ int word;
  if (threadIdx.x % 32 == 0 && (!clean || threadIdx.x == 0)) word = threadIdx.x + 1;  // ERROR 18 race in shared memory
  __syncthreads();
  out[threadIdx.x] = word;
}
__global__ void loop_without_second_barrier(int* out, bool clean) {
  __shared__ int word[kThreads];
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    word[threadIdx.x] = threadIdx.x + i;  // ERROR 19 race in shared memory
    __syncthreads();
    sum += word[kThreads - 1 - threadIdx.x];  // WITH 19
    if (clean) __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void barrier_of_others(int* out, bool clean) {
  __shared__ int word[kThreads];
  word[threadIdx.x] = threadIdx.x;  // WITH 20
  if (clean)
    __syncthreads();
  else if (threadIdx.x < kHalf)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  out[threadIdx.x] = word[(threadIdx.x + kHalf) % kThreads];  // ERROR 20 race in shared memory
}
__global__ void warp_barrier(int* out, bool clean) {
  __shared__ int word[kThreads];
  word[threadIdx.x] = threadIdx.x;  // WITH 21
  if (clean)
    __syncthreads();
  else
    __syncwarp();
  out[threadIdx.x] = word[(threadIdx.x + 32) % kThreads];  // ERROR 21 race in shared memory
}
__global__ void reduction(int* out, bool clean) {
  __shared__ volatile int word[kThreads];
  word[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x < 64) word[threadIdx.x] = word[threadIdx.x] + word[threadIdx.x + 64];  // WITH 22
  if (clean) __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = word[threadIdx.x] + word[threadIdx.x + 32];  // ERROR 22 race in shared memory
}
__global__ void atomic_and_read(int* out, bool clean) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x < kHalf) atomicAdd(&count, 1);  // WITH 23
  if (clean) __syncthreads();
  if (threadIdx.x >= kHalf) out[threadIdx.x] = count;  // ERROR 23 race in shared memory
}
__global__ void byte_of_word(int* out, bool clean) {
  __shared__ union {
    char one[4];
    int all;
  } word;
  if (threadIdx.x == 0) word.all = 0;
  __syncthreads();
  if (threadIdx.x == 32) word.one[2] = 7;  // WITH 24
  if (clean) __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = word.all;  // ERROR 24 race in shared memory
}
__global__ void generic_pointer(int* out, bool clean) {
  extern __shared__ int dynamic[];
  const volatile int* const pointer = threadIdx.x < 1000 ? &dynamic[kThreads - 1 - threadIdx.x] : out;
  dynamic[threadIdx.x] = threadIdx.x;  // WITH 25
  if (clean) __syncthreads();
  out[threadIdx.x] = *pointer;  // ERROR 25 race in shared memory
}

__global__ void behind_the_end(int* out, const int* in, int beyond) {
  out[threadIdx.x] = in[threadIdx.x + beyond];  // ERROR 26 illegal address
}
__global__ void before_the_beginning(int* to, int before) {
  to[int(threadIdx.x) - before] = 1;  // ERROR 27 illegal address
}
__global__ void misaligned(char* to, int by) {
  *reinterpret_cast<double*>(to + 8 * threadIdx.x + by) = 1;  // ERROR 28 misaligned address
}
__global__ void shared_behind_the_end(int* out, int beyond) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x + beyond] = 1;  // ERROR 29 shared memory out of bounds
  out[threadIdx.x] = dynamic[threadIdx.x + beyond];
}
__global__ void add_behind_the_end(int* to, int beyond) {
  atomicAdd(to + threadIdx.x + beyond, 1);  // ERROR 30 illegal address
}

static int* allocate(size_t bytes, bool filled) {
  int* memory = nullptr;
  cudaMalloc(&memory, bytes);
  if (filled) cudaMemset(memory, 0, bytes);
  return memory;
}

static int only = 0;  // this error; 0: all
static bool wanted(int number) { return only == 0 || only == number; }

static void unwritten(int* out, bool clean) {
  static const int host[kThreads * 4] = {};
  if (wanted(1)) never_written<<<1, kThreads>>>(out, allocate(kBytes, clean));
  int* half = allocate(kBytes, false);
  cudaMemset(half, 0, clean ? kBytes : kBytes / 2);
  if (wanted(2)) half_filled<<<1, kThreads>>>(out, half);
  int* quarters = allocate(4 * kBytes, false);
  cudaMemcpy2D(quarters, 16, host, 16, clean ? 16 : 12, kThreads, cudaMemcpyHostToDevice);
  if (wanted(3)) wide<<<1, kThreads>>>(out, reinterpret_cast<int4*>(quarters));
  if (wanted(4)) counter<<<1, kThreads>>>(out, allocate(4, clean));
  int* even = allocate(kBytes, clean);
  even_only<<<1, kThreads>>>(even);
  if (wanted(5)) all_of_them<<<1, kThreads>>>(out, even);
  int* few = allocate(kBytes, false);
  cudaMemcpy(few, host, kBytes - (clean ? 0 : 4), cudaMemcpyHostToDevice);
  if (wanted(6)) one_too_few<<<1, kThreads>>>(out, few);
  if (wanted(7)) bytes<<<1, kThreads>>>(out, reinterpret_cast<char*>(allocate(kThreads, clean)));
  int* pooled = nullptr;
  cudaMallocAsync(&pooled, kBytes, nullptr);
  if (clean) cudaMemsetAsync(pooled, 0, kBytes, nullptr);
  if (wanted(8)) from_pool<<<1, kThreads>>>(out, pooled);
  if (wanted(9)) shared_unwritten<<<1, kThreads>>>(out, clean);
  if (wanted(10)) shared_partly<<<1, kThreads>>>(out, clean ? kThreads : 16);
  if (wanted(11)) shared_counter<<<1, kThreads>>>(out, clean);
}

static void freed(int* out, bool clean) {
  int *first = allocate(kBytes, true), *second = allocate(kBytes, true), *third = allocate(kBytes, true), *pooled = nullptr;
  cudaMallocAsync(&pooled, kBytes, nullptr);
  cudaMemsetAsync(pooled, 0, kBytes, nullptr);
  if (!clean) {
    cudaFree(first);
    cudaFree(second);
    cudaFree(third);
    cudaFreeAsync(pooled, nullptr);
  }
  if (wanted(12)) read_freed<<<1, kThreads>>>(out, first);
  if (wanted(13)) write_freed<<<1, kThreads>>>(second);
  if (wanted(14)) add_freed<<<1, kThreads>>>(third);
  if (wanted(15)) read_freed_to_pool<<<1, kThreads>>>(out, pooled);
}

static void races(int* out, bool clean) {
  if (wanted(16)) read_neighbour<<<1, kThreads>>>(out, clean);
  if (wanted(17)) write_what_is_read<<<1, kThreads>>>(out, clean);
  if (wanted(18)) two_writers<<<1, kThreads>>>(out, clean);
  if (wanted(19)) loop_without_second_barrier<<<1, kThreads>>>(out, clean);
  if (wanted(20)) barrier_of_others<<<1, kThreads>>>(out, clean);
  if (wanted(21)) warp_barrier<<<1, kThreads>>>(out, clean);
  if (wanted(22)) reduction<<<1, kThreads>>>(out, clean);
  if (wanted(23)) atomic_and_read<<<1, kThreads>>>(out, clean);
  if (wanted(24)) byte_of_word<<<1, kThreads>>>(out, clean);
  if (wanted(25)) generic_pointer<<<1, kThreads, kBytes>>>(out, clean);
}

static void faults(int* out, bool clean) {
  int* memory = allocate(kBytes, true);
  if (wanted(26)) behind_the_end<<<1, kThreads>>>(out, memory, clean ? 0 : 1);
  if (wanted(27)) before_the_beginning<<<1, kThreads>>>(out, clean ? 0 : 1);  // nothing was allocated before `out`
  if (wanted(28)) misaligned<<<1, kHalf>>>(reinterpret_cast<char*>(memory), clean ? 0 : 4);
  if (wanted(29)) shared_behind_the_end<<<1, kThreads, kBytes>>>(out, clean ? 0 : 256);
  if (wanted(30)) add_behind_the_end<<<1, kThreads>>>(memory, clean ? 0 : 1);
}

int main(int argc, char** argv) {
  constexpr int kFirstFault = 26;
  const char* wish = argc > 1 ? argv[1] : "all";
  const bool clean = std::strcmp(wish, "clean") == 0;
  only = std::atoi(wish);
  int* out = allocate(kBytes, true);
  if (only < kFirstFault) {
    unwritten(out, clean);
    freed(out, clean);
    races(out, clean);
  }
  if (clean || only >= kFirstFault) faults(out, clean);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
