// SPDX-License-Identifier: Apache-2.0
#include "sim/study/expected_error.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "sim/base/data_folder.h"
#include "sim/base/error.h"
#include "sim/base/folder_entries.h"
#include "sim/base/input_file.h"

namespace sassim::study {

namespace fs = std::filesystem;

std::optional<double> expected_error_in(const std::string& page, const std::string& config_name) {
  constexpr std::string_view kMean = "mean error ", kHeadline = "| Validation kernels, cold caches, elapsed |";
  std::istringstream in(page);
  bool whole_page = false, own_section = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) whole_page = line.find("Accuracy of " + config_name + " ") != std::string::npos;
    if (line.starts_with("## ")) own_section = line == "## " + config_name;
    // A page about one GPU has a table of all sets with the mean in bold; a page about several boards has a sentence
    // for each.
    const bool headline = whole_page && line.starts_with(kHeadline);
    const std::string_view before = headline ? "**" : kMean;
    const std::size_t at = line.find(before);
    if (at != std::string::npos && (headline || own_section))
      return std::strtod(line.c_str() + at + before.size(), nullptr);
  }
  return std::nullopt;
}

std::optional<double> expected_error(const std::string& config_name) try {
  for (const fs::path& page : folder_entries(find_data_folder("validation", "SASSIM_VALIDATION"))) {
    if (!page.filename().string().starts_with("accuracy-") || page.extension() != ".md") continue;
    if (const auto error = expected_error_in(read_whole_file(page).value_or(""), config_name)) return error;
  }
  return std::nullopt;
} catch (const std::exception&) {
  return std::nullopt;  // the installation lacks the pages
}

}  // namespace sassim::study
