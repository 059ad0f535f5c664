// SPDX-License-Identifier: Apache-2.0
// Memory of the host: registered, mapped, protected, and taken away.
#pragma once

#include "common.h"

namespace {

void register_plain(unsigned flags) {
  auto* p = static_cast<int*>(pages(2));
  DO("register", cudaHostRegister(p, 2 * kPage, flags));
  int* device = nullptr;
  DO("device pointer", cudaHostGetDevicePointer(&device, p, 0));
  say("is", device == p ? "equal" : "another");
  store_to(p);
  say("value", p[0]);
  unsigned got = 77;
  DO("flags", cudaHostGetFlags(&got, p));
  say("are", got);
  cudaPointerAttributes of{};
  DO("attributes", cudaPointerGetAttributes(&of, p + 100));
  say("type", of.type);
  say("device", of.devicePointer == p + 100);
  say("host", of.hostPointer == p + 100);
  DO("unregister", cudaHostUnregister(p));
  DO("again", cudaHostUnregister(p));
  store_to(p, 10);
}
void register_unmapped_low() {
  DO("register", cudaHostRegister(reinterpret_cast<void*>(0x1000), 4096, 0));
  DO("last", cudaGetLastError());
  store_to(reinterpret_cast<int*>(0x1000));
}
void register_unmapped() {
  void* p = pages(4);
  munmap(p, 4 * kPage);
  DO("register", cudaHostRegister(p, 4 * kPage, 0));
}
void register_half_mapped() {
  auto* p = static_cast<char*>(pages(4));
  munmap(p + 2 * kPage, 2 * kPage);
  DO("register", cudaHostRegister(p, 4 * kPage, 0));
  DO("of the mapped half", cudaHostRegister(p, 2 * kPage, 0));
}
void register_protected(int protection, unsigned flags) {
  auto* p = static_cast<int*>(pages(2));
  p[0] = 4;
  mprotect(p, 2 * kPage, protection);
  DO("register", cudaHostRegister(p, 2 * kPage, flags));
  if (cudaGetLastError() != cudaSuccess) return;
  int* to = device_memory();
  load<<<1, 1>>>(p, to);
  finish_kernel("load");
  say("value", value_at(to));
  store_to(p);
  mprotect(p, 2 * kPage, PROT_READ);
  say("value", p[0]);
}
void register_read_only_attribute() {
  int value = -1;
  DO("attribute", cudaDeviceGetAttribute(&value, cudaDevAttrHostRegisterReadOnlySupported, 0));
  say("read-only registration", value);
  DO("attribute", cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, 0));
  say("pageable access", value);
}
const int constant_data[3 * kPage / 4] = {5};
void register_program_constants() {
  auto* p = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(constant_data) + kPage - 1) / kPage * kPage);
  DO("register", cudaHostRegister(p, kPage, 0));
  DO("read-only", cudaHostRegister(p, kPage, cudaHostRegisterReadOnly));
}
void register_overlaps() {
  auto* p = static_cast<char*>(pages(8));
  DO("register", cudaHostRegister(p + 2 * kPage, 2 * kPage, 0));
  DO("the same", cudaHostRegister(p + 2 * kPage, 2 * kPage, 0));
  DO("inside", cudaHostRegister(p + 2 * kPage + 100, 10, 0));
  DO("around", cudaHostRegister(p + kPage, 4 * kPage, 0));
  DO("the beginning", cudaHostRegister(p + kPage, 2 * kPage, 0));
  DO("the end", cudaHostRegister(p + 3 * kPage, 2 * kPage, 0));
  DO("before", cudaHostRegister(p + kPage, kPage, 0));
  DO("behind", cudaHostRegister(p + 4 * kPage, kPage, 0));
  DO("unregister inside", cudaHostUnregister(p + 2 * kPage + 100));
  DO("unregister", cudaHostUnregister(p + 2 * kPage));
}
void register_in_one_page() {
  auto* p = static_cast<char*>(pages(2));
  DO("register", cudaHostRegister(p + 64, 64, 0));
  DO("same page", cudaHostRegister(p + 1024, 64, 0));
  DO("adjacent", cudaHostRegister(p + 128, 64, 0));
  store_to(p + 64);
  store_to(p + 512);
}
void register_arguments() {
  void* p = pages(2);
  DO("null", cudaHostRegister(nullptr, 4, 0));
  DO("no bytes", cudaHostRegister(p, 0, 0));
  DO("flags 0x100", cudaHostRegister(p, kPage, 0x100));
  DO("huge", cudaHostRegister(p, ~std::size_t{0}, 0));
  DO("wraps", cudaHostRegister(p, ~std::size_t{0} - reinterpret_cast<std::uintptr_t>(p) + 2, 0));
  DO("I/O memory", cudaHostRegister(p, kPage, cudaHostRegisterIoMemory));
}
void register_other_memory() {
  void *pinned = nullptr, *device = nullptr, *managed_memory = nullptr;
  DO("pinned", cudaHostAlloc(&pinned, kPage, 0));
  DO("register", cudaHostRegister(pinned, kPage, 0));
  DO("unregister", cudaHostUnregister(pinned));
  DO("device", cudaMalloc(&device, kPage));
  DO("register", cudaHostRegister(device, kPage, 0));
  DO("managed", cudaMallocManaged(&managed_memory, kPage));
  DO("register", cudaHostRegister(managed_memory, kPage, 0));
  DO("free of pinned by cudaFree", cudaFree(pinned));
  DO("of managed by cudaFreeHost", cudaFreeHost(managed_memory));
  DO("of managed", cudaFree(managed_memory));
  void* p = pages(1);
  DO("register", cudaHostRegister(p, kPage, 0));
  DO("of registered by cudaFreeHost", cudaFreeHost(p));
  DO("by cudaFree", cudaFree(p));
  DO("unregister", cudaHostUnregister(p));
}
void register_file(int kind) {
  char name[] = "/tmp/edgesXXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  if (ftruncate(file, kind == 2 ? 100 : 2 * kPage) != 0) return;
  void* p = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, kind == 0 ? MAP_SHARED : MAP_PRIVATE, file, 0);
  DO("register", cudaHostRegister(p, 2 * kPage, 0));
  if (cudaGetLastError() != cudaSuccess) return;
  store_to(p);
  say("value", *static_cast<int*>(p));
}
void device_pointer_of_others() {
  int* device = reinterpret_cast<int*>(8);
  void* p = pages(2);
  DO("pageable", cudaHostGetDevicePointer(&device, p, 0));
  say("pointer", device == nullptr ? "null" : device == reinterpret_cast<int*>(8) ? "kept" : "set");
  int* own = device_memory();
  DO("device", cudaHostGetDevicePointer(&device, own, 0));
  DO("null", cudaHostGetDevicePointer(&device, nullptr, 0));
  int* managed_memory = nullptr;
  cudaMallocManaged(&managed_memory, kPage);
  DO("managed", cudaHostGetDevicePointer(&device, managed_memory, 0));
  DO("register", cudaHostRegister(p, kPage, 0));
  DO("inside", cudaHostGetDevicePointer(&device, static_cast<char*>(p) + 100, 0));
  say("is", reinterpret_cast<char*>(device) == static_cast<char*>(p) + 100 ? "equal" : "another");
  DO("behind", cudaHostGetDevicePointer(&device, static_cast<char*>(p) + kPage, 0));
  DO("flags", cudaHostGetDevicePointer(&device, p, 1));
  unsigned flags = 0;
  DO("flags of pageable", cudaHostGetFlags(&flags, static_cast<char*>(p) + kPage));
  DO("flags of device", cudaHostGetFlags(&flags, own));
  int* pinned = nullptr;
  DO("pinned", cudaHostAlloc(&pinned, kPage, cudaHostAllocWriteCombined));
  DO("flags of pinned", cudaHostGetFlags(&flags, pinned));
  say("are", flags);
  DO("bad flags", cudaHostAlloc(&pinned, kPage, 0x100));
}
// What the host does with registered memory before a kernel stores to it.
void registered_then(int what) {
  auto* p = static_cast<int*>(pages(256));
  p[0] = 3;
  DO("register", cudaHostRegister(p, 256 * kPage, cudaHostRegisterMapped));
  if (what == 0) munmap(p, 256 * kPage);
  if (what == 1) mprotect(p, 256 * kPage, PROT_READ);
  if (what == 2) mprotect(p, 256 * kPage, PROT_NONE);
  if (what == 3)
    if (mmap(p, 256 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      return;
  store_to(p);
  tell();
  if (what == 1 || what == 3) say("value", p[0]);
  if (what == 2) {
    mprotect(p, 256 * kPage, PROT_READ);
    say("value", p[0]);
  }
  int* to = device_memory();
  load<<<1, 1>>>(p, to);
  finish_kernel("load");
  say("value", value_at(to));
  int on_host = -1;
  if (what == 0) DO("copy", cudaMemcpy(&on_host, p, 4, cudaMemcpyDefault));
  say("value", on_host);
  DO("unregister", cudaHostUnregister(p));
}
void registered_then_freed() {
  auto* p = static_cast<int*>(malloc(1 << 20));
  DO("register", cudaHostRegister(p, 1 << 20, 0));
  free(p);
  store_to(p);
}
void pageable_store() {
  static int target = 3;
  store_to(&target);
}
void copy_unmapped(int way) {
  auto* p = static_cast<int*>(pages(4, way == 2 ? PROT_READ : PROT_READ | PROT_WRITE));
  if (way != 2) munmap(p, 4 * kPage);
  int* d = device_memory();
  tell();
  if (way == 0) DO("copy from", cudaMemcpy(d, p, 4, cudaMemcpyHostToDevice));
  if (way == 1) DO("copy to", cudaMemcpy(p, d, 4, cudaMemcpyDeviceToHost));
  if (way == 2) DO("copy to read-only", cudaMemcpy(p, d, 4, cudaMemcpyDeviceToHost));
}
void copy_registered_then_unmapped(int way) {
  auto* p = static_cast<int*>(pages(256));
  DO("register", cudaHostRegister(p, 256 * kPage, 0));
  munmap(p, 256 * kPage);
  int* d = device_memory();
  tell();
  DO("copy", way == 0 ? cudaMemcpy(d, p, 4, cudaMemcpyHostToDevice) : cudaMemcpy(p, d, 4, cudaMemcpyDeviceToHost));
  DO("fill", cudaMemset(p, 0, 4));
}

}  // namespace
