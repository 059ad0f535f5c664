// SPDX-License-Identifier: Apache-2.0
// Parses the lists of numbers that options take, such as `--alpha 1,2,4..64`.
#include "sim/base/number_list.h"

#include <charconv>
#include <cmath>

#include "sim/base/error.h"

namespace sassim {

namespace {

constexpr std::size_t kMostNumbers = 100'000;
/// Tolerance for rounding of a range's last number, in steps.
constexpr double kSlack = 1e-9;

class Parser {
 public:
  Parser(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  std::vector<double> parse() {
    std::string_view rest = text_;
    while (true) {
      const std::size_t comma = rest.find(',');
      item(rest.substr(0, comma));
      if (comma == std::string_view::npos) return numbers_;
      rest.remove_prefix(comma + 1);
    }
  }

 private:
  [[noreturn]] void fail(std::string_view item, std::string_view why) const {
    throw UsageError("{}: '{}' in '{}' {}; a list has numbers and ranges, such as 1,2,8 or 16..64:16", what_, item,
                     text_, why);
  }

  double number(std::string_view digits, std::string_view item) const {
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || std::isnan(value)) fail(item, "is no number");
    return value;
  }

  void item(std::string_view item) {
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) return add(number(item, item), item);
    const double from = number(item.substr(0, dots), item);
    std::string_view end = item.substr(dots + 2);
    const std::size_t colon = end.find(':');
    const double to = number(end.substr(0, colon), item);
    if (!std::isfinite(from) || !std::isfinite(to)) fail(item, "has no end");
    if (colon == std::string_view::npos) return go_on(from, to, item);
    std::string_view step = end.substr(colon + 1);
    if (step.starts_with('*'))
      multiply(from, to, number(step.substr(1), item), item);
    else
      count(from, to, number(step, item), item);
  }

  void go_on(double from, double to, std::string_view item) {
    if (numbers_.size() < 2) return count(from, to, 1, item);
    const double first = numbers_[numbers_.size() - 2], second = numbers_.back();
    if (second - first == from - second) return count(from, to, from - second, item);
    if (first > 0 && second * second == first * from) return multiply(from, to, from / second, item);
    fail(item, "needs a :STEP, because the numbers before it neither grow by one step nor by one factor");
  }

  void count(double from, double to, double step, std::string_view item) {
    if (step == 0 || (to - from) * step < 0) fail(item, "never reaches its end");
    const double steps = std::floor((to - from) / step + kSlack);
    if (!(steps < static_cast<double>(kMostNumbers))) fail(item, "has too many numbers");
    for (double i = 0; i <= steps; ++i) add(from + i * step, item);
  }

  void multiply(double from, double to, double factor, std::string_view item) {
    if (!(from > 0) || !(factor > 1) || to < from) fail(item, "never reaches its end");
    for (double value = from; value <= to * (1 + kSlack); value *= factor) add(value, item);
  }

  void add(double value, std::string_view item) {
    if (numbers_.size() >= kMostNumbers) fail(item, "has too many numbers");
    numbers_.push_back(value);
  }

  std::string_view text_, what_;
  std::vector<double> numbers_;
};

}  // namespace

std::vector<double> parse_number_list(std::string_view text, std::string_view what) {
  return Parser(text, what).parse();
}

std::vector<long long> parse_integer_list(std::string_view text, std::string_view what, long long least) {
  std::vector<long long> whole;
  for (const double value : parse_number_list(text, what)) {
    if (value != std::floor(value) || std::abs(value) > 9e15 || value < static_cast<double>(least))
      throw UsageError("{}: {} in '{}' is not a whole number of at least {}", what, value, text, least);
    whole.push_back(static_cast<long long>(value));
  }
  return whole;
}

}  // namespace sassim
