// SPDX-License-Identifier: Apache-2.0
// Makes further names of the driver's functions visible to programs.
#pragma once

#include "sim/cuda/export.h"

/// Another name of a function: an older version whose arguments are the same, or the one for programs with a default
/// stream per thread. Here both default streams are the same.
#define SASSIM_CU_ALSO(name, other) extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) other
#define SASSIM_CU_PTSZ(name) SASSIM_CU_ALSO(name, name##_ptsz)
#define SASSIM_CU_PTDS(name) SASSIM_CU_ALSO(name, name##_ptds)
