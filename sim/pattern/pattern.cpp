// SPDX-License-Identifier: Apache-2.0
// Compiles a user's regular expression within limits; explains mistakes in it.
#include "sim/pattern/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <cstdint>

#include "sim/base/error.h"
#include "sim/base/printable.h"

namespace sassim {

namespace {

constexpr std::string_view kAllowed =
    "allowed are text, . [abc] [^abc] (a|b) ^ $ * + ? {2,3} \\d \\w \\s \\b, and \\ before a character that is meant "
    "as "
    "it is written; back-references and look-around are not";
constexpr std::size_t kShown = 60;  ///< bytes of a long expression that a message shows

/// Memory of a compiled expression and of its matcher. Matching takes at most the size of the compiled expression
/// times the length of the text: this bound keeps the longest names below a second.
constexpr std::int64_t kMemory = 1 << 18;

re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemory);
  options.set_never_capture(true);
  return options;
}

std::string shown(const std::string& expression) {
  return printable(expression.size() <= kShown ? expression : expression.substr(0, kShown) + "...");
}

std::string what_is_wrong(const re2::RE2& compiled, const std::string& expression) {
  const std::string& part = compiled.error_arg();
  switch (compiled.error_code()) {
    case re2::RE2::ErrorPatternTooLarge:
      return "is too large when its repetitions are written out; repeat less";
    case re2::RE2::ErrorMissingParen:  // here RE2 names the whole expression, not the place
      return "has a ( without its )";
    case re2::RE2::ErrorUnexpectedParen:
      return "has a ) without its (";
    case re2::RE2::ErrorTrailingBackslash:
      return "ends with a \\ that stands before nothing";
    case re2::RE2::ErrorBadUTF8:
      return "is not UTF-8";
    default:
      break;
  }
  const std::size_t at = part.empty() ? std::string::npos : expression.find(part);
  if (at == std::string::npos) return fmt::format("is not a regular expression: {}", printable(compiled.error()));
  return fmt::format("is not a regular expression: '{}' at byte {}: {}", shown(part), at + 1,
                     printable(std::string_view(compiled.error()).substr(0, compiled.error().find(": "))));
}

}  // namespace

Pattern::Pattern(std::string_view option, const std::string& expression) {
  if (expression.empty()) return;
  if (expression.size() > kLongest)
    throw UsageError("{}: the pattern has {} bytes, the longest allowed has {}", option, expression.size(), kLongest);
  compiled_ = std::make_unique<re2::RE2>(expression, options());
  if (!compiled_->ok())
    throw UsageError("{} '{}' {}; {}", option, shown(expression), what_is_wrong(*compiled_, expression), kAllowed);
}

Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

bool Pattern::matches_in(std::string_view text) const {
  return !compiled_ || re2::RE2::PartialMatch({text.data(), text.size()}, *compiled_);
}

}  // namespace sassim
