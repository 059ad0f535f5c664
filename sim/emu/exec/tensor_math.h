// SPDX-License-Identifier: Apache-2.0
// How tensor cores add, bit for bit. Products are exact. Products and accumulator are aligned to the largest exponent,
// cut off a few bits below single precision, added exactly and cut off again (Fasi et al., "Numerical behavior of
// NVIDIA tensor cores", PeerJ Computer Science 2021; the values for sm_90 were fitted to an H200).
#pragma once

#include "sim/isa/architecture.h"

namespace sassim::emu {

struct DotProduct {
  isa::TensorRules rules;
  bool half_result;  ///< true: the result is rounded to the nearest half; false: cut to single precision
  /// sum(a[i] * b[i]) + c; factors have at most 11 significant bits.
  float operator()(const float* a, const float* b, int count, float c) const;
};

}  // namespace sassim::emu
