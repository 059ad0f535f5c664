// SPDX-License-Identifier: Apache-2.0
// Formats a number with its unit for reports: scaled for people, plain for programs.
#include "sim/report/number_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace sassim::report {

namespace {

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (digits[0] == '-' ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), " ");
  return digits;
}

struct UnitScale {
  std::string_view unit;
  double step;
  std::array<std::string_view, 4> larger;
};

/// Empty: the number is small, or has a unit without multiples.
std::string with_multiple(double value, std::string_view unit) {
  static constexpr UnitScale kUnitScales[] = {{"byte", 1024, {"KiB", "MiB", "GiB", "TiB"}},
                                              {"byte/s", 1000, {"KB/s", "MB/s", "GB/s", "TB/s"}},
                                              {"Hz", 1000, {"kHz", "MHz", "GHz", "THz"}},
                                              {"ns", 1000, {"us", "ms", "s", "ks"}}};
  for (const UnitScale& scale : kUnitScales) {
    if (scale.unit != unit || std::abs(value) < scale.step) continue;
    std::size_t at = 0;
    for (value /= scale.step; std::abs(value) >= scale.step && at + 1 < scale.larger.size(); value /= scale.step) ++at;
    return fmt::format("{:.2f} {}", value, scale.larger[at]);
  }
  return {};
}

std::string unit_text(std::string_view unit, bool one) {
  if (unit == "%" || unit == "ns" || unit == "Hz" || unit == "byte/s" || unit.empty()) return std::string(unit);
  if (unit == "inst") return one ? "instruction" : "instructions";
  if (unit == "reply") return one ? "reply" : "replies";
  if (unit == "access" || unit == "refresh" || unit == "launch") return std::string(unit) + (one ? "" : "es");
  return std::string(unit) + (one ? "" : "s");
}

}  // namespace

std::string number_text(double value, std::string_view unit, bool for_people) {
  if (for_people)
    if (std::string text = with_multiple(value, unit); !text.empty()) return text;
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  const std::string digits = !whole && std::abs(value) < 1e5 ? fmt::format("{:.2f}", value)
                             : for_people                    ? grouped(value)
                                                             : fmt::format("{:.0f}", value);
  if (unit == "ratio" || unit.empty()) return digits;
  return fmt::format("{} {}", digits, unit_text(unit, value == 1));
}

std::string count_text(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}", count, unit_text(noun, count == 1));
}

}  // namespace sassim::report
