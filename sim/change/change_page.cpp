// SPDX-License-Identifier: Apache-2.0
// The comparison of two runs as an HTML page.
#include <nlohmann/json.hpp>

#include "arch/sm/common/stall_reason.h"
#include "sim/base/printable.h"
#include "sim/base/version.h"
#include "sim/change/change.h"
#include "sim/page/page.h"

namespace sassim::change {

/// What web/65_change.js reads: the comparison for programs, and the words of the report.
std::string to_html(const Comparison& comparison, const PageWords& words) {
  nlohmann::ordered_json data = to_json(comparison);
  for (std::size_t k = 0; k < comparison.kernels.size(); ++k)
    for (std::size_t c = 0; c < comparison.kernels[k].causes.size(); ++c)
      data["kernels"][k]["causes"][c]["phrase"] = report::cause_row(comparison.kernels[k].causes[c].cause).phrase;
  for (std::size_t r = 0; r < arch::kStallReasons; ++r) {
    const arch::StallRow& row = arch::stall_row(static_cast<arch::StallReason>(r));
    data["meanings"][row.name] = row.meaning;
  }
  data["kind"] = "change";
  data["version"] = kVersion;
  data["before"] = printable(words.before);
  data["after"] = printable(words.after);
  data["notes"] = words.notes;
  data["keys"] = words.keys;
  return page::page("Before and after", data);
}

}  // namespace sassim::change
