// SPDX-License-Identifier: Apache-2.0
// For programs of the driver's interface, which say what went wrong and where.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <string>

/// Ends the program when a call does not return `code`.
#define EXPECT_CODE(code, x)                                                                         \
  do {                                                                                               \
    const CUresult is_ = (x), wanted_ = (code);                                                      \
    if (is_ == wanted_) break;                                                                       \
    const char* name_ = "?";                                                                         \
    cuGetErrorName(is_, &name_);                                                                     \
    std::printf("line %d: %s: %s (%d), expected %d\n", __LINE__, #x, name_, int(is_), int(wanted_)); \
    std::exit(1);                                                                                    \
  } while (0)
#define DO(x) EXPECT_CODE(CUDA_SUCCESS, x)
#define EXPECT(x)                                       \
  do {                                                  \
    if (x) break;                                       \
    std::printf("line %d: not so: %s\n", __LINE__, #x); \
    std::exit(1);                                       \
  } while (0)

/// An image in the folder of the program.
inline std::string image(const char* program, const std::string& name) {
  const std::string path = program;
  return path.substr(0, path.rfind('/') + 1) + name;
}
