// SPDX-License-Identifier: Apache-2.0
// Regular expressions, matched in time that grows linearly with the text, whatever the expression (RE2).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace sassim {

/// A regular expression that a user gave. docs/patterns.md describes its syntax.
class Pattern {
 public:
  /// Bytes of the longest expression that is accepted.
  static constexpr std::size_t kLongest = 4096;

  /// `option`: where the user wrote it, for the message. An empty expression matches every text. Throws UsageError with
  /// the place of the mistake and what is allowed.
  Pattern(std::string_view option, const std::string& expression);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  /// True if the expression matches a part of the text.
  bool matches_in(std::string_view text) const;

 private:
  std::unique_ptr<re2::RE2> compiled_;  ///< empty: matches everything
};

}  // namespace sassim
