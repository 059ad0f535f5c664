// SPDX-License-Identifier: Apache-2.0
// Parses `--vary KEY=V1,V2,...` of `sassim explore`, checks the values, lists all combinations.
#include "sim/explore/vary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/base/error.h"
#include "sim/base/number_list.h"
#include "sim/config/describe.h"
#include "sim/config/key_path.h"

namespace sassim::explore {

namespace {

using config::Unit;

constexpr std::size_t kMostPoints = 1'000'000;

/// A GpuConfig on which values are tried.
struct Scratch {
  config::GpuConfig config;
  config::FieldList list{config};
};

/// Splits at commas outside of brackets, because a value may be a list.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

bool is_quantity(Unit unit) {
  return unit == Unit::count || unit == Unit::cycles || unit == Unit::bytes || unit == Unit::hertz ||
         unit == Unit::arch;
}

/// Reads the values of one key; messages quote the option's text.
class AxisParser {
 public:
  explicit AxisParser(std::string_view text) : text_(text) {}

  Axis parse() {
    const std::size_t equals = text_.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text_.size())
      throw UsageError("--vary {}: expected KEY=V1,V2,..., such as --vary l1.size=32KiB,64KiB", text_);
    axis_.key = text_.substr(0, equals);
    try {
      axis_.path = config::resolve_key(scratch_.list, axis_.key);
    } catch (const InputError& error) {
      throw InputError("--vary {}: {}", text_, error.what());
    }
    field_ = scratch_.list.find(axis_.path);
    axis_.unit = config::unit_name(field_->spec.unit);
    const std::string_view values = std::string_view(text_).substr(equals + 1);
    if (field_->is_list() || !(is_quantity(field_->spec.unit) || field_->spec.unit == Unit::ratio))
      words(values);
    else
      numbers(values);
    check();
    return std::move(axis_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw UsageError("--vary {}: {}: {}", text_, axis_.path, why);
  }

  void words(std::string_view values) {
    axis_.values = split(values);
    if (field_->spec.unit == Unit::bytes && field_->is_list()) return;
    for (const std::string& value : axis_.values)
      if (value.empty()) fail("a value between two commas is missing");
  }

  /// Converts "16KiB..64KiB:*2" to plain units: "16384..65536:*2".
  std::string plain(std::string_view item, std::size_t before) {
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) {
      const std::string resolved = one(item);
      typed_[resolved] = item;
      return resolved;
    }
    const std::string_view rest = item.substr(dots + 2);
    const std::size_t colon = rest.find(':');
    std::string out = one(item.substr(0, dots)) + ".." + one(rest.substr(0, colon));
    if (colon == std::string_view::npos) {
      constexpr std::size_t kBefore = 2;  // two numbers before a range determine its step
      if ((field_->spec.unit == Unit::bytes || field_->spec.unit == Unit::hertz) && before < kBefore)
        fail(fmt::format("{0} needs a step, such as {0}:{1} or :*2", item, item.substr(0, dots)));
      return out;
    }
    const std::string_view step = rest.substr(colon + 1);
    return out + ":" + (step.starts_with('*') ? std::string(step) : one(step));
  }

  std::string one(std::string_view word) const {
    if (field_->spec.unit == Unit::ratio) return std::string(word);
    const bool negative = word.starts_with('-');  // a falling step
    std::uint64_t value = 0;
    const std::string wrong = config::parse_quantity(word.substr(negative ? 1 : 0), field_->spec.unit, value);
    if (!wrong.empty()) fail(wrong);
    return fmt::format("{}{}", negative ? "-" : "", value);
  }

  void numbers(std::string_view values) {
    std::string all;
    const std::vector<std::string> items = split(values);
    for (std::size_t i = 0; i < items.size(); ++i) all += (i == 0 ? "" : ",") + plain(items[i], i);
    axis_.numbers = parse_number_list(all, fmt::format("--vary {}", text_));
    for (double& value : axis_.numbers) {
      if (is_quantity(field_->spec.unit)) {
        if (value < 0) fail(fmt::format("{} is below zero", value));
        value = std::floor(value + 0.5);
        const auto whole = static_cast<std::uint64_t>(value);
        const auto as_typed = typed_.find(fmt::format("{}", whole));
        axis_.values.push_back(as_typed != typed_.end() ? as_typed->second
                                                        : config::format_quantity(whole, field_->spec.unit));
      } else {
        axis_.values.push_back(fmt::format("{}", value));
      }
    }
  }

  /// Checks each value by itself, without the other keys.
  void check() {
    for (const std::string& value : axis_.values) {
      if (field_->is_list()) continue;  // lists are checked with the configuration
      const std::string wrong = field_->parse(value);
      if (!wrong.empty()) fail(wrong);
    }
    auto sorted = axis_.values;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) fail(fmt::format("{} is listed twice", *twice));
  }

  std::string text_;
  Scratch scratch_;
  const config::Field* field_ = nullptr;
  std::map<std::string, std::string> typed_;  ///< the values as typed, for tables: 1.5MiB stays 1.5MiB
  Axis axis_;
};

}  // namespace

Axis parse_axis(std::string_view text) { return AxisParser(text).parse(); }

std::vector<std::vector<std::size_t>> combine(const std::vector<Axis>& axes, Combine how) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (axes[i].path == axes[j].path)
        throw UsageError("--vary {}: the key is varied twice; write all its values in one --vary", axes[i].key);
  std::size_t count = axes.empty() ? 1 : axes.front().values.size();
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const std::size_t length = axes[i].values.size();
    if (how == Combine::zip && length != count)
      throw UsageError("--zip: {} has {} values and {} has {}; with --zip both need the same number of values",
                       axes[0].key, count, axes[i].key, length);
    if (how == Combine::grid) count *= length;
    if (count > kMostPoints) throw UsageError("--vary: more than a million points; take fewer values");
  }
  std::vector<std::vector<std::size_t>> points(count, std::vector<std::size_t>(axes.size()));
  for (std::size_t p = 0; p < count; ++p) {
    std::size_t rest = p;
    for (std::size_t i = axes.size(); i-- > 0;) {
      const std::size_t length = axes[i].values.size();
      points[p][i] = how == Combine::zip ? p : rest % length;
      rest /= length;
    }
  }
  return points;
}

}  // namespace sassim::explore
