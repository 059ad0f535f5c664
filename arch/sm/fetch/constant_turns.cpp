// SPDX-License-Identifier: Apache-2.0
// Computes when the first constants of an SM's processing blocks come, if the SMs of its GPC all want theirs at once.
#include "arch/sm/fetch/constant_turns.h"

#include <algorithm>
#include <vector>

namespace sassim::arch {

namespace {
/// Lines of a pair of SMs, in the order of their lookup: those of the first SM's processing blocks, then those of the
/// second SM's. One line for the load/store unit of each SM follows the first and the last line of the second SM.
constexpr std::uint32_t kPairLines = 2 * kConstantTurn + 2, kOther = kConstantTurn + 1;
}  // namespace

std::array<std::uint32_t, kConstantTurn> first_constants(const ConstantSharing& sharing) {
  std::array<std::uint32_t, kConstantTurn> result{};
  std::vector<std::uint32_t> served(sharing.pairs);
  std::uint32_t now = 0, turn = 0;
  for (std::uint32_t left = kPairLines * sharing.pairs; left != 0; now += sharing.interval) {
    for (std::uint32_t tried = 0; tried < sharing.pairs; ++tried) {
      const std::uint32_t pair = (turn + tried) % sharing.pairs, line = served[pair];
      if (line == kPairLines || pair * sharing.skew > now) continue;
      ++served[pair];
      --left;
      turn = pair + 1;
      const bool second = line >= kConstantTurn, block = line != kOther && line != kPairLines - 1;
      if (pair == sharing.pair && second == sharing.second && block)
        result[second ? line - kConstantTurn - (line > kOther ? 1 : 0) : line] = now;
      break;
    }
  }
  return result;
}

}  // namespace sassim::arch
