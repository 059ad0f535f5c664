// SPDX-License-Identifier: Apache-2.0
// A comparison with a profile as an HTML page.
#include <nlohmann/json.hpp>

#include "sim/base/printable.h"
#include "sim/base/version.h"
#include "sim/page/page.h"
#include "sim/validate/compare.h"

namespace sassim::validate {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Quantity::Kind kind) {
  switch (kind) {
    case Quantity::Kind::cycles:
      return "cycles";
    case Quantity::Kind::counter:
      return "counter";
    case Quantity::Kind::rate:
      return "rate";
    case Quantity::Kind::state:
      break;
  }
  return "state";
}

Json names(const std::vector<std::string>& all) {
  Json json = Json::array();
  for (const std::string& name : all) json.push_back(printable(name));
  return json;
}

Json kernel_json(const KernelComparison& kernel) {
  Json quantities = Json::array();
  for (const Difference& difference : kernel.differences)
    quantities.push_back({{"name", difference.quantity->name},
                          {"kind", name_of(difference.quantity->kind)},
                          {"simulated", difference.simulated},
                          {"hardware", difference.hardware},
                          {"error", difference.error},
                          {"text", error_text(difference)},
                          {"judged", difference.quantity->judged()},
                          {"within", difference.within()}});
  return {{"name", printable(kernel.name)},
          {"launch", kernel.launch},
          {"wrong_reason", kernel.right_for_wrong_reason()},
          {"quantities", std::move(quantities)}};
}

Json summary_json(const Comparison& comparison) {
  Json rows = Json::array();
  for (const ErrorSummary& row : comparison.summary())
    rows.push_back({{"quantity", row.quantity},
                    {"kernels", row.kernels},
                    {"within", row.within},
                    {"mean", row.mean},
                    {"p90", row.p90},
                    {"worst", row.worst},
                    {"worst_kernel", printable(row.worst_kernel)}});
  return rows;
}

}  // namespace

std::string to_html(const Comparison& comparison, std::string_view title) {
  Json kernels = Json::array();
  for (const KernelComparison& kernel : comparison.kernels) kernels.push_back(kernel_json(kernel));
  return page::page(title, Json{{"kind", "comparison"},
                                {"version", kVersion},
                                {"title", printable(title)},
                                {"kernels", std::move(kernels)},
                                {"summary", summary_json(comparison)},
                                {"only_simulated", names(comparison.only_simulated)},
                                {"only_hardware", names(comparison.only_hardware)}});
}

}  // namespace sassim::validate
