// SPDX-License-Identifier: Apache-2.0
// Values as people write them (64KiB, 1590MHz) and as the program keeps them (bytes, Hz).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sassim::config {

enum class Unit : std::uint8_t {
  count,   ///< a plain number of things
  cycles,  ///< cycles of the clock that the field's meaning names
  bytes,   ///< 64KiB, 6MiB, or plain bytes
  hertz,   ///< 1590MHz, 1.38GHz
  rate,    ///< bytes per second: 616GB/s, of 10^9 bytes as data sheets count
  ratio,   ///< a real number
  mask,    ///< bits: 0x1ed5da, or plain
  arch,    ///< sm_75
  flag,    ///< true or false
  name,    ///< one of a list, or the name of a plug-in
  text,    ///< anything
};

/// What a value of this unit is called in messages: "bytes", "cycles", ...; empty for plain numbers and text.
std::string_view unit_name(Unit unit);

/// Reads a whole number with the suffixes of its unit (not ratio, flag, name or text). Returns what is wrong with
/// `text`, worded to follow "KEY: ", or nothing.
std::string parse_quantity(std::string_view text, Unit unit, std::uint64_t& value);

/// The shortest form that reads back as exactly the same value.
std::string format_quantity(std::uint64_t value, Unit unit);

}  // namespace sassim::config
