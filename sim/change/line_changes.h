// SPDX-License-Identifier: Apache-2.0
// Lines of code of two versions of a kernel beside each other.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sim/change/change.h"

namespace sassim::change {

/// Positions of equal words, in order, as many as there can be. Behind 4 million pairs of words that have to be
/// compared it gives equal beginnings and ends alone.
std::vector<std::pair<std::size_t, std::size_t>> aligned(const std::vector<std::string>& before,
                                                         const std::vector<std::string>& after);

/// Fills `sass` and `cuda`. Instructions are joined by their opcodes, because registers and addresses move with every
/// change of the source.
void add_lines(const report::KernelReport& before, const report::KernelReport& after, KernelChange& change);

}  // namespace sassim::change
