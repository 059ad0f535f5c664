// SPDX-License-Identifier: Apache-2.0
// The ways in which programs end, and the places where they launch their last kernels: ends WORK END
#include <cuda_profiler_api.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ends.h"

static LaunchesAtItsEnd before_registration("object");
static LaunchesAtItsEnd first_user("first-user", true);
static thread_local LaunchesAtItsEnd of_thread("thread-local");

#ifdef ENDS_LINKED
extern "C" void use_library();
#else
static void use_library() {}
#endif

__attribute__((destructor)) static void destructor() { launch_at("destructor"); }

static const char* self;

[[noreturn]] static void run(std::vector<const char*> arguments) {
  arguments.push_back(nullptr);
  execv(arguments[0], const_cast<char* const*>(arguments.data()));
  std::abort();
}

static void wait_for(cudaStream_t stream) { cudaStreamSynchronize(stream); }

/// What the program does before it ends.
static const std::map<std::string, std::function<void()>> works = {
    {"nothing", [] {}},
    {"plain",
     [] {
       int* x = nullptr;
       cudaMalloc(&x, sizeof(int));
       work<<<2, 64>>>(x);
     }},
    {"streams", [] { launch(), launch(); }},
    {"waited",
     [] {
       const cudaStream_t a = launch(), b = launch();
       wait_for(a), wait_for(b);
     }},
    {"half",
     [] {
       const cudaStream_t a = launch();
       launch();
       wait_for(a);
     }},
    {"event",
     [] {
       cudaEvent_t event;
       cudaEventCreate(&event);
       launch();
       cudaEventRecord(event, launch());
       cudaEventSynchronize(event);
     }},
    {"copied",
     [] {
       int* x = nullptr;
       int got = 0;
       cudaMalloc(&x, sizeof(int));
       launch(), launch();
       cudaMemcpy(&got, x, sizeof(int), cudaMemcpyDeviceToHost);
     }},
};

/// Waits forever at the end of the program, as free() does if the thread holds the lock of an allocation.
static volatile sig_atomic_t waits_in_exit = 0;
static const struct WaitsInExit {
  ~WaitsInExit() {
    while (waits_in_exit) pause();
  }
} waits_at_end;

static void launch_forever() {
  for (;;) launch();
}

static volatile sig_atomic_t refused = 0;

/// How the program ends. It returns from main() if the function returns.
static const std::map<std::string, std::function<void()>> ends = {
    {"return", [] {}},
    {"exit", [] { std::exit(0); }},
    {"quick_exit", [] { std::quick_exit(0); }},
    {"_exit", [] { _exit(0); }},
    {"abort", [] { std::abort(); }},
    {"terminate", [] { throw std::runtime_error("nobody catches it"); }},
    {"segv", [] { *static_cast<volatile int*>(nullptr) = 1; }},
    {"kill", [] { kill(getpid(), SIGKILL); }},
    {"execv", [] { run({"/bin/true"}); }},
    {"execv-cuda",
     [] {
       run({self, "streams", "return"});
     }},
    {"reset", [] { cudaDeviceReset(); }},
    {"reset-twice", [] { cudaDeviceReset(), cudaDeviceReset(); }},
    {"profiler-stop", [] { cudaProfilerStop(); }},
    {"pthread_exit",
     [] {
       std::thread([] { usleep(50'000), launch(); }).detach();
       pthread_exit(nullptr);
     }},
    {"threads",  // of which none has ended, and all launch
     [] {
       for (int i = 0; i < 3; ++i) std::thread(launch_forever).detach();
       usleep(200'000);
     }},
    {"joined", [] { std::thread([] { launch(); }).join(); }},
    {"openmp",
     [] {
#pragma omp parallel num_threads(3)
       launch();
     }},
    {"exit-in-thread",
     [] {
       std::thread([] { launch(), std::exit(0); }).detach();
       pause();
     }},
    {"exit-in-callback",
     [] {
       cudaLaunchHostFunc(
           nullptr, [](void*) { std::exit(0); }, nullptr);
     }},
    {"exit-in-handler",  // that interrupts no call
     [] {
       std::signal(SIGTERM, [](int) { std::exit(0); });
       std::raise(SIGTERM);
     }},
    {"exit-in-call",  // a handler that interrupts a call
     [] {
       std::signal(SIGALRM, [](int) { std::exit(0); });
       ualarm(100'000, 0);
       launch_forever();
     }},
    {"exit-in-call-waits",  // a handler that interrupts a call, and waits forever for what the call holds
     [] {
       std::signal(SIGALRM, [](int) {
         if (cudaFree(nullptr) == cudaSuccess) return;  // it interrupts no call
         waits_in_exit = 1;
         std::exit(7);
       });
       ualarm(1000, 1000);
       launch_forever();
     }},
    {"cuda-in-handler",
     [] {
       std::signal(SIGALRM, [](int) {
         if (cudaFree(nullptr) != cudaSuccess) ++refused;
       });
       ualarm(1000, 1000);
       while (refused < 20) wait_for(launch());
       ualarm(0, 0);
       std::puts("calls were refused");
     }},
    {"fork",
     [] {
       if (fork() == 0) {
         launch();
         return;  // from main(), in the child
       }
       wait(nullptr);
       launch();
     }},
    {"fork-_exit",
     [] {
       if (fork() == 0) {
         wait_for(launch());
         _exit(0);
       }
       wait(nullptr);
     }},
    {"fork-in-thread",  // while others launch
     [] {
       std::vector<std::thread> threads;
       for (int i = 0; i < 2; ++i)
         threads.emplace_back([] {
           for (int n = 0; n < 10; ++n) launch();
         });
       for (int i = 0; i < 3; ++i) {
         if (fork() == 0) {
           wait_for(launch());
           _exit(0);
         }
         wait(nullptr);
       }
       for (std::thread& thread : threads) thread.join();
     }},
    {"vfork",
     [] {
       if (vfork() == 0) {
         execl(self, self, "streams", "return", nullptr);
         _exit(1);
       }
       wait(nullptr);
     }},
    {"system", [] { std::exit(std::system((std::string(self) + " streams return").c_str())); }},
    {"popen",
     [] {
       FILE* const child = popen((std::string(self) + " streams return").c_str(), "r");
       while (std::fgetc(child) != EOF) {
       }
       pclose(child);
     }},
    {"daemon", [] { daemon(1, 1) == 0 ? void(launch()) : std::abort(); }},
    {"exit-handler-_exit", [] { std::exit(0); }},
    {"close-descriptors",  // and own their numbers
     [] {
       for (int i = 3; i < 256; ++i) close(i);
       for (int i = 0; i < 20; ++i) {
         const int file = open(("mine-" + std::to_string(i)).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
         if (write(file, "mine\n", 5) != 5) std::abort();
       }
       for (int i = 0; i < 3; ++i) launch();
     }},
    {"no-descriptors",  // is left
     [] {
       while (open("/dev/null", O_RDONLY) >= 0) {
       }
       for (int i = 0; i < 3; ++i) launch();
     }},
    {"chdir",
     [] {
       if (chdir("/") != 0) std::abort();
       clearenv();
       umask(0777);
       for (int i = 0; i < 3; ++i) launch();
     }},
    {"setuid",
     [] {
       if (setgid(65534) != 0 || setuid(65534) != 0) std::abort();
       for (int i = 0; i < 3; ++i) launch();
     }},
    {"chroot",
     [] {
       if (mkdir("jail", 0755) != 0 || chroot("jail") != 0 || chdir("/") != 0) std::abort();
       for (int i = 0; i < 3; ++i) launch();
     }},
    {"remove-session",
     [] {
       if (std::system("rm -rf \"$TMPDIR\"/*") != 0) std::abort();
       for (int i = 0; i < 3; ++i) launch();
     }},
    {"dlopen", [] {}},
    {"dlclose", [] {}},
};

int main(int count, char** arguments) {
  if (count != 3) return 2;
  self = arguments[0];
  const std::string end = arguments[2];
  if (end == "exit-handler-_exit") std::atexit([] { _exit(0); });
  static LaunchesAtItsEnd before("before");
  std::atexit([] { launch_at("atexit-before"); });
  std::at_quick_exit([] { launch_at("at_quick_exit"); });
  use_library();
  const auto use = [] { of_thread.place_ = "thread-local"; };
  use();
  std::thread(use).join();
  works.at(arguments[1])();
  static LaunchesAtItsEnd after("after");
  std::atexit([] { launch_at("atexit-after"); });
  if (end.rfind("dl", 0) == 0) {
    const std::string folder = std::string(self).substr(0, std::string(self).rfind('/'));
    void* const library = dlopen((folder + "/libends_loaded.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) std::puts(dlerror());
    reinterpret_cast<void (*)()>(dlsym(library, "use_library"))();
    if (end == "dlclose") dlclose(library);
  }
  ends.at(end)();
  return 0;
}
