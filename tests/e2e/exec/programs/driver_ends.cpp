// SPDX-License-Identifier: Apache-2.0
// Threads that use the driver's interface, and programs that end without having waited for their kernels.
#include <unistd.h>

#include <ctime>
#include <thread>
#include <vector>

#include "driver_check.h"

namespace {

CUcontext context;
CUfunction empty, scale;

void launch(int times) {
  for (int i = 0; i < times; ++i) DO(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
}

/// Each thread has a stream of its own and checks what its kernels compute.
void work_of_thread(int number) {
  DO(cuCtxSetCurrent(context));
  constexpr int kThreads = 64;
  CUstream stream;
  DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  std::vector<float> in(kThreads, float(number)), out(kThreads);
  CUdeviceptr from, to;
  DO(cuMemAlloc(&from, kThreads * sizeof(float)));
  DO(cuMemAlloc(&to, kThreads * sizeof(float)));
  int count = kThreads;
  void* arguments[] = {&from, &to, &count};
  for (int round = 0; round < 5; ++round) {
    DO(cuMemcpyHtoDAsync(from, in.data(), kThreads * sizeof(float), stream));
    DO(cuLaunchKernel(scale, 1, 1, 1, kThreads, 1, 1, 0, stream, arguments, nullptr));
    DO(cuMemcpyDtoHAsync(out.data(), to, kThreads * sizeof(float), stream));
    DO(cuStreamSynchronize(stream));
    for (float value : out) EXPECT(value == 2 * number + 5);
  }
  DO(cuStreamDestroy(stream));
}

/// The processor's time for a launch without the simulation: into a graph, which never runs.
void cost() {
  constexpr int kTimes = 20000;
  CUstream stream;
  CUgraph graph;
  CUdeviceptr memory = 0;
  int count = 0;
  void* arguments[] = {&memory, &memory, &count};
  DO(cuStreamCreate(&stream, 0));
  DO(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  const std::clock_t begin = std::clock();
  for (int i = 0; i < kTimes; ++i) DO(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  std::printf("%.2f us per launch\n", double(std::clock() - begin) / CLOCKS_PER_SEC * 1e6 / kTimes);
  DO(cuStreamEndCapture(stream, &graph));
}

}  // namespace

int main(int argc, char** argv) {
  EXPECT(argc == 2);
  const std::string how = argv[1];
  DO(cuInit(0));
  DO(cuCtxCreate(&context, 0, 0));
  CUmodule module;
  DO(cuModuleLoad(&module, image(argv[0], "driver_kernels.fatbin").c_str()));
  DO(cuModuleGetFunction(&empty, module, "empty"));
  DO(cuModuleGetFunction(&scale, module, "scale"));
  if (how == "threads") {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(work_of_thread, i);
    for (std::thread& thread : threads) thread.join();
    std::puts("threads ok");
  } else if (how == "return") {
    launch(3);
  } else if (how == "stream") {
    CUstream stream;
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 3; ++i) DO(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr));
  } else if (how == "destroy") {
    launch(3);
    DO(cuCtxDestroy(context));
  } else if (how == "_exit") {
    CUstream stream;
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 3; ++i) DO(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr));
    _exit(0);
  } else if (how == "cost") {
    cost();
  }
}
