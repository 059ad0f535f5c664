// SPDX-License-Identifier: Apache-2.0
// How tensor cores add: products are exact; they and the accumulator are aligned to the largest exponent, cut off some
// bits below single precision, added exactly and cut off again (Fasi et al., "Numerical behavior of NVIDIA tensor
// cores", PeerJ Computer Science 2021; the numbers for sm_90 were fitted to an H200).
#pragma once

#include <cstdint>

namespace sassim::emu {

struct TensorRules {
  int group;       ///< products that are added at once; longer sums go group by group
  int extra_bits;  ///< kept below the 24 bits of single precision while adding
};

TensorRules tensor_rules(int sm);

struct DotProduct {
  TensorRules rules;
  bool half_result;  ///< rounded to nearest half instead of cut to single
  /// sum(a[i] * b[i]) + c; the factors have at most 11 significant bits.
  float operator()(const float* a, const float* b, int count, float c) const;
};

}  // namespace sassim::emu
