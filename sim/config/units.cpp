// SPDX-License-Identifier: Apache-2.0
// Parses and prints quantities with units: sizes, clocks, bandwidths, masks, architectures.
#include "sim/config/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>
#include <vector>

#include "sim/base/suggest.h"

namespace sassim::config {

namespace {

struct Suffix {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Suffix kBytes[] = {{"GiB", 1u << 30}, {"MiB", 1u << 20}, {"KiB", 1u << 10}, {"B", 1}};
constexpr Suffix kHertz[] = {{"GHz", 1'000'000'000}, {"MHz", 1'000'000}, {"kHz", 1'000}, {"Hz", 1}};
constexpr Suffix kRate[] = {{"TB/s", 1'000'000'000'000}, {"GB/s", 1'000'000'000}, {"MB/s", 1'000'000}, {"B/s", 1}};

std::span<const Suffix> suffixes(Unit unit) {
  if (unit == Unit::rate) return kRate;
  if (unit == Unit::bytes) return kBytes;
  if (unit == Unit::hertz) return kHertz;
  return {};
}

std::string expected(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "a size in bytes, KiB, MiB or GiB, such as 64KiB";
    case Unit::hertz:
      return "a clock in kHz, MHz or GHz, such as 1590MHz";
    case Unit::rate:
      return "a bandwidth in MB/s, GB/s or TB/s, such as 616GB/s";
    case Unit::cycles:
      return "a whole number of cycles";
    case Unit::arch:
      return "an architecture such as sm_75";
    case Unit::mask:
      return "a mask of bits such as 0x1ed5da";
    default:
      return "a whole number";
  }
}

/// The digits and the exponent of a decimal number, so that 1.5MiB is exact.
struct Decimal {
  std::uint64_t whole = 0, fraction = 0, scale = 1;
};

constexpr std::size_t kMaxFractionDigits = 9;

bool split(std::string_view text, Decimal& decimal, std::string_view& suffix) {
  std::size_t i = 0;
  for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); ++i)
    if (__builtin_mul_overflow(decimal.whole, std::uint64_t{10}, &decimal.whole) ||
        __builtin_add_overflow(decimal.whole, static_cast<std::uint64_t>(text[i] - '0'), &decimal.whole))
      return false;
  if (i == 0) return false;
  if (i + 1 < text.size() && text[i] == '.' && std::isdigit(static_cast<unsigned char>(text[i + 1]))) {
    const std::size_t first = ++i;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); ++i) {
      if (i - first >= kMaxFractionDigits) return false;
      decimal.fraction = decimal.fraction * 10 + static_cast<std::uint64_t>(text[i] - '0');
      decimal.scale *= 10;
    }
  }
  while (i < text.size() && text[i] == ' ') ++i;
  suffix = text.substr(i);
  return true;
}

/// KB is 1000 bytes for some people and 1024 for others, so that it is rejected with advice.
std::string advise_binary(std::string_view text, std::string_view suffix) {
  const char prefix = static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[0])));
  const std::string digits(text.substr(0, text.size() - suffix.size()));
  return fmt::format("'{}' could mean 1000 or 1024 bytes; write {}{}iB (1 KiB is 1024 bytes)", text, digits, prefix);
}

bool decimal_byte_suffix(std::string_view suffix) {
  static constexpr std::string_view kAmbiguous[] = {"K", "k", "KB", "kB", "Kb", "kb", "M", "MB", "Mb", "G", "GB", "Gb"};
  return std::find(std::begin(kAmbiguous), std::end(kAmbiguous), suffix) != std::end(kAmbiguous);
}

std::string bad_suffix(std::string_view text, std::string_view suffix, Unit unit) {
  if (unit == Unit::bytes && decimal_byte_suffix(suffix)) return advise_binary(text, suffix);
  std::vector<std::string> known;
  for (const Suffix& s : suffixes(unit)) known.emplace_back(s.name);
  if (known.empty()) return fmt::format("'{}' has the unit '{}', but this is {}", text, suffix, expected(unit));
  return fmt::format("'{}' has the unit '{}'{}; write {}", text, suffix, did_you_mean(suffix, known), expected(unit));
}

}  // namespace

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::cycles:
      return "cycles";
    case Unit::bytes:
      return "bytes";
    case Unit::hertz:
      return "Hz";
    case Unit::rate:
      return "bytes per second";
    default:
      return "";
  }
}

static std::string parse_mask(std::string_view digits, std::uint64_t& value) {
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (result.ec == std::errc() && result.ptr == digits.data() + digits.size()) return {};
  return fmt::format("'0x{}' is not {}", digits, expected(Unit::mask));
}

std::string parse_quantity(std::string_view text, Unit unit, std::uint64_t& value) {
  if (unit == Unit::mask && text.starts_with("0x")) return parse_mask(text.substr(2), value);
  if (unit == Unit::arch && text.starts_with("sm_")) text.remove_prefix(3);
  Decimal decimal;
  std::string_view suffix;
  if (!split(text, decimal, suffix)) return fmt::format("'{}' is not {}", text, expected(unit));
  std::uint64_t factor = 1;
  if (!suffix.empty()) {
    const auto known = suffixes(unit);
    const auto found = std::find_if(known.begin(), known.end(), [&](const Suffix& s) { return s.name == suffix; });
    if (found == known.end()) return bad_suffix(text, suffix, unit);
    factor = found->factor;
  } else if (unit == Unit::hertz || (unit == Unit::rate && decimal.whole != 0)) {
    return fmt::format("'{}' has no unit; write {}", text, expected(unit));
  }
  const std::uint64_t part = decimal.fraction * factor;
  if (part % decimal.scale != 0) return fmt::format("'{}' is not a whole number of {}", text, unit_name(unit));
  if (__builtin_mul_overflow(decimal.whole, factor, &value) ||
      __builtin_add_overflow(value, part / decimal.scale, &value))
    return fmt::format("'{}' is too large", text);
  return {};
}

/// In GB/s, with all decimals that are needed.
static std::string format_rate(std::uint64_t value) {
  constexpr std::uint64_t kGiga = 1'000'000'000;
  std::string text = fmt::format("{}.{:09}", value / kGiga, value % kGiga);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + "GB/s";
}

std::string format_quantity(std::uint64_t value, Unit unit) {
  if (unit == Unit::rate) return format_rate(value);
  if (unit == Unit::arch) return fmt::format("sm_{}", value);
  if (unit == Unit::mask) return fmt::format("{:#x}", value);
  for (const Suffix& suffix : suffixes(unit))
    if (value != 0 && value % suffix.factor == 0 && (suffix.factor != 1 || unit == Unit::hertz))
      return fmt::format("{}{}", value / suffix.factor, suffix.name);
  return fmt::format("{}{}", value, unit == Unit::hertz ? "Hz" : "");
}

}  // namespace sassim::config
