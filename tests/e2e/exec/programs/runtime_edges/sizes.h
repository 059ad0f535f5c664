// SPDX-License-Identifier: Apache-2.0
// Sizes that allocations round, refuse or take.
#pragma once

#include "common.h"

namespace {

void* const kMark = reinterpret_cast<void*>(0x77);
const char* became(void* p) { return p == nullptr ? "null" : p == kMark ? "kept" : "set"; }
void malloc_pitch(std::size_t width, std::size_t height) {
  void* p = kMark;
  std::size_t pitch = 7;
  DO("pitch", cudaMallocPitch(&p, &pitch, width, height));
  say("pointer", became(p));
  say("pitch", static_cast<long long>(pitch));
  DO("last", cudaGetLastError());
}
void malloc_3d(std::size_t width, std::size_t height, std::size_t depth) {
  cudaPitchedPtr p{kMark, 7, 8, 9};
  DO("3D", cudaMalloc3D(&p, cudaExtent{width, height, depth}));
  say("pointer", became(p.ptr));
  say("pitch", static_cast<long long>(p.pitch));
  say("width", static_cast<long long>(p.xsize));
  say("height", static_cast<long long>(p.ysize));
}
void malloc_sizes() {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1} << 46, std::size_t{1} << 62, ~std::size_t{0}}) {
    void* p = kMark;
    DO("malloc", cudaMalloc(&p, bytes));
    say("pointer", became(p));
  }
}
void malloc_async_sizes() {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1} << 46, ~std::size_t{0}}) {
    void* p = kMark;
    DO("malloc", cudaMallocAsync(&p, bytes, 0));
    say("pointer", became(p));
  }
}
void host_sizes() {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1} << 45, std::size_t{1} << 62, ~std::size_t{0}}) {
    void* p = kMark;
    DO("host", cudaHostAlloc(&p, bytes, 0));
    say("pointer", became(p));
    p = kMark;
    DO("host", cudaMallocHost(&p, bytes));
    say("pointer", became(p));
  }
}
void managed_sizes() {  // none of a size that a GPU could begin to provide
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1} << 62, ~std::size_t{0}}) {
    void* p = kMark;
    DO("managed", cudaMallocManaged(&p, bytes));
    say("pointer", became(p));
  }
  void* p = kMark;
  DO("flags 0", cudaMallocManaged(&p, 4, 0));
  DO("flags 8", cudaMallocManaged(&p, 4, 8));
}
void array_sizes() {
  const auto format = cudaCreateChannelDesc<float>();
  const std::size_t sizes[][2] = {{0, 0}, {~std::size_t{0}, 4}, {4, ~std::size_t{0}}, {1 << 20, 1 << 20}};
  for (const auto& size : sizes) {
    auto a = static_cast<cudaArray_t>(kMark);
    DO("array", cudaMallocArray(&a, &format, size[0], size[1]));
    say("pointer", became(a));
  }
  const std::size_t boxes[][3] = {{1 << 14, 1 << 14, 1 << 14}, {~std::size_t{0}, 1, 1}, {0, 0, 0}, {4, 0, 4}};
  for (const auto& box : boxes) {
    auto a = static_cast<cudaArray_t>(kMark);
    DO("3D array", cudaMalloc3DArray(&a, &format, cudaExtent{box[0], box[1], box[2]}, 0));
    say("pointer", became(a));
  }
}

}  // namespace
