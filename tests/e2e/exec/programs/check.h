// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

/// Leaves main with 1 when a call of the runtime failed.
#define CU(x)                                             \
  do {                                                    \
    cudaError_t e = (x);                                  \
    if (e) {                                              \
      printf("CUDA %s: %s\n", #x, cudaGetErrorString(e)); \
      return 1;                                           \
    }                                                     \
  } while (0)

/// For programs that go on after what was not as expected, and end with how often that was.
inline int failures = 0;
#define EXPECT(condition)                                        \
  do {                                                           \
    if (!(condition)) {                                          \
      std::printf("FAILED line %d: %s\n", __LINE__, #condition); \
      ++failures;                                                \
    }                                                            \
  } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)
