// SPDX-License-Identifier: Apache-2.0
// The page of an exploration.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/markup.h"
#include "sim/config/dump.h"
#include "sim/explore/explore_output.h"

namespace sassim::explore {

namespace {

constexpr const char* kHead =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>"
    "body{{font:15px/1.4 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}}"
    "pre{{overflow-x:auto;background:#f6f6f6;padding:1em}}"
    "figure{{display:inline-block;margin:0 1em 1em 0}}svg{{max-width:100%;height:auto}}"
    "</style></head><body>\n<h1>{0}</h1>\n";

}  // namespace

std::string explore_html(const Explored& explored, const std::vector<plot::NamedPlot>& plots) {
  std::string page = fmt::format(
      kHead, escaped(fmt::format("{} on {}", fmt::join(explored.traces, " "), config::shown_name(*explored.config))));
  // The page leaves out how many points this run simulated, so that it is the same after an interruption.
  const std::string text = explore_text(explored);
  page += fmt::format("<pre>{}</pre>\n", escaped(text.substr(text.find('\n') + 1)));
  for (const plot::NamedPlot& plot : plots) page += fmt::format("<figure>{}</figure>\n", plot::plot_svg(plot.plot));
  return page + "</body></html>\n";
}

}  // namespace sassim::explore
