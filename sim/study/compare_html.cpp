// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "sim/report/markup.h"
#include "sim/study/compare.h"

namespace sassim::study {
namespace {

using Out = std::back_insert_iterator<std::string>;
using Kind = Quantity::Kind;

constexpr const char* kStyle = R"(body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child{text-align:left}.bad{background:#fde8e8}.warn{background:#fff4d6}
summary{cursor:pointer}code{font-family:ui-monospace,monospace})";

void summary_table(Out out, const Comparison& comparison) {
  fmt::format_to(out,
                 "<h2>Absolute errors</h2><table><tr><th>quantity<th>kernels<th>within<th>mean<th>90 %<th>worst"
                 "<th>worst kernel</tr>\n");
  for (const ErrorSummary& row : comparison.summary()) {
    fmt::format_to(out, "<tr class=\"{}\"><td>{}<td>{}<td>{}<td>{:.1f} %<td>{:.1f} %<td>{:.1f} %<td>{}</tr>\n",
                   row.within == row.kernels ? "" : "warn", report::escaped(row.quantity), row.kernels, row.within,
                   100 * row.mean, 100 * row.p90, 100 * row.worst, report::escaped(row.worst_kernel));
  }
  fmt::format_to(out, "</table>\n");
}

void kernel_table(Out out, const KernelComparison& kernel) {
  const Difference* cycles = kernel.find("cycles");
  std::string head = report::escaped(kernel.name);
  if (kernel.launch > 0) head += fmt::format(" #{}", kernel.launch);
  if (cycles != nullptr) {
    head += fmt::format(": {:.0f} cycles, hardware {:.0f} ({:+.1f} %)", cycles->simulated, cycles->hardware,
                        100 * cycles->error);
  }
  fmt::format_to(out,
                 "<details{}><summary class=\"{}\">{}{}</summary><table><tr><th>quantity<th>hardware<th>simulated"
                 "<th>error</tr>\n",
                 cycles != nullptr && !cycles->within() ? " open" : "",
                 cycles != nullptr && !cycles->within() ? "bad"
                 : kernel.right_for_wrong_reason()      ? "warn"
                                                        : "",
                 head, kernel.right_for_wrong_reason() ? " &mdash; cycles right, counters wrong" : "");
  for (const Difference& difference : kernel.differences) {
    bool state = difference.quantity->kind == Kind::state;
    fmt::format_to(out, "<tr class=\"{}\"><td>{}<td>{:.6g}<td>{:.6g}<td>{}</tr>\n", difference.within() ? "" : "bad",
                   report::escaped(difference.quantity->name), difference.hardware, difference.simulated,
                   state ? std::string() : report::escaped(error_text(difference)));
  }
  fmt::format_to(out, "</table></details>\n");
}

}  // namespace

std::string to_html(const Comparison& comparison, std::string_view title) {
  std::string text;
  Out out(text);
  fmt::format_to(
      out, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{}</title><style>{}</style>\n<h1>{}</h1>\n",
      report::escaped(title), kStyle, report::escaped(title));
  summary_table(out, comparison);
  fmt::format_to(out, "<h2>Kernels</h2>\n");
  for (const KernelComparison& kernel : comparison.kernels) kernel_table(out, kernel);
  for (const std::string& name : comparison.only_simulated)
    fmt::format_to(out, "<p>only simulated: {}</p>\n", report::escaped(name));
  for (const std::string& name : comparison.only_hardware)
    fmt::format_to(out, "<p>only profiled: {}</p>\n", report::escaped(name));
  fmt::format_to(out, "</html>\n");
  return text;
}

}  // namespace sassim::study
