// SPDX-License-Identifier: Apache-2.0
// Parses and evaluates arithmetic over keys of a GPU, for rows and programs of `sassim validate`.
#include "sim/validate/key_expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/config/field.h"
#include "sim/config/gpu_config.h"

namespace sassim::validate {
namespace {

const NamedValues kUnits{{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"MHz", 1e6}, {"GHz", 1e9}};

using List = std::vector<double>;

/// The value of a key as numbers; empty for names and text.
List numbers(const config::Field& field) {
  return std::visit(
      [](const auto* member) -> List {
        using Value = std::decay_t<decltype(*member)>;
        if constexpr (std::is_same_v<Value, std::string>)
          return {};
        else if constexpr (std::is_same_v<Value, std::vector<std::uint64_t>>)
          return {member->begin(), member->end()};
        else
          return {static_cast<double>(*member)};
      },
      field.member);
}

class Reader {
 public:
  Reader(std::string_view text, const config::GpuConfig& gpu, const NamedValues& names)
      : text_(text), gpu_(gpu), names_(names) {}

  double whole() {
    const double value = sum();
    if (peek() != '\0') fail("unexpected '{}'", text_.substr(at_));
    return value;
  }

 private:
  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    throw InputError("'{}': {}", text_, fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail("expected '{}' at '{}'", c, text_.substr(at_));
  }

  /// Limits the nesting: each parenthesis adds several calls to the stack.
  void deeper() {
    constexpr int kDeepest = 100;
    if (++depth_ > kDeepest) fail("more than {} parentheses inside each other", kDeepest);
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }

  double product() {
    double value = factor();
    for (;;) {
      if (take('*')) {
        value *= factor();
      } else if (take('/')) {
        const double by = factor();
        if (by == 0) fail("division by zero");
        value /= by;
      } else {
        return value;
      }
    }
  }

  double factor() {
    if (take('(')) {
      deeper();
      const double value = sum();
      expect(')');
      --depth_;
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(peek()))) return parse_number();
    const std::string_view name = word();
    if (name.empty()) fail("expected a number or a key at '{}'", text_.substr(at_));
    if (name == "max" || name == "min") return extreme(name == "max");
    const List values = named(name);
    if (values.size() != 1) fail("{} is a list: take its max or min", name);
    return values.front();
  }

  double parse_number() {
    double value = 0;
    const auto end = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end.ptr - text_.data());
    return value;
  }

  std::string_view word() {
    peek();
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  double extreme(bool largest) {
    expect('(');
    deeper();
    List all;
    do {
      const std::size_t start = at_;
      // A list is an operand of its own; any other argument is a sum.
      const std::string_view name = word();
      const bool alone = !name.empty() && (peek() == ',' || peek() == ')');
      const config::Field* field = alone ? fields().find(name) : nullptr;
      List values;
      if (field != nullptr && field->is_list()) {
        values = named(name);
      } else {
        at_ = start;
        values = {sum()};
      }
      all.insert(all.end(), values.begin(), values.end());
    } while (take(','));
    expect(')');
    --depth_;
    if (all.empty()) fail("the list is empty");
    return largest ? *std::max_element(all.begin(), all.end()) : *std::min_element(all.begin(), all.end());
  }

  const config::FieldList& fields() {
    if (!fields_) fields_.emplace(gpu_);
    return *fields_;
  }

  List named(std::string_view name) {
    for (const NamedValues* values : {&names_, &kUnits})
      if (const auto found = values->find(name); found != values->end()) return {found->second};
    const config::Field* field = fields().find(name);
    if (field == nullptr) fail("unknown key '{}'{}", name, did_you_mean(name, fields().paths()));
    List values = numbers(*field);
    if (values.empty() && !field->is_list()) fail("{} is not a number", name);
    return values;
  }

  std::string_view text_;
  config::GpuConfig gpu_;                    // the field list needs an object that it may change
  std::optional<config::FieldList> fields_;  ///< made at the first key: it has hundreds of entries
  const NamedValues& names_;
  std::size_t at_ = 0;
  int depth_ = 0;  ///< open parentheses
};

}  // namespace

double evaluate(std::string_view expression, const config::GpuConfig& gpu, const NamedValues& names) {
  return Reader(expression, gpu, names).whole();
}

}  // namespace sassim::validate
