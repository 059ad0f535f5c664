// SPDX-License-Identifier: Apache-2.0
#include "arch/common/tag_array.h"

#include <algorithm>

namespace sassim::arch {

TagArray::TagArray(std::size_t sets, std::uint32_t ways, const std::string& replacement)
    : sets_(sets),
      ways_(ways),
      tags_(sets * ways, kEmpty),
      usable_(ways),
      replacement_(Replacement::make(replacement, sets, ways)) {}

void TagArray::clear() {
  std::fill(tags_.begin(), tags_.end(), kEmpty);
  replacement_->clear();
}

}  // namespace sassim::arch
