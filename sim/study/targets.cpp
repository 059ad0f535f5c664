// SPDX-License-Identifier: Apache-2.0
#include "sim/study/targets.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"

namespace sassim::study {
namespace {

std::string text(const YAML::Node& row, const char* key) {
  const YAML::Node node = row[key];
  return node && node.IsScalar() ? node.Scalar() : std::string();
}

Target published_row(const YAML::Node& row) {
  Target target;
  target.id = text(row, "id");
  target.quantity = text(row, "quantity");
  target.unit = text(row, "unit");
  target.source = text(row, "source");
  double value = 0;
  // A quoted number is a word: "8" ways of a list stays text.
  if (row["value"] && row["value"].Tag() != "!" && YAML::convert<double>::decode(row["value"], value)) {
    target.expected = value;
  }
  if (const YAML::Node tolerance = row["tolerance"]) {
    target.tolerance = {tolerance["abs"].as<double>(), tolerance["rel"].as<double>()};
  }
  target.benchmark = text(row, "benchmark");
  target.answer = text(row, "answer");
  target.reason = text(row, "reason");
  std::string by = text(row, "answered_by");
  if (target.reason.empty() && !by.empty()) target.reason = "stated by the " + by;
  if (!text(row, "convert").empty()) {
    target.reason = "printed in another unit: " + text(row, "convert");
    target.benchmark.clear();
  }
  return target;
}

}  // namespace

bool Tolerance::accepts(double expected, double simulated) const {
  double room = std::max(abs, rel * std::fabs(expected));
  return std::fabs(simulated - expected) <= room + 1e-6 * std::max(1.0, std::fabs(expected));
}

std::vector<Target> load_published(const std::string& path, std::string_view gpu) {
  std::vector<Target> targets;
  try {
    const YAML::Node file = YAML::LoadFile(path);
    for (const YAML::Node& row : file["targets"]) {
      if (text(row, "gpu") == gpu) targets.push_back(published_row(row));
    }
  } catch (const YAML::BadFile&) {
    throw InputError("{}: cannot be read", path);
  } catch (const YAML::Exception& error) {
    throw InputError("{}:{}: {}", path, error.mark.line + 1, error.msg);
  }
  return targets;
}

std::vector<Target> load_hardware(const std::string& path, std::string_view gpu) {
  std::ifstream file(path);
  if (!file) throw InputError("{}: cannot be read", path);
  nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object() || json.value("schema", "") != "sassim-hardware/1" || !json["values"].is_object()) {
    throw InputError("{}: expected a file that tools/measure wrote (schema sassim-hardware/1)", path);
  }
  std::string source = json.value("gpu", "") + ", driver " + json.value("driver", "") + ", " + json.value("date", "");
  std::vector<Target> targets;
  for (const auto& [id, value] : json["values"].items()) {
    if (!value.is_object() || !value.contains("median") || !value["median"].is_number()) {
      throw InputError("{}: values.{}: expected an object with a number `median`", path, id);
    }
    std::string unit = value.value("unit", "");
    targets.push_back({std::string(gpu) + "." + id, id, unit, source, value["median"].get<double>(),
                       tolerance_for(id, unit), value.value("program", ""), id, "", false});
  }
  return targets;
}

std::vector<std::string> load_subset(const std::string& path, const std::string& name) {
  try {
    const YAML::Node file = YAML::LoadFile(path);
    if (const YAML::Node list = file[name]; list && list.IsSequence()) return list.as<std::vector<std::string>>();
  } catch (const YAML::Exception& error) {
    throw InputError("{}: {}", path, error.msg);
  }
  throw InputError("{}: no list '{}'", path, name);
}

Tolerance tolerance_for(std::string_view id, std::string_view unit) {
  for (std::string_view loose : {"atomic", "latdist.", "volkov", "block.", "hops.", "launch."}) {
    if (id.starts_with(loose)) return {1, 0.10};
  }
  if (unit == "KiB" || unit == "MiB" || unit == "warps") return {0, 0};
  if (unit == "cycles") return {1, 0.02};
  return {0, 0.05};
}

}  // namespace sassim::study
