// SPDX-License-Identifier: Apache-2.0
// A program that loads all of CUDA with a library, and launches kernels of the library at an end of its own objects,
// which are older: ends_host PLACE
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static const char* chosen = "";
static void (*launch)() = nullptr;

static void launch_at(const char* place) {
  if (launch && !std::strcmp(chosen, place)) launch();
}

struct LaunchesAtItsEnd {
  const char* place;
  ~LaunchesAtItsEnd() { launch_at(place); }
};
static LaunchesAtItsEnd object{"object"};
static thread_local LaunchesAtItsEnd of_thread{"thread-local"};

__attribute__((destructor)) static void destructor() { launch_at("destructor"); }

int main(int, char** arguments) {
  static LaunchesAtItsEnd local{"local"};
  std::atexit([] { launch_at("atexit"); });
  of_thread.place = "thread-local";
  const std::string self = arguments[0];
  void* const library = dlopen((self.substr(0, self.rfind('/')) + "/libends_loaded.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::puts(dlerror()), 1;
  launch = reinterpret_cast<void (*)()>(dlsym(library, "launch_in_library"));
  launch();
  chosen = arguments[1];
  return 0;
}
