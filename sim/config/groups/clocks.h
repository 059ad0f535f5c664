// SPDX-License-Identifier: Apache-2.0
// Configuration of the clocks: frequencies in Hz. fields_gpu.cpp says what each member means.
#pragma once

#include <cstdint>

namespace sassim::config {

struct Clocks {
  std::uint64_t sm = 1380'000'000;
  std::uint64_t l2 = 1380'000'000;
  std::uint64_t dram = 877'000'000;
};

}  // namespace sassim::config
