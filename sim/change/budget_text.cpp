// SPDX-License-Identifier: Apache-2.0
// What a check of limits found, as text for people and as JUnit for continuous integration.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/base/markup.h"
#include "sim/change/budget.h"

namespace sassim::change {

namespace {

std::string kernel_text(const Verdict& verdict) {
  return verdict.launch == 0 ? verdict.kernel : fmt::format("{} #{}", verdict.kernel, verdict.launch);
}

std::string value_text(double value) { return fmt::format("{:.12g}", value); }

auto same_gpu_until(std::vector<Verdict>::const_iterator from, const std::vector<Verdict>& all) {
  return std::find_if(from, all.end(), [&](const Verdict& one) { return one.gpu != from->gpu; });
}

std::ptrdiff_t broken(std::vector<Verdict>::const_iterator from, std::vector<Verdict>::const_iterator to) {
  return std::count_if(from, to, [](const Verdict& one) { return !one.held; });
}

}  // namespace

std::string to_text(const std::vector<Verdict>& verdicts, bool all) {
  std::string text;
  for (const Verdict& one : verdicts)
    if (all || !one.held)
      fmt::format_to(std::back_inserter(text), "{:<7} {:<8} {}: {} is {}, limit: {}\n", one.held ? "held" : "broken",
                     one.gpu, kernel_text(one), one.metric, value_text(one.value), one.limit);
  const auto count = broken(verdicts.begin(), verdicts.end());
  fmt::format_to(std::back_inserter(text), "{} of {} limits are held\n",
                 static_cast<std::ptrdiff_t>(verdicts.size()) - count, verdicts.size());
  return text;
}

std::string to_junit(const std::vector<Verdict>& verdicts) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sassim check\">\n";
  const auto out = std::back_inserter(text);
  for (auto from = verdicts.begin(); from != verdicts.end();) {
    const auto to = same_gpu_until(from, verdicts);
    fmt::format_to(out, "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n", escaped(from->gpu), to - from,
                   broken(from, to));
    for (; from != to; ++from) {
      fmt::format_to(out, "<testcase classname=\"{}\" name=\"{}\"", escaped(from->gpu + "." + kernel_text(*from)),
                     escaped(from->metric + ", " + from->limit));
      if (from->held)
        text += "/>\n";
      else
        fmt::format_to(out, "><failure message=\"{}\"/></testcase>\n",
                       escaped(fmt::format("{}: {} is {}, limit: {}", kernel_text(*from), from->metric,
                                           value_text(from->value), from->limit)));
    }
    text += "</testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace sassim::change
