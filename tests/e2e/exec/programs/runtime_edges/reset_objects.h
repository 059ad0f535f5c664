// SPDX-License-Identifier: Apache-2.0
// cudaDeviceReset: what becomes of variables, memory, streams, events, graphs, arrays and textures.
#pragma once

#include "common.h"

namespace {

void reset(const char* step = "reset") { DO(step, cudaDeviceReset()); }

void reset_variables() {
  for (int turn = 0; turn < 3; ++turn) {
    int* to = device_memory();
    next_of_variable<<<1, 1>>>(to);
    next_of_variable<<<1, 1>>>(to);
    say("variable", value_at(to));
    constant<<<1, 1>>>(to, 1);
    say("constant", value_at(to));
    const int seven = 7;
    DO("to symbol", cudaMemcpyToSymbol(constants, &seven, 4, 4));
    constant<<<1, 1>>>(to, 1);
    say("constant", value_at(to));
    reset();
  }
}
void reset_frees() {
  std::size_t free = 0, total = 0;
  for (int turn = 0; turn < 3; ++turn) {
    DO("size", cudaMemGetInfo(&free, &total));
    void* p = nullptr;
    DO("malloc", cudaMalloc(&p, total / 8 * 5));
    reset();
  }
}
void reset_pending() {
  auto* host = static_cast<int*>(pages(1));
  DO("register", cudaHostRegister(host, kPage, 0));
  slow_store<<<1, 1>>>(host, 8, kLong);
  reset();
  say("value", host[0]);
}
void reset_pending_copy() {
  int* d = device_memory();
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  slow_store<<<1, 1, 0, stream>>>(d, 8, kLong);
  auto* host = static_cast<int*>(pages(1));
  DO("register", cudaHostRegister(host, kPage, 0));
  DO("copy", cudaMemcpyAsync(host, d, 4, cudaMemcpyDeviceToHost, stream));
  reset();
  say("value", host[0]);
}
void reset_pointer(int what) {
  int* p = device_memory();
  reset();
  int value = 1;
  tell();
  if (what == 0) DO("copy", cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
  if (what == 1) DO("free", cudaFree(p));
  if (what == 2) store_to(p);
  if (what == 3) DO("fill", cudaMemset(p, 0, 4));
  if (what == 4) {
    cudaPointerAttributes of{};
    DO("attributes", cudaPointerGetAttributes(&of, p));
    say("type", of.type);
  }
}
void reset_stream(int what) {
  cudaStream_t s = nullptr;
  DO("create", cudaStreamCreate(&s));
  nothing<<<1, 1, 0, s>>>();
  reset();
  tell();
  if (what == 0) DO("synchronize", cudaStreamSynchronize(s));
  if (what == 1) DO("query", cudaStreamQuery(s));
  if (what == 2) DO("destroy", cudaStreamDestroy(s));
  if (what == 3) {
    nothing<<<1, 1, 0, s>>>();
    finish_kernel();
  }
  if (what == 4) {
    int* p = device_memory();
    DO("copy", cudaMemcpyAsync(&what, p, 4, cudaMemcpyDeviceToHost, s));
  }
}
void reset_event(int what) {
  cudaEvent_t a = nullptr, b = nullptr;
  DO("create", cudaEventCreate(&a));
  cudaEventCreate(&b);
  cudaEventRecord(a);
  cudaEventRecord(b);
  reset();
  tell();
  float ms = 0;
  if (what == 0) DO("record", cudaEventRecord(a));
  if (what == 1) DO("query", cudaEventQuery(a));
  if (what == 2) DO("synchronize", cudaEventSynchronize(a));
  if (what == 3) DO("elapsed", cudaEventElapsedTime(&ms, a, b));
  if (what == 4) DO("destroy", cudaEventDestroy(a));
  if (what == 5) DO("wait", cudaStreamWaitEvent(nullptr, a, 0));
}
void reset_graph(int what) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  nothing<<<1, 1, 0, s>>>();
  DO("capture", cudaStreamEndCapture(s, &graph));
  DO("instantiate", cudaGraphInstantiateWithFlags(&exec, graph, 0));
  reset();
  tell();
  if (what == 0) DO("launch", cudaGraphLaunch(exec, nullptr));
  if (what == 1) DO("instantiate", cudaGraphInstantiateWithFlags(&exec, graph, 0));
  if (what == 2) DO("destroy", cudaGraphExecDestroy(exec));
  if (what == 3) DO("destroy", cudaGraphDestroy(graph));
}
void reset_array(int what) {
  cudaArray_t array;
  const auto format = cudaCreateChannelDesc<float>();
  DO("create", cudaMallocArray(&array, &format, 64, 64));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  cudaTextureObject_t object = 0;
  DO("texture", cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  reset();
  tell();
  float value = 0;
  if (what == 0) DO("free", cudaFreeArray(array));
  if (what == 1) DO("destroy", cudaDestroyTextureObject(object));
  if (what == 2) DO("copy", cudaMemcpy2DFromArray(&value, 4, array, 0, 0, 4, 1, cudaMemcpyDeviceToHost));
}
void reset_pinned(int what) {
  int *p = nullptr, *d = nullptr;
  DO("pinned", cudaHostAlloc(&p, kPage, cudaHostAllocMapped));
  p[0] = 6;
  reset();
  tell();
  if (what == 0) say("value", *static_cast<volatile int*>(p));
  if (what == 1) DO("free", cudaFreeHost(p));
  if (what == 2) store_to(p);
  if (what == 3) DO("device pointer", cudaHostGetDevicePointer(&d, p, 0));
}
void reset_registered(int what) {
  auto* p = static_cast<int*>(pages(1));
  int* d = nullptr;
  DO("register", cudaHostRegister(p, kPage, 0));
  p[0] = 6;
  reset();
  say("value", p[0]);
  if (what == 0) DO("unregister", cudaHostUnregister(p));
  if (what == 1) DO("register", cudaHostRegister(p, kPage, 0));
  if (what == 2) store_to(p);
  if (what == 3) DO("device pointer", cudaHostGetDevicePointer(&d, p, 0));
}
void reset_managed_memory(int what) {
  int* p = nullptr;
  DO("managed", cudaMallocManaged(&p, kPage));
  p[0] = 6;
  store<<<1, 1>>>(p + 1, 3);
  reset();
  tell();
  if (what == 0) say("value", *static_cast<volatile int*>(p));
  if (what == 1) DO("free", cudaFree(p));
  if (what == 2) store_to(p);
}
void reset_managed_variable(int what) {
  managed[1] = 50;
  write_managed<<<1, 1>>>();
  DO("synchronize", cudaDeviceSynchronize());
  say("value", managed[0]);
  int* const before = managed;
  reset();
  tell();
  if (what == 0) {
    say("value", managed[0]);
    say("value", managed[1]);
  }
  if (what == 1) managed[2] = 60;
  if (what <= 1) {
    say("place", before == managed ? "equal" : "another");
    write_managed<<<1, 1>>>();
    finish_kernel();
    say("value", managed[0]);
    say("value", managed[1]);
    say("value", managed[2]);
  }
  if (what == 2) {
    write_managed<<<1, 1>>>();
    finish_kernel();
    say("value", managed[0]);
    say("value", managed[1]);
    say("place", before == managed ? "equal" : "another");
  }
}

}  // namespace
