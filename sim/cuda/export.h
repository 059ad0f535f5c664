// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A function that programs link to: C name, visible outside the library.
#define SASSIM_CUDA extern "C" __attribute__((visibility("default")))

/// The per-thread-default-stream twins of a function take the same arguments, under its name with `_ptsz` (functions
/// that take a stream) or `_ptds` (those that do not); here both default streams are one.
#define SASSIM_CUDA_PTSZ(name) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) name##_ptsz
#define SASSIM_CUDA_PTDS(name) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) name##_ptds
