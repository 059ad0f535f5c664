// SPDX-License-Identifier: Apache-2.0
#include "sim/study/expected_error.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "sim/base/data_folder.h"
#include "sim/base/error.h"

namespace sassim::study {

namespace fs = std::filesystem;

std::optional<double> expected_error_in(const std::string& page, const std::string& config_name) {
  constexpr std::string_view kMean = "mean error ";
  std::istringstream in(page);
  bool whole_page = false, own_section = false, kept_apart = false, found_apart = false;
  std::optional<double> error;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) whole_page = line.find("Accuracy of " + config_name + " ") != std::string::npos;
    if (line.starts_with("## ")) {
      own_section = line == "## " + config_name;
      kept_apart = line.find("eld-out") != std::string::npos;
    }
    const std::size_t at = line.find(kMean);
    if (at == std::string::npos || line.starts_with('|') || !(whole_page || own_section)) continue;
    if (error && (!kept_apart || found_apart)) continue;
    error = std::strtod(line.c_str() + at + kMean.size(), nullptr);
    found_apart = kept_apart;
  }
  return error;
}

std::optional<double> expected_error(const std::string& config_name) try {
  for (const auto& entry : fs::directory_iterator(find_data_folder("validation", "SASSIM_VALIDATION"))) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("accuracy-") || entry.path().extension() != ".md") continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    if (const auto error = expected_error_in(text.str(), config_name)) return error;
  }
  return std::nullopt;
} catch (const std::exception&) {
  return std::nullopt;  // an installation without the pages
}

}  // namespace sassim::study
