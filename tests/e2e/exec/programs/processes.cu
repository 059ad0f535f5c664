// SPDX-License-Identifier: Apache-2.0
// Small kernels, and every way in which a program can end or start others.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

__global__ void add(float* x, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[i] * a + 1.0f;
}
__global__ void stray(int* x) { x[1ull << 40] = 1; }

static void launch(int count, cudaStream_t stream = nullptr, int blocks = 4) {
  float* x = nullptr;
  cudaMalloc(&x, blocks * 128 * sizeof(float));
  for (int i = 0; i < count; ++i) add<<<blocks, 128, 0, stream>>>(x, 0.5f);
  cudaDeviceSynchronize();
  cudaFree(x);
}

[[noreturn]] static void launch_forever() {
  for (;;) launch(1);
}

/// Three processes at work at the same time.
static void fork_three() {
  for (int i = 0; i < 3; ++i)
    if (fork() == 0) {
      launch(2 + i);
      _exit(0);
    }
  launch(1);
  while (wait(nullptr) > 0) {
  }
}

/// A process in a session of its own, whose parent has ended.
static void start_daemon() {
  if (fork() != 0) return;
  setsid();
  if (fork() == 0) launch_forever();
  _exit(0);
}

/// Another process, whose code is loaded, is in a kernel of seconds when this one ends.
static void leave_one_in_a_kernel() {
  int loaded[2];
  if (pipe(loaded) != 0) std::abort();
  if (fork() == 0) {
    setsid();
    launch(1);
    if (write(loaded[1], "", 1) != 1) std::abort();
    launch(1, nullptr, 1 << 16);
    _exit(0);
  }
  char byte;
  if (read(loaded[0], &byte, 1) != 1) std::abort();
  sleep(1);
}

static void use_streams(unsigned flags, int count) {
  for (int i = 0; i < count; ++i) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, flags);
    float* x = nullptr;
    cudaMalloc(&x, 2048 * 128 * sizeof(float));
    add<<<2048, 128, 0, stream>>>(x, 0.5f);
  }
  cudaDeviceSynchronize();
}

int main(int argc, char** argv) {
  const char* wish = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) : 2;
  if (!std::strcmp(wish, "launch")) launch(count);
  if (!std::strcmp(wish, "large")) launch(count, nullptr, 1 << 16);
  if (!std::strcmp(wish, "forever")) launch_forever();
  if (!std::strcmp(wish, "family")) {
    start_daemon();
    launch_forever();
  }
  if (!std::strcmp(wish, "deaf")) {
    std::signal(SIGTERM, SIG_IGN);
    launch_forever();
  }
  if (!std::strcmp(wish, "leave")) leave_one_in_a_kernel();
  if (!std::strcmp(wish, "fault")) {
    launch(count);
    stray<<<1, 32>>>(nullptr);
    cudaDeviceSynchronize();
  }
  if (!std::strcmp(wish, "abort")) {
    launch(count);
    std::abort();
  }
  if (!std::strcmp(wish, "_exit")) {
    launch(count);
    _exit(3);
  }
  if (!std::strcmp(wish, "execve")) {
    launch(count);
    execl(argv[0], argv[0], "fork", nullptr);
  }
  if (!std::strcmp(wish, "fork")) fork_three();
  if (!std::strcmp(wish, "streams")) use_streams(cudaStreamDefault, count);
  if (!std::strcmp(wish, "one-stream")) use_streams(cudaStreamDefault, 1);
  return 0;
}
