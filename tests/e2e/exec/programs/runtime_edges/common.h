// SPDX-License-Identifier: Apache-2.0
// What the cases share: kernels, the printing of steps, and memory.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

__global__ void store(int* to, int value) { *to = value; }
__global__ void load(const int* from, int* to) { *to = *from; }
__global__ void nothing() {}
__global__ void slow_store(volatile int* to, int value, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  *to = value;
  __threadfence_system();
}
__global__ void trap() { asm("trap;"); }
__global__ void print() { printf("[printed]"); }
__global__ void call(int* to, void (*function)(int*)) {
  to[1] = 7;
  function(to);
}
__device__ void set_five(int* to) { *to = 5; }
__device__ void (*pointer_to_set_five)(int*) = set_five;
__global__ void call_some(int* to, void (*function)(int*)) {
  if (threadIdx.x == 3) function(to);
  to[1] = 7;
}
__global__ void jump_to_pointer(int* to, int which) {
  pointer_to_set_five = which ? set_five : nullptr;
  *to = 1;
}

__device__ int variable = 5;
__global__ void next_of_variable(int* to) { *to = variable++; }
__constant__ int constants[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
__global__ void constant(int* to, int index) { *to = constants[index]; }
__global__ void constant_by_lane(int* to, int index) { to[threadIdx.x] = constants[index * (threadIdx.x == 5)]; }
__global__ void wide_constant(double* to, int index) { *to = reinterpret_cast<const double*>(constants)[index]; }
struct Parameters {
  int values[16];
};
__global__ void parameter(Parameters p, int* to, int index) { *to = p.values[index]; }
__managed__ int managed[4] = {1, 2, 3, 4};
__global__ void write_managed() { managed[0] += 10; }
__global__ void large_shared(int* to) {
  extern __shared__ int words[];
  words[threadIdx.x] = 1;
  *to = words[threadIdx.x];
}

std::string line;
void text(const std::string& part) { line += (line.empty() ? "" : "; ") + part; }
void say(const char* step, cudaError_t code) {
  const std::string name = cudaGetErrorName(code);
  text(std::string(step) + " " + (name.rfind("cudaError", 0) == 0 ? name.substr(9) : name.substr(4)));
}
void say(const char* step, long long value) { text(std::string(step) + " " + std::to_string(value)); }
void say(const char* step, const char* value) { text(std::string(step) + " " + value); }
void tell() {  // before a step that may kill the process
  std::fputs((line + (line.empty() ? "" : "; ")).c_str(), stdout);
  std::fflush(stdout);
  line.clear();
}
#define DO(step, call) say(step, (call))

constexpr std::size_t kPage = 4096;
void* pages(std::size_t count, int protection = PROT_READ | PROT_WRITE) {
  return mmap(nullptr, count * kPage, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
int* device_memory() {
  int* p = nullptr;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  return p;
}
int value_at(const int* device) {
  int value = -1;
  const cudaError_t code = cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost);
  if (code != cudaSuccess) say("copy", code);
  return value;
}
void finish_kernel(const char* step = "kernel") {
  cudaError_t code = cudaGetLastError();
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  say(step, code);
}
template <class T>
void store_to(T* at, int value = 9) {
  cudaGetLastError();  // of earlier steps
  store<<<1, 1>>>(reinterpret_cast<int*>(at), value);
  finish_kernel();
}
const long long kLong = 1000000;  ///< cycles, in which the host goes on

}  // namespace
