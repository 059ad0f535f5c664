// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program: memory or threads that cannot be had, from main() on.
//   SCARCE_MEMORY=N     the Nth allocation fails, and with SCARCE_FOR_GOOD all that follow
//   SCARCE_THREAD=N     the Nth thread cannot be started
//   SCARCE_COUNT=FILE   at exit, the number of allocations and of threads goes there
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

// The C library's own names of its functions, which need no search.
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);

namespace {

std::atomic<long> allocations{-1}, threads{0};  // allocations below zero: not within main()
long failing_allocation = 0, failing_thread = 0;
bool for_good = false;

long number(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

bool fails() {
  if (allocations < 0) return false;
  const long mine = ++allocations;
  const bool now = failing_allocation != 0 && (for_good ? mine >= failing_allocation : mine == failing_allocation);
  if (now) errno = ENOMEM;
  return now;
}

void tell() {
  const long seen = allocations;
  allocations = -1;
  const char* path = std::getenv("SCARCE_COUNT");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "w")) {
    std::fprintf(file, "%ld %ld\n", seen, threads.load());
    std::fclose(file);
  }
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counted_main(int count, char** arguments, char** environment) {
  failing_allocation = number("SCARCE_MEMORY");
  failing_thread = number("SCARCE_THREAD");
  for_good = std::getenv("SCARCE_FOR_GOOD") != nullptr;
  std::atexit(tell);
  allocations = 0;
  return real_main(count, arguments, environment);
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* memory, std::size_t size) { return fails() ? nullptr : __libc_realloc(memory, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  static const auto real = next<decltype(&pthread_create)>("pthread_create");
  if (++threads == failing_thread) return EAGAIN;
  return real(thread, attributes, start, argument);
}

int __libc_start_main(Main main, int count, char** arguments, void (*init)(), void (*fini)(), void (*unload)(),
                      void* stack) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  return next<Start>("__libc_start_main")(counted_main, count, arguments, init, fini, unload, stack);
}
}
