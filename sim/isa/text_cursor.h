// SPDX-License-Identifier: Apache-2.0
// A position in a text, for the parsers of this folder. Its messages name file, line and column.
#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>

#include "sim/base/error.h"

namespace sassim::isa {

class TextCursor {
 public:
  /// `place`: the start of messages ("file:line"). `shift`: the column of the start of `text`; columns count from 1.
  TextCursor(std::string_view text, std::string_view place, std::size_t shift = 0)
      : text_(text), place_(place), shift_(shift) {}

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  char take() { return at_end() ? '\0' : text_[at_++]; }
  bool accept(char wanted) {
    if (peek() != wanted || at_end()) return false;
    ++at_;
    return true;
  }
  bool accept(std::string_view wanted) {
    if (!rest().starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  void expect(char wanted, std::string_view what) {
    if (!accept(wanted)) fail(what);
  }
  void skip_space() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(peek()))) ++at_;
  }
  /// The longest run of letters, digits, '_' and '$' from here.
  std::string_view word() {
    const std::size_t start = at_;
    while (!at_end() && is_word(peek())) ++at_;
    return text_.substr(start, at_ - start);
  }
  std::string_view rest() const { return at_end() ? std::string_view{} : text_.substr(at_); }
  std::string_view since(std::size_t start) const { return text_.substr(start, at_ - start); }
  std::size_t position() const { return at_; }
  void seek(std::size_t position) { at_ = position; }
  std::size_t column() const { return shift_ + at_ + 1; }
  std::string_view place() const { return place_; }

  [[noreturn]] void fail(std::string_view expected) const {
    if (at_end()) throw InputError("{}:{}: expected {}, but the text ends", place_, column(), expected);
    throw InputError("{}:{}: expected {} at '{}'", place_, column(), expected, printable(rest().substr(0, 24)));
  }

  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

 private:
  static std::string printable(std::string_view text) {
    std::string clean(text);
    for (char& c : clean)
      if (!std::isprint(static_cast<unsigned char>(c))) c = '?';
    return clean;
  }

  std::string_view text_, place_;
  std::size_t shift_ = 0, at_ = 0;
};

}  // namespace sassim::isa
