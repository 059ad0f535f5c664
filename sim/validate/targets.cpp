// SPDX-License-Identifier: Apache-2.0
// Reads rows of published (YAML) and measured (JSON) values, and subsets, for `sassim validate`.
#include "sim/validate/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/suggest.h"

namespace sassim::validate {
namespace {

std::string text(const YAML::Node& row, const char* key) {
  const YAML::Node node = row[key];
  return node && node.IsScalar() ? node.Scalar() : std::string();
}

/// The keys that a row may have; those in the second line are for human readers only.
const std::vector<std::string> kRowKeys{
    "id",        "gpu",    "quantity",   "value",       "number", "relation", "unit",   "tolerance",
    "benchmark", "answer", "convert",    "answered_by", "key",    "reason",   "source", "published_tolerance",
    "method",    "note",   "confidence", "config"};

[[noreturn]] void wrong(const YAML::Node& at, const std::string& what) { throw YAML::Exception(at.Mark(), what); }

double whole_number(const YAML::Node& row, std::string_view words) {
  double value = 0;
  const auto end = std::from_chars(words.data(), words.data() + words.size(), value);
  if (end.ec != std::errc() || end.ptr != words.data() + words.size())
    wrong(row, fmt::format("'{}' is not a number", words));
  return value;
}

/// Reads "32..128", ">=64" or "up to 96" (the largest value); for other words, `number` gives their meaning.
void read_words(const YAML::Node& row, std::string_view words, Target& target) {
  if (const std::size_t dots = words.find(".."); dots != std::string_view::npos) {
    target.expected = whole_number(row, words.substr(0, dots));
    target.expected_to = whole_number(row, words.substr(dots + 2));
  } else if (words.starts_with(">=")) {
    target.expected = whole_number(row, words.substr(2));
    target.relation = Relation::at_least;
  } else if (words.starts_with("up to ")) {
    target.expected = whole_number(row, words.substr(6));
  }
}

void read_value(const YAML::Node& row, Target& target) {
  const YAML::Node value = row["value"];
  double decoded = 0;
  // A quoted number is a word: "8" in a list of ways stays text.
  if (value && value.Tag() != "!" && YAML::convert<double>::decode(value, decoded))
    target.expected = decoded;
  else
    read_words(row, text(row, "value"), target);
  if (row["number"]) target.expected = row["number"].as<double>();
  if (const std::string relation = text(row, "relation"); !relation.empty()) {
    const std::map<std::string, Relation> known{
        {"at most", Relation::at_most}, {"at least", Relation::at_least}, {"below", Relation::below}};
    if (!known.contains(relation)) wrong(row["relation"], "a relation is 'at most', 'at least' or 'below'");
    target.relation = known.at(relation);
  }
  if (const YAML::Node tolerance = row["tolerance"])
    target.tolerance = {tolerance["abs"].as<double>(), tolerance["rel"].as<double>()};
}

/// A row has exactly one answer: a program, the configuration, or a reason why there is none.
void check_answer(const YAML::Node& row, const Target& target) {
  const std::string by = text(row, "answered_by");
  const bool program = !target.benchmark.empty(), stated = by == "config", none = by == "none";
  if (program + stated + none != 1 || (!by.empty() && !stated && !none))
    wrong(row, target.id + ": expected either `benchmark`, `answered_by: config` or `answered_by: none`");
  if (program == target.answer.empty()) wrong(row, target.id + ": `benchmark` and `answer` belong together");
  if (stated == target.key.empty())
    wrong(row, target.id + ": `answered_by: config` needs a `key`, and only it may have one");
  if (none == target.reason.empty())
    wrong(row, target.id + ": `answered_by: none` needs a `reason`, and only it may have one");
  if (!program && !target.convert.empty()) wrong(row, target.id + ": `convert` is for what a program prints");
  if ((program || stated) && !target.expected)
    wrong(row, target.id + ": the value is a word: say with `number` what it means");
}

constexpr char kRows[] = "rows";

void check_keys(const YAML::Node& row) {
  for (const auto& entry : row) {
    const std::string key = entry.first.as<std::string>();
    if (std::find(kRowKeys.begin(), kRowKeys.end(), key) == kRowKeys.end())
      wrong(entry.first, fmt::format("unknown key '{}'{}", key, did_you_mean(key, kRowKeys)));
  }
}

/// All rows, in order. What a group says beside its `rows` belongs to each of them that does not say it itself.
std::vector<YAML::Node> rows_of(const YAML::Node& targets) {
  std::vector<YAML::Node> found;
  for (const YAML::Node& entry : targets) {
    if (!entry.IsMap() || !entry[kRows]) {
      found.push_back(entry);
      continue;
    }
    YAML::Node shared = YAML::Clone(entry);
    const YAML::Node rows = entry[kRows];
    shared.remove(kRows);
    check_keys(shared);
    if (!rows.IsSequence()) wrong(rows, "`rows` are a list: each with the keys that the rows do not share");
    for (YAML::Node row : rows) {
      check_keys(row);
      for (const auto& more : shared)
        if (!row[more.first.Scalar()]) row[more.first.Scalar()] = more.second;
      found.push_back(row);
    }
  }
  return found;
}

Target published_row(const YAML::Node& row) {
  check_keys(row);
  Target target;
  target.id = text(row, "id");
  target.quantity = text(row, "quantity");
  target.unit = text(row, "unit");
  target.source = text(row, "source");
  target.benchmark = text(row, "benchmark");
  target.answer = text(row, "answer");
  target.convert = text(row, "convert");
  target.key = text(row, "key");
  target.reason = text(row, "reason");
  read_value(row, target);
  check_answer(row, target);
  return target;
}

/// A row belongs to its GPU, or, if it names them, to the configurations of GPUs that share what it measures.
bool is_of(const YAML::Node& row, std::string_view gpu) {
  const YAML::Node config = row["config"];
  if (!config) return text(row, "gpu") == gpu;
  if (!config.IsSequence()) return config.Scalar() == gpu;
  return std::any_of(config.begin(), config.end(), [&](const YAML::Node& name) { return name.Scalar() == gpu; });
}

}  // namespace

bool Tolerance::accepts(double expected, double simulated) const {
  double room = std::max(abs, rel * std::fabs(expected));
  return std::fabs(simulated - expected) <= room + 1e-6 * std::max(1.0, std::fabs(expected));
}

std::vector<Target> load_published(const std::string& path, std::string_view gpu) {
  std::vector<Target> targets;
  try {
    const YAML::Node file = YAML::Load(read_input_file(path, kValidationFile));
    for (const YAML::Node& row : rows_of(file["targets"])) {
      if (is_of(row, gpu)) targets.push_back(published_row(row));
    }
  } catch (const YAML::Exception& error) {
    throw InputError("{}:{}: {}", path, error.mark.line + 1, error.msg);
  }
  return targets;
}

std::string hardware_file(const std::filesystem::path& data, const std::string& gpu) {
  for (const char* suffix : {".json.xz", ".json"}) {
    const std::filesystem::path file = data / "measured" / (gpu + suffix);
    if (std::filesystem::exists(file)) return file.string();
  }
  return "";
}

std::vector<Target> load_hardware(const std::string& path, std::string_view gpu) try {
  nlohmann::json json = nlohmann::json::parse(read_input_file(path, kValidationFile), nullptr, false);
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
    targets.push_back({std::string(gpu) + "." + id,
                       id,
                       unit,
                       source,
                       value["median"].get<double>(),
                       tolerance_for(id, unit),
                       value.value("program", ""),
                       id,
                       "",
                       false,
                       "",
                       "",
                       {},
                       {}});
    targets.back().full = value.value("run", "short") == "full";
    if (const auto full = value.find("full"); full != value.end() && full->is_object() && full->contains("median"))
      targets.back().full_value = (*full)["median"].get<double>();
  }
  return targets;
} catch (const nlohmann::json::exception& error) {
  throw InputError("{}: not a file that tools/measure wrote: {}", path, error.what());
}

bool SubsetCommand::runs_for(const Target& target) const {
  if (answers.empty()) return target.benchmark == command;
  return !target.benchmark.empty() && (target.answer == answers || target.answer.starts_with(answers + "."));
}

std::vector<SubsetCommand> load_subset(const std::string& path, const std::string& name) {
  std::vector<SubsetCommand> commands;
  try {
    const YAML::Node file = YAML::Load(read_input_file(path, kValidationFile));
    const YAML::Node list = file[name];
    if (!list || !list.IsSequence()) {
      std::vector<std::string> known;
      for (const auto& entry : file) known.push_back(entry.first.as<std::string>());
      throw InputError("{}: there is no subset '{}'{}; known: {}", path, name, did_you_mean(name, known),
                       fmt::join(known, ", "));
    }
    for (const YAML::Node& entry : list) {
      if (entry.IsMap() && entry.size() == 1)
        commands.push_back({entry.begin()->first.as<std::string>(), entry.begin()->second.as<std::string>()});
      else
        commands.push_back({entry.as<std::string>(), ""});
    }
  } catch (const YAML::Exception& error) {
    throw InputError("{}: {}", path, error.msg);
  }
  return commands;
}

void select(std::vector<Target>& targets, const std::vector<SubsetCommand>& subset) {
  std::erase_if(targets, [&](Target& target) {
    if (!target.key.empty()) return false;
    const auto own =
        std::find_if(subset.begin(), subset.end(), [&](const SubsetCommand& c) { return c.runs_for(target); });
    if (own == subset.end()) return true;
    target.benchmark = own->command;
    if (target.published || own->command.find("full=1") == std::string::npos) return false;
    if (!target.full) target.expected = target.full_value;
    return !target.expected;
  });
}

Tolerance tolerance_for(std::string_view id, std::string_view unit) {
  for (std::string_view loose : {"atomic", "latdist.", "volkov", "block.", "hops.", "launch."}) {
    // One cycle of tolerance for cycles only: for rates, 1 would accept any value.
    if (id.starts_with(loose)) return {unit == "cycles" ? 1.0 : 0.0, 0.10};
  }
  if (unit == "KiB" || unit == "MiB" || unit == "warps") return {0, 0};
  constexpr double kWhole = 0.4;  // accepts a latency that rounds to the same number of cycles
  if (unit == "cycles" && id.starts_with("lat.")) return {kWhole, 0};
  if (unit == "cycles") return {1, 0.02};
  return {0, 0.05};
}

}  // namespace sassim::validate
