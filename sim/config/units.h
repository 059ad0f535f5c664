// SPDX-License-Identifier: Apache-2.0
// Values as users write them (64KiB, 1590MHz) and as the program stores them (bytes, Hz).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sassim::config {

enum class Unit : std::uint8_t {
  count,   ///< a plain number
  cycles,  ///< cycles of the clock that the field's meaning names
  bytes,   ///< 64KiB, 6MiB, or plain bytes
  hertz,   ///< 1590MHz, 1.38GHz
  rate,    ///< bytes per second: 616GB/s, where GB is 10^9 bytes as in data sheets
  ratio,   ///< a real number
  mask,    ///< a bit mask: 0x1ed5da, or a plain number
  arch,    ///< sm_75
  flag,    ///< true or false
  name,    ///< one of a list, or the name of a plug-in
  text,    ///< any text
};

/// The name of the unit in messages: "bytes", "cycles" and so on; empty for plain numbers and text.
std::string_view unit_name(Unit unit);

/// Reads a whole number with the suffixes of its unit (not for ratio, flag, name or text). Returns an error message to
/// follow "KEY: ", or an empty string.
std::string parse_quantity(std::string_view text, Unit unit, std::uint64_t& value);

/// The shortest form that reads back as exactly the same value.
std::string format_quantity(std::uint64_t value, Unit unit);

}  // namespace sassim::config
