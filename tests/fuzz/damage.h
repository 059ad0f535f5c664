// SPDX-License-Identifier: Apache-2.0
// Damages good inputs: the same round gives the same bytes on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace sassim::fuzz {

using Input = std::vector<std::uint8_t>;

/// One to four edits of one of `seeds`, which must not be empty: bits, bytes and numbers changed, parts cut, moved,
/// repeated or taken from another seed, and now and then a hundred thousand brackets.
Input damage(const std::vector<Input>& seeds, std::uint64_t round);

}  // namespace sassim::fuzz
