// SPDX-License-Identifier: Apache-2.0
// A comparison with a profile as text.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "sim/validate/compare.h"

namespace sassim::validate {
namespace {

using Kind = Quantity::Kind;
using Out = std::back_insert_iterator<std::string>;

void print_kernel(Out out, const KernelComparison& kernel, bool every_quantity) {
  const Difference* cycles = kernel.find("cycles");
  fmt::format_to(out, "{:<28}", kernel.name + (kernel.launch > 0 ? fmt::format(" #{}", kernel.launch) : ""));
  if (cycles != nullptr) {
    fmt::format_to(out, "{:>12.0f}{:>12.0f}  {:>10}", cycles->hardware, cycles->simulated, error_text(*cycles));
  }
  fmt::format_to(out, "{}\n", kernel.right_for_wrong_reason() ? "   cycles right, counters wrong" : "");
  for (const Difference& difference : kernel.differences) {
    if (difference.quantity->kind == Kind::cycles || (difference.within() && !every_quantity)) continue;
    fmt::format_to(out, "  {:<26}{:>12.6g}{:>12.6g}  {:>10}{}\n", difference.quantity->name, difference.hardware,
                   difference.simulated, error_text(difference), difference.within() ? "" : "   *");
  }
}

void print_names(Out out, const char* what, const std::vector<std::string>& names) {
  if (names.empty()) return;
  fmt::format_to(out, "{}:", what);
  for (const std::string& name : names) fmt::format_to(out, " {}", name);
  fmt::format_to(out, "\n");
}

}  // namespace

std::string error_text(const Difference& difference) {
  if (!difference.quantity->judged()) return "not judged";
  if (difference.quantity->kind == Kind::rate) return fmt::format("{:+.1f} pt", 100 * difference.error);
  const auto relative = difference.relative();
  const std::string text = relative ? fmt::format("{:+.1f} %", 100 * *relative) : "from 0";
  if (!difference.below_floor() || difference.error == 0) return text;
  return fmt::format("{} ({:+.1f} % of the floor, {:g})", text, 100 * difference.error, difference.quantity->floor);
}

std::string to_text(const Comparison& comparison, bool every_quantity) {
  std::string text;
  Out out(text);
  fmt::format_to(out, "{:<28}{:>12}{:>12}  {:>10}\n", "kernel: cycles", "hardware", "simulated", "error");
  for (const KernelComparison& kernel : comparison.kernels) print_kernel(out, kernel, every_quantity);
  print_names(out, "only simulated", comparison.only_simulated);
  print_names(out, "only profiled", comparison.only_hardware);
  fmt::format_to(out, "\n{:<28}{:>8}{:>8}{:>10}{:>10}{:>10}  {}\n", "absolute error of", "kernels", "within", "mean",
                 "90 %", "worst", "worst kernel");
  std::size_t suspicious = 0;
  for (const KernelComparison& kernel : comparison.kernels) suspicious += kernel.right_for_wrong_reason() ? 1 : 0;
  for (const ErrorSummary& row : comparison.summary()) {
    fmt::format_to(out, "{:<28}{:>8}{:>8}{:>8.1f} %{:>8.1f} %{:>8.1f} %  {}\n", row.quantity, row.kernels, row.within,
                   100 * row.mean, 100 * row.p90, 100 * row.worst, row.worst_kernel);
  }
  for (const Quantity& quantity : quantities())
    if (quantity.kind == Kind::cycles)
      fmt::format_to(out,
                     "(within: an error of at most {:g} % for cycles; other quantities have tolerances of their own)\n",
                     100 * quantity.tolerance);
  fmt::format_to(out, "(a value below its quantity's floor counts relative to the floor)\n");
  if (suspicious > 0) {
    fmt::format_to(out, "{} of {} kernels have right cycles with wrong counters\n", suspicious,
                   comparison.kernels.size());
  }
  return text;
}

}  // namespace sassim::validate
