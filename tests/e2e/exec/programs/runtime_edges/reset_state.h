// SPDX-License-Identifier: Apache-2.0
// cudaDeviceReset: settings, faults and errors, captures, threads and callbacks.
#pragma once

#include "common.h"
#include "reset_objects.h"

namespace {

void reset_settings() {
  std::size_t value = 0;
  const cudaLimit limits[] = {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize};
  for (cudaLimit limit : limits) {
    cudaDeviceGetLimit(&value, limit);
    say("default", static_cast<long long>(value));
    DO("set", cudaDeviceSetLimit(limit, value * 2));
  }
  DO("cache", cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  reset();
  for (cudaLimit limit : limits) {
    DO("get", cudaDeviceGetLimit(&value, limit));
    say("is", static_cast<long long>(value));
  }
  cudaFuncCache config;
  DO("cache", cudaDeviceGetCacheConfig(&config));
  say("is", config);
  int device = -1;
  DO("device", cudaGetDevice(&device));
  say("is", device);
}
void reset_device_flags() {
  unsigned flags = 99;
  DO("set", cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
  DO("use", cudaFree(nullptr));
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
  reset();
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
}
void first_device_flags() {
  unsigned flags = 99;
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
  DO("use", cudaFree(nullptr));
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
  reset();
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
}
void reset_function_attribute() {
  int* to = device_memory();
  large_shared<<<1, 32, 60000>>>(to);
  finish_kernel("before");
  DO("attribute", cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440));
  large_shared<<<1, 32, 60000>>>(to);
  finish_kernel("with it");
  reset();
  to = device_memory();
  large_shared<<<1, 32, 60000>>>(to);
  finish_kernel("after");
}
void reset_last_error() {
  void* p = nullptr;
  DO("malloc", cudaMalloc(&p, ~std::size_t{0}));
  reset();
  DO("peek", cudaPeekAtLastError());
  DO("get", cudaGetLastError());
}
void fault(int kind) {
  if (kind == 0) store<<<1, 1>>>(nullptr, 1);
  if (kind == 1) trap<<<1, 1>>>();
  if (kind == 2) store<<<1, 1>>>(reinterpret_cast<int*>(reinterpret_cast<char*>(device_memory()) + 1), 1);
}
void after_fault() {
  int* p = nullptr;
  DO("malloc", cudaMalloc(&p, 4));
  DO("last", cudaGetLastError());
  DO("last", cudaGetLastError());
  store_to(p);
  if (p) say("value", value_at(p));
}
void reset_fault(int kind) {
  fault(kind);
  DO("synchronize", cudaDeviceSynchronize());
  reset();
  after_fault();
  reset("reset again");
  after_fault();
}
void reset_fault_unseen() {
  fault(0);
  reset();
  DO("last", cudaGetLastError());
  after_fault();
}
void reset_fault_read() {  // as reset_fault, but the error was read before
  fault(0);
  DO("synchronize", cudaDeviceSynchronize());
  DO("last", cudaGetLastError());
  reset();
  DO("last", cudaGetLastError());
  int* p = nullptr;
  DO("malloc", cudaMalloc(&p, 4));
}
void reset_twice() {
  reset("first");
  reset("second");
  store_to(device_memory());
  reset("third");
  reset("fourth");
  store_to(device_memory());
}
void reset_in_capture(int mode) {
  cudaStream_t s;
  cudaGraph_t graph = nullptr;
  cudaStreamCreate(&s);
  DO("begin", cudaStreamBeginCapture(s, static_cast<cudaStreamCaptureMode>(mode)));
  nothing<<<1, 1, 0, s>>>();
  reset();
  tell();
  DO("end", cudaStreamEndCapture(s, &graph));
  store_to(device_memory());
}
void reset_from_a_thread() {
  int* p = device_memory();
  say("value", value_at(p));
  std::thread([] {
    store_to(device_memory());
    reset();
  }).join();
  DO("copy", cudaMemcpy(p, &p, 4, cudaMemcpyHostToDevice));
  DO("last", cudaGetLastError());
  store_to(device_memory());
}
void reset_prints() {
  print<<<1, 1>>>();
  reset();
}
void reset_pool() {
  cudaMemPool_t pool;
  DO("pool", cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t threshold = 12345;
  DO("set", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  void* p = nullptr;
  DO("malloc", cudaMallocAsync(&p, 4096, nullptr));
  reset();
  tell();
  cudaMemPool_t now;
  DO("pool", cudaDeviceGetDefaultMemPool(&now, 0));
  DO("get", cudaMemPoolGetAttribute(now, cudaMemPoolAttrReleaseThreshold, &threshold));
  say("is", static_cast<long long>(threshold));
  DO("free", cudaFreeAsync(p, nullptr));
}
#if CUDART_VERSION < 12000
void reset_thread_exit() {
  int* to = device_memory();
  next_of_variable<<<1, 1>>>(to);
  DO("exit", cudaThreadExit());
  to = device_memory();
  next_of_variable<<<1, 1>>>(to);
  say("value", value_at(to));
}
#endif
void reset_callback() {
  static cudaError_t code = cudaErrorUnknown;
  cudaStream_t s;
  cudaStreamCreate(&s);
  DO("callback", cudaLaunchHostFunc(
                     s, [](void*) { code = cudaDeviceReset(); }, nullptr));
  DO("synchronize", cudaStreamSynchronize(s));
  DO("reset in it", code);
}
// Which calls return a kernel's error.
void sticky(int kind) {
  int* d = device_memory();
  cudaEvent_t event;
  cudaStream_t stream;
  cudaEventCreate(&event);
  cudaStreamCreate(&stream);
  void *pinned = nullptr, *registered = pages(1);
  cudaHostAlloc(&pinned, kPage, 0);
  fault(kind);
  DO("synchronize", cudaDeviceSynchronize());
  int number = 0, value = 0;
  std::size_t size = 0;
  unsigned flags = 0;
  cudaDeviceProp properties;
  void* p = nullptr;
  DO("count", cudaGetDeviceCount(&number));
  DO("device", cudaGetDevice(&number));
  DO("set device", cudaSetDevice(0));
  DO("properties", cudaGetDeviceProperties(&properties, 0));
  DO("attribute", cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0));
  DO("version", cudaRuntimeGetVersion(&number));
  DO("limit", cudaDeviceGetLimit(&size, cudaLimitStackSize));
  DO("set limit", cudaDeviceSetLimit(cudaLimitStackSize, 2048));
  DO("flags", cudaGetDeviceFlags(&flags));
  DO("memory", cudaMemGetInfo(&size, &size));
  DO("free null", cudaFree(nullptr));
  DO("free", cudaFree(d));
  DO("host", cudaHostAlloc(&p, 16, 0));
  DO("register", cudaHostRegister(registered, kPage, 0));
  DO("free host", cudaFreeHost(pinned));
  DO("event", cudaEventCreate(&event));
  DO("query", cudaEventQuery(event));
  DO("destroy", cudaEventDestroy(event));
  DO("stream", cudaStreamCreate(&stream));
  DO("query", cudaStreamQuery(stream));
  DO("destroy", cudaStreamDestroy(stream));
  DO("symbol", cudaGetSymbolAddress(&p, variable));
  DO("attributes", cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440));
  DO("copy 0 bytes", cudaMemcpy(&value, d, 0, cudaMemcpyDeviceToHost));
  nothing<<<1, 1>>>();
  DO("launch", cudaGetLastError());
}

}  // namespace
