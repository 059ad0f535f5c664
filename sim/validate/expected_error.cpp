// SPDX-License-Identifier: Apache-2.0
// Reads a GPU's mean error from validation/results, for a sentence in every report.
#include "sim/validate/expected_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <vector>

#include "sim/base/data_folder.h"
#include "sim/base/error.h"
#include "sim/base/file_calls.h"
#include "sim/base/input_file.h"
#include "sim/base/markup.h"
#include "sim/config/status.h"

namespace sassim::validate {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCold = "cold";
constexpr const char* kKeep = "keep";

/// The cells of a row of a table, without the bars.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream in(row.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(" *"), last = cell.find_last_not_of(" *");
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

/// A row of the table of all sets, on a page about one GPU: kernels, mean error, ..., worst.
std::optional<ExpectedError> in_table(const std::string& line, const std::string& caches) {
  const bool cold = caches == kCold;
  if (!cold && caches != kKeep) return std::nullopt;
  if (!line.starts_with(cold ? "| Validation kernels, cold caches, elapsed |"
                             : "| Validation kernels, caches kept, elapsed |"))
    return std::nullopt;
  const std::vector<std::string> cells = cells_of(line);
  if (cells.size() < 3) return std::nullopt;
  ExpectedError error{std::strtod(cells[2].c_str(), nullptr),
                      fmt::format("{} validation kernels with {} caches", cells[1], cold ? "cold" : "kept")};
  const std::string& worst = cells.back();
  if (cells.size() > 3 && worst.find('%') != std::string::npos)
    error.measured += ", worst " + worst.substr(0, worst.find('%') + 1);
  return error;
}

/// A sentence of a page about several boards: "23 rows: mean error 3.6 %, 90th percentile 9.7 %, bias -0.5 %." Its rows
/// have the caches with which they were measured, cold or kept.
std::optional<ExpectedError> in_sentence(const std::string& line, const std::string& caches) {
  constexpr std::string_view kMean = "mean error ";
  const std::size_t at = line.find(kMean);
  if (at == std::string::npos || (caches != kCold && caches != kKeep)) return std::nullopt;
  std::string measured = line;
  if (const std::size_t end = measured.find(", bias"); end != std::string::npos) measured.resize(end);
  if (const std::size_t comma = measured.find(','); comma != std::string::npos)
    measured =
        measured.substr(0, std::min(measured.find(':'), comma)) + " with cold or kept caches" + measured.substr(comma);
  return ExpectedError{std::strtod(line.c_str() + at + kMean.size(), nullptr), measured};
}

/// The sentence about all boards of a chip, at the top of its page: "**8 rows, mean error 7.0 %**, 90th percentile 11.8
/// %, bias -6.5 %, worst ...". A board that has no section differs from them in its clocks.
std::optional<ExpectedError> in_summary(std::string line, const std::string& caches) {
  if (!line.starts_with("**")) return std::nullopt;
  std::erase(line, '*');
  constexpr std::string_view kRows = " rows,";
  const std::size_t at = line.find(kRows);
  if (at == std::string::npos) return std::nullopt;
  return in_sentence(line.replace(at, kRows.size(), " rows of this chip's boards:"), caches);
}

}  // namespace

std::optional<ExpectedError> expected_error_in(const std::string& page, const std::string& config_name,
                                               const std::string& caches) {
  std::istringstream in(page);
  bool whole_page = false, own_section = false, page_of_chip = false;
  std::optional<ExpectedError> of_chip;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) {
      whole_page = line.find("Accuracy of " + config_name + " ") != std::string::npos;
      page_of_chip = line.find("Accuracy of a " + upper_case(config_name) + " ") != std::string::npos;
    }
    if (line.starts_with("## ")) own_section = line == "## " + config_name, page_of_chip = false;
    std::optional<ExpectedError> found;
    if (whole_page)
      found = in_table(line, caches);
    else if (own_section)
      found = in_sentence(line, caches);
    else if (page_of_chip && !of_chip)
      of_chip = in_summary(line, caches);
    if (found) return found;
  }
  return of_chip;
}

namespace {

struct Found {
  ExpectedError error;
  std::string page;
};

fs::path results_folder() { return fs::path(find_data_folder("validation", "SASSIM_VALIDATION")) / "results"; }

std::optional<Found> find_error(const std::string& config_name, const std::string& caches) try {
  for (const fs::path& page : folder_entries(results_folder())) {
    if (!page.filename().string().starts_with("accuracy-") || page.extension() != ".md") continue;
    if (auto error = expected_error_in(read_whole_file(page).value_or(""), config_name, caches))
      return Found{*error, page.filename().string()};
  }
  return std::nullopt;
} catch (const std::exception&) {
  return std::nullopt;  // the installation lacks the pages
}

/// Whether `sassim validate --record` has compared it with what was published.
bool has_summary(const std::string& config_name) try {
  const auto summaries = read_whole_file(results_folder() / "summaries.json");
  return summaries && nlohmann::json::parse(*summaries).contains(config_name);
} catch (const std::exception&) {
  return false;
}

std::string own_name(const std::string& config_name) { return config_name.substr(0, config_name.find(' ')); }

}  // namespace

std::optional<ExpectedError> expected_error(const std::string& config_name, const std::string& caches) {
  const std::optional<Found> found = find_error(config_name, caches);
  if (!found) return std::nullopt;
  return found->error;
}

Trust trust_in(const std::string& config_name) {
  const std::string own = own_name(config_name);
  for (const char* caches : {kCold, kKeep})
    if (const auto found = find_error(own, caches)) return {"measured", "validation/results/" + found->page};
  if (has_summary(own)) return {"published", "validation/results/papers.md"};
  return {"carried over", "docs/accuracy.md"};
}

std::string trust_sentence(const std::optional<ExpectedError>& error, const config::LoadedConfig& loaded,
                           const std::string& config_name, const std::string& caches) {
  const Trust trust = trust_in(config_name);
  const std::string word = fmt::format("Trust: {} ({}).", trust.word, trust.page);
  if (error) return fmt::format("Expected error of the cycles: {:.1f} % ({}). {}", error->mean, error->measured, word);
  const bool changed = std::any_of(loaded.provenance.begin(), loaded.provenance.end(),
                                   [](const auto& set) { return set.second.level == config::kOverrideLevel; });
  const bool other = trust.word == "measured";
  const std::string why = changed ? "values of this GPU were changed"
                          : other ? fmt::format("no kernel of this GPU was measured with {} caches", caches)
                                  : "no kernel of this GPU was measured";
  const auto assumed = std::count_if(loaded.provenance.begin(), loaded.provenance.end(), [](const auto& set) {
    return config::reason_of(set.second.comment).status == config::Status::assumed;
  });
  return fmt::format("Expected error of the cycles: unknown: {}; {} of its {} values are assumed. {}", why, assumed,
                     loaded.provenance.size(), word);
}

}  // namespace sassim::validate
