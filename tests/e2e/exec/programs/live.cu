// SPDX-License-Identifier: Apache-2.0
// Kernels whose path depends on time: locks, flags, queues, clocks. Each checks what it computed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

// --- a spin lock in global memory, one thread of each block

__global__ void lock_sum(int* lock, unsigned* sum, unsigned* tries) {
  if (threadIdx.x != 0) return;
  unsigned tried = 0;
  for (int i = 0; i < 4; ++i) {
    do ++tried;
    while (atomicCAS(lock, 0, 1) != 0);
    __threadfence();
    const volatile unsigned* now = sum;
    *const_cast<unsigned*>(sum) = *now + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
  atomicAdd(tries, tried);
}

// --- a block waits for the one before it by a flag

__global__ void chain(volatile int* flags, volatile int* values) {
  const int b = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) {
    if (b != 0)
      while (flags[b - 1] == 0) {
      }
    __threadfence();
    values[b] = (b == 0 ? 0 : values[b - 1]) + b;
    __threadfence();
    flags[b] = 1;
  }
}

// --- stores and loads of one block through global memory and a barrier

__global__ void through_memory(int* data, int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = static_cast<int>(blockIdx.x * blockDim.x), n = static_cast<int>(blockDim.x);
  int x = i;
  for (int round = 0; round < 8; ++round) {
    data[i] = x;
    __syncthreads();
    x += data[first + (static_cast<int>(threadIdx.x) + 33) % n];
    __syncthreads();
  }
  out[i] = x;
}

// --- a thread reads what it has stored, of several sizes, over atomics

__global__ void own_stores(int* data, int* wrong) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int* mine = data + 4 * i;
  for (int round = 1; round < 20; ++round) {
    mine[0] = round;
    mine[1] = -round;
    atomicAdd(mine, 5);
    const int old = atomicExch(mine + 1, 7 * round);
    reinterpret_cast<short*>(mine)[4] = static_cast<short>(round);
    const int4 all = *reinterpret_cast<int4*>(mine);
    if (all.x != round + 5 || all.y != 7 * round || old != -round || static_cast<short>(all.z) != round)
      atomicAdd(wrong, 1);
    mine[2] = 0;
  }
}

// --- a queue of work, taken by whoever comes first

__global__ void queue(unsigned* next, unsigned* done, unsigned count) {
  for (;;) {
    const unsigned i = atomicAdd(next, 1u);
    if (i >= count) return;
    unsigned x = i;
    for (unsigned k = 0; k < i % 17; ++k) x = x * 1664525u + 1013904223u;
    done[i] = x | 1u;
  }
}

// --- waits until so many cycles have passed

__global__ void wait_by_clock(long long cycles, long long* waited) {
  const long long begin = clock64();
  long long now;
  do now = clock64();
  while (now - begin < cycles);
  if (threadIdx.x == 0) waited[blockIdx.x] = now - begin;
}

// --- a list to which every thread adds an element of the heap

struct Element {
  Element* next;
};
__device__ unsigned long long first_element;

__global__ void make_list() {
  Element* mine = static_cast<Element*>(malloc(sizeof(Element)));
  unsigned long long before = 0, seen;
  do {
    seen = before;
    mine->next = reinterpret_cast<Element*>(seen);
    __threadfence();
    before = atomicCAS(&first_element, seen, reinterpret_cast<unsigned long long>(mine));
  } while (before != seen);
}
__global__ void count_list(unsigned* count) {
  Element* next = nullptr;
  for (Element* e = reinterpret_cast<Element*>(first_element); e != nullptr; e = next, ++*count) {
    next = e->next;
    free(e);
  }
}

template <class T>
T* device(std::size_t count) {
  T* p = nullptr;
  cudaMalloc(&p, count * sizeof(T));
  cudaMemset(p, 0, count * sizeof(T));
  return p;
}
template <class T>
std::vector<T> host(const T* p, std::size_t count) {
  std::vector<T> all(count);
  cudaMemcpy(all.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost);
  return all;
}

int failures = 0;
void check(const char* name, bool right) {
  if (!right) ++failures;
  std::printf("%s %s\n", name, right ? "right" : "WRONG");
}

void run_lock() {
  constexpr unsigned kBlocks = 48;
  int* lock = device<int>(1);
  unsigned* sum = device<unsigned>(2);
  lock_sum<<<kBlocks, 32>>>(lock, sum, sum + 1);
  const auto got = host(sum, 2);
  check("lock_sum", got[0] == 4 * kBlocks && got[1] >= 4 * kBlocks);
}

void run_chain() {
  constexpr int kBlocks = 64;
  int* flags = device<int>(kBlocks);
  int* values = device<int>(kBlocks);
  chain<<<kBlocks, 32>>>(flags, values);
  check("chain", host(values, kBlocks)[kBlocks - 1] == kBlocks * (kBlocks - 1) / 2);
}

void run_memory() {
  constexpr int kBlocks = 24, kThreads = 256;
  int* data = device<int>(kBlocks * kThreads);
  int* out = device<int>(kBlocks * kThreads);
  through_memory<<<kBlocks, kThreads>>>(data, out);
  const auto got = host(out, kBlocks * kThreads);
  bool right = true;
  for (int b = 0; b < kBlocks; ++b) {
    std::vector<int> x(kThreads), before;
    for (int t = 0; t < kThreads; ++t) x[t] = b * kThreads + t;
    for (int round = 0; round < 8; ++round) {
      before = x;
      for (int t = 0; t < kThreads; ++t) x[t] = static_cast<int>(static_cast<unsigned>(before[t]) + static_cast<unsigned>(before[(t + 33) % kThreads]));
    }
    right = right && std::memcmp(x.data(), &got[b * kThreads], kThreads * sizeof(int)) == 0;
  }
  check("through_memory", right);
  int* wrong = device<int>(1);
  int* own = device<int>(4 * kBlocks * kThreads);
  own_stores<<<kBlocks, kThreads>>>(own, wrong);
  check("own_stores", host(wrong, 1)[0] == 0);
}

void run_queue() {
  constexpr unsigned kCount = 5000;
  unsigned* next = device<unsigned>(1);
  unsigned* done = device<unsigned>(kCount);
  queue<<<40, 64>>>(next, done, kCount);
  const auto got = host(done, kCount);
  bool right = host(next, 1)[0] >= kCount;
  for (unsigned i = 0; i < kCount; ++i) {
    unsigned x = i;
    for (unsigned k = 0; k < i % 17; ++k) x = x * 1664525u + 1013904223u;
    right = right && got[i] == (x | 1u);
  }
  check("queue", right);
}

void run_clock() {
  long long* waited = device<long long>(8);
  wait_by_clock<<<8, 32>>>(3000, waited);
  bool right = true;
  for (const long long cycles : host(waited, 8)) right = right && cycles >= 3000 && cycles < 3300;
  check("wait_by_clock", right);
}

void run_heap() {
  unsigned* count = device<unsigned>(1);
  make_list<<<8, 64>>>();
  count_list<<<1, 1>>>(count);
  check("heap", host(count, 1)[0] == 512);
}

int main(int argc, char** argv) {
  const char* only = argc > 1 ? argv[1] : "";
  const auto wanted = [&](const char* name) { return *only == '\0' || std::strcmp(only, name) == 0; };
  if (wanted("lock")) run_lock();
  if (wanted("chain")) run_chain();
  if (wanted("memory")) run_memory();
  if (wanted("queue")) run_queue();
  if (wanted("clock")) run_clock();
  if (wanted("heap")) run_heap();
  if (cudaDeviceSynchronize() != cudaSuccess) ++failures;
  return failures == 0 ? 0 : 1;
}
