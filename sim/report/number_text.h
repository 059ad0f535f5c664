// SPDX-License-Identifier: Apache-2.0
// Numbers with their units: scaled and grouped for a person, as they are for a program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sassim::report {

/// "7608 cycles", "1 block", "2.27 MiB" for people and "2379264 bytes" for programs, where the number is one word and
/// the unit another.
std::string number_text(double value, std::string_view unit, bool for_people);

/// "1 kernel", "3 kernels".
std::string count_text(std::size_t count, std::string_view noun);

}  // namespace sassim::report
