// SPDX-License-Identifier: Apache-2.0
// Loads a result file for `sassim compare`, after a check that it is one.
#include "sim/report/result_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/report/kernel_json.h"

namespace sassim::report {

using Json = nlohmann::ordered_json;

namespace {

bool is_result(const Json& json) {
  if (!json.is_object()) return false;
  const auto schema = json.find("schema"), kernels = json.find("kernels");
  return schema != json.end() && *schema == "sassim-result/1" && kernels != json.end() && kernels->is_array();
}

}  // namespace

std::vector<KernelReport> read_result(const std::string& text, const std::string& place) {
  return read_run(text, place).kernels;
}

RunReport read_run(const std::string& text, const std::string& place) {
  const Json json = Json::parse(text, nullptr, false);
  if (!is_result(json))
    throw InputError("{}: expected a result of `sassim run --json` (schema sassim-result/1)", place);
  RunReport run;
  if (const auto config = json.find("config"); config != json.end() && config->is_object()) {
    run.config_name = config->value("name", "");
    run.config_hash = config->value("hash", "");
    if (config->contains("resolved")) run.config_json = (*config)["resolved"].dump();
  }
  run.caches = json.value("caches", "");
  run.complete = json.value("complete", true);
  KernelReader reader;
  for (const Json& kernel : json["kernels"])
    run.kernels.push_back(reader.read(kernel, fmt::format("{}: kernel {}", place, run.kernels.size())));
  return run;
}

}  // namespace sassim::report
