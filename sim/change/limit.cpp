// SPDX-License-Identifier: Apache-2.0
// Parses `--fail-if` of `sassim compare`, and finds the kernels whose change is beyond it.
#include "sim/change/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "sim/base/error.h"

namespace sassim::change {

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kForm = "expected '[KERNELS: ]METRIC > +N%' or '... < -N%', as in 'cycles > +2%'";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

[[noreturn]] void refuse(const std::string& text) { throw UsageError("--fail-if '{}': {}", text, kForm); }

/// What stands before "METRIC", behind which a colon and a blank follow.
std::pair<std::string, std::string> kernels_and_metric(std::string_view left) {
  const std::size_t colon = left.rfind(": ");
  if (colon == std::string_view::npos) return {"", std::string(trimmed(left))};
  return {std::string(trimmed(left.substr(0, colon))), std::string(trimmed(left.substr(colon + 1)))};
}

std::size_t comparison_sign(const std::string& text) {
  const std::size_t sign = text.find_last_of("<>");
  if (sign == std::string::npos) refuse(text);
  return sign;
}

double percent_of(const std::string& text, std::string_view right) {
  if (!right.ends_with('%')) refuse(text);
  right = trimmed(right.substr(0, right.size() - 1));
  if (right.starts_with('+')) right.remove_prefix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(right.data(), right.data() + right.size(), percent);
  if (right.empty() || error != std::errc() || end != right.data() + right.size()) refuse(text);
  return percent;
}

/// Null: the metric did not change, or a run does not have it.
const Change* find(const KernelChange& kernel, const std::string& metric) {
  const auto at =
      std::find_if(kernel.metrics.begin(), kernel.metrics.end(), [&](const Change& one) { return one.name == metric; });
  return at == kernel.metrics.end() ? nullptr : &*at;
}

}  // namespace

std::string metric_name(const std::string& word) {
  if (word == "cycles") return "gpc__cycles_elapsed.max";
  if (word == "duration") return "gpu__time_duration.sum";
  return word;
}

Limit::Limit(const std::string& text)
    : text_(text),
      kernels_("--fail-if", kernels_and_metric(std::string_view(text).substr(0, comparison_sign(text))).first) {
  const std::size_t sign = comparison_sign(text);
  metric_ = metric_name(kernels_and_metric(std::string_view(text).substr(0, sign)).second);
  if (metric_.empty() || metric_.find_first_of(kBlanks) != std::string::npos) refuse(text);
  above_ = text[sign] == '>';
  percent_ = percent_of(text, trimmed(std::string_view(text).substr(sign + 1)));
}

std::vector<std::string> Limit::broken(const Comparison& comparison) const {
  std::vector<std::string> all;
  bool any = false;
  for (const KernelChange& kernel : comparison.kernels) {
    if (!kernels_.matches_in(kernel.name)) continue;
    any = any || std::find(kernel.unchanged.begin(), kernel.unchanged.end(), metric_) != kernel.unchanged.end();
    const Change* found = find(kernel, metric_);
    if (found == nullptr) continue;
    any = true;
    if (above_ ? found->percent() > percent_ : found->percent() < percent_)
      all.push_back(fmt::format("{} #{}: {} {:g} -> {:g} ({}): beyond '{}'", kernel.name, kernel.launch, metric_,
                                found->before, found->after, percent_text(*found), text_));
  }
  if (!any) throw InputError("--fail-if '{}': no kernel that both runs have has this metric", text_);
  return all;
}

}  // namespace sassim::change
