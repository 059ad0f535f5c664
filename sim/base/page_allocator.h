// SPDX-License-Identifier: Apache-2.0
// Memory from the system in whole pages, apart from the heap. In `exec` the heap is the program's own: what is of
// another size in every run must not lie there, or the program's allocations have other addresses in every run.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace sassim {

template <class T>
struct PageAllocator {
  using value_type = T;

  PageAllocator() = default;
  template <class U>
  PageAllocator(const PageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    void* const pages = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(pages);
  }
  void deallocate(T* pages, std::size_t count) { munmap(pages, count * sizeof(T)); }

  template <class U>
  bool operator==(const PageAllocator<U>&) const {
    return true;
  }
};

}  // namespace sassim
