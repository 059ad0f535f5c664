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
