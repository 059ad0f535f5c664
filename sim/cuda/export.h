// SPDX-License-Identifier: Apache-2.0
// Makes functions of the runtime, and further names of the driver's, visible to programs.
#pragma once

/// A function that programs link to: it has a C name and is visible outside of the library.
#define SASSIM_CUDA extern "C" __attribute__((visibility("default")))

/// A second name of a function for programs with a default stream per thread: `_ptsz` for functions with a stream
/// argument, `_ptds` for others. Here both default streams are the same.
#define SASSIM_CUDA_PTSZ(name) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) name##_ptsz
#define SASSIM_CUDA_PTDS(name) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) name##_ptds

/// Another name of a function: an older version whose arguments are the same, or the one for programs with a default
/// stream per thread. Here both default streams are the same.
#define SASSIM_CU_ALSO(name, other) extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) other
#define SASSIM_CU_PTSZ(name) SASSIM_CU_ALSO(name, name##_ptsz)
#define SASSIM_CU_PTDS(name) SASSIM_CU_ALSO(name, name##_ptds)
