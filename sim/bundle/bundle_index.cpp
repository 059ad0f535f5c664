// SPDX-License-Identifier: Apache-2.0
// Writes and checks a bundle's table of contents. Bundles may come from strangers.
#include "sim/bundle/bundle_index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/json_number.h"
#include "sim/base/printable.h"

namespace sassim::bundle {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kSchema = "sassim-bundle/1";
constexpr const char* kResultSchema = "sassim-result/1";
constexpr std::array<std::string_view, 4> kEndings = {".sast", ".traceg", ".traceg.xz", ".traceg.gz"};

Json part_json(const Part& part) {
  return {{"name", part.name}, {"bytes", part.bytes}, {"xxh64", fmt::format("{:016x}", part.hash)}};
}

std::uint64_t hash_from(const std::string& text) {
  std::uint64_t hash = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, hash, 16);
  if (text.size() != 16 || parsed.ec != std::errc() || parsed.ptr != end)
    throw InputError("'{}' is not an XXH64 of 16 hexadecimal digits", printable(text));
  return hash;
}

Json trace_json(const Trace& trace) {
  Json parts = Json::array();
  for (const auto& file : trace.files) parts.push_back(file.string());
  return {{"name", trace.name}, {"parts", std::move(parts)}};
}

void require_schema(const Json& json, const char* key, const char* known) {
  const auto schema = json.at(key).get<std::string>();
  if (schema != known)
    throw InputError("\"{}\" is '{}'; this sassim reads '{}': use the sassim that made the bundle ({})", key,
                     printable(schema), known, printable(json.value("version", "version unknown")));
}

void read_options(const Json& json, Recipe& recipe) {
  recipe.caches = json.at("caches").get<std::string>();
  if (recipe.caches != "cold" && recipe.caches != "warm" && recipe.caches != "keep")
    throw InputError("\"caches\" is '{}'; known: cold, warm, keep", printable(recipe.caches));
  recipe.allow_arch_mismatch = json.at("allow_arch_mismatch").get<bool>();
  recipe.no_progress_cycles = whole_at<std::uint64_t>(json, "no_progress_cycles");
  recipe.max_cycles = whole_at<std::uint64_t>(json, "max_cycles");
}

/// Reads the traces, and the part names that their files must have.
void read_traces(const Json& json, Recipe& recipe, std::vector<std::string>& names) {
  for (const Json& from : json) {
    Trace& trace = recipe.traces.emplace_back(Trace{from.at("name").get<std::string>(), {}});
    for (const Json& part : from.at("parts")) {
      const auto name = part.get<std::string>();
      const bool known = std::ranges::any_of(
          kEndings, [&](std::string_view ending) { return name == fmt::format("traces/{}{}", names.size(), ending); });
      if (!known)
        throw InputError("the file of a trace is called '{}'; expected traces/{}.sast or .traceg", printable(name),
                         names.size());
      names.push_back(name);
      trace.files.emplace_back(name);
    }
  }
}

void read_parts(const Json& json, const std::vector<std::string>& names, std::vector<Part>& parts) {
  for (const Json& from : json) {
    Part part{from.at("name").get<std::string>(), whole_at<std::uint64_t>(from, "bytes"),
              hash_from(from.at("xxh64").get<std::string>())};
    if (parts.size() == names.size() || part.name != names[parts.size()])
      throw InputError("part {} is called '{}'; expected {}", parts.size(), printable(part.name),
                       parts.size() == names.size() ? "no more parts" : names[parts.size()]);
    parts.push_back(std::move(part));
  }
  if (parts.size() != names.size()) throw InputError("part {} is missing", names[parts.size()]);
}

Index index_from(const Json& json) {
  require_schema(json, "schema", kSchema);
  require_schema(json, "result_schema", kResultSchema);
  Index index;
  index.version = json.at("version").get<std::string>();
  read_options(json.at("options"), index.recipe);
  std::vector<std::string> traces;
  read_traces(json.at("traces"), index.recipe, traces);
  std::vector<std::string> names = {kConfig};
  names.insert(names.end(), traces.begin(), traces.end());
  names.emplace_back(kResult);
  read_parts(json.at("parts"), names, index.parts);
  return index;
}

}  // namespace

std::string trace_part(std::size_t trace_index, const std::filesystem::path& file) {
  const std::string name = file.string();
  const auto ending = std::ranges::find_if(kEndings, [&](std::string_view known) { return name.ends_with(known); });
  return fmt::format("traces/{}{}", trace_index, ending == kEndings.end() ? kEndings.front() : *ending);
}

std::string index_text(const Index& index) {
  Json traces = Json::array(), parts = Json::array();
  for (const Trace& trace : index.recipe.traces) traces.push_back(trace_json(trace));
  for (const Part& part : index.parts) parts.push_back(part_json(part));
  const Json json = {{"schema", kSchema},
                     {"version", index.version},
                     {"result_schema", kResultSchema},
                     {"options",
                      {{"caches", index.recipe.caches},
                       {"allow_arch_mismatch", index.recipe.allow_arch_mismatch},
                       {"no_progress_cycles", index.recipe.no_progress_cycles},
                       {"max_cycles", index.recipe.max_cycles}}},
                     {"traces", std::move(traces)},
                     {"parts", std::move(parts)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Index read_index(const std::string& text, const std::string& place) try {
  return index_from(Json::parse(text));
} catch (const nlohmann::json::exception& error) {
  throw InputError("{}: {}", place, printable(error.what()));
} catch (const InputError& error) {
  throw InputError("{}: {}", place, error.what());
}

}  // namespace sassim::bundle
