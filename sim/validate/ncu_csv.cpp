// SPDX-License-Identifier: Apache-2.0
// Parses a profile for `sassim compare`: quoted fields, thousands separators, scaled units.
#include "sim/validate/ncu_csv.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>

#include "sim/base/error.h"
#include "sim/base/input_file.h"

namespace sassim::validate {
namespace {

using Row = std::vector<std::string>;

/// The fields of one line; quotes inside quoted fields are doubled. ncu never puts a line break into a field.
Row split(std::string_view line) {
  Row row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      row.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      row.emplace_back();
    } else if (c != '\r') {
      row.back() += c;
    }
  }
  return row;
}

/// A number such as "10,324.5" with thousands separators; empty for "n/a", "nan" and text.
std::optional<double> parse_number(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// The factor of a scaled unit, which ncu prints unless it is given `--print-units base`.
double scale(std::string_view unit) {
  auto slash = unit.find('/');
  std::string_view of = unit.substr(0, slash);
  for (std::string_view base : {"byte", "hz", "inst", "sector", "cycle", "block", "warp", "thread", "register"}) {
    if (!of.ends_with(base) || of.size() != base.size() + 1) continue;
    switch (of.front()) {
      case 'K':
        return 1e3;
      case 'M':
        return 1e6;
      case 'G':
        return 1e9;
      case 'T':
        return 1e12;
      default:
        return 1;
    }
  }
  if (of == "usecond" || of == "us") return 1e3;
  if (of == "msecond" || of == "ms") return 1e6;
  if (of == "second" || of == "s") return 1e9;
  return 1;
}

class Table {
 public:
  Table(Row header, std::string place) : header_(std::move(header)), place_(std::move(place)) {}

  void add(const Row& row, std::size_t line) {
    if (row.size() != header_.size()) {
      throw InputError("{}:{}: {} fields, the header has {}: export again with ncu --csv", place_, line, row.size(),
                       header_.size());
    }
    if (has("Metric Name")) return add_long(row);
    if (field(row, "ID").empty()) {  // the row with the units
      units_ = row;
      return;
    }
    start(row);
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (header_[i].find("__") == std::string::npos) continue;
      if (auto value = parse_number(row[i]))
        kernels_.back().metrics[header_[i]] = *value * (units_.empty() ? 1 : scale(units_[i]));
    }
  }
  std::vector<ProfiledKernel> take() { return std::move(kernels_); }

 private:
  bool has(std::string_view column) const { return std::find(header_.begin(), header_.end(), column) != header_.end(); }
  std::string field(const Row& row, std::string_view column) const {
    auto at = std::find(header_.begin(), header_.end(), column);
    return at == header_.end() ? std::string() : row[static_cast<std::size_t>(at - header_.begin())];
  }
  void start(const Row& row) {
    kernels_.push_back({field(row, "Kernel Name"), field(row, "Grid Size"), field(row, "Block Size"), {}});
  }
  void add_long(const Row& row) {
    std::string id = field(row, "ID");
    if (kernels_.empty() || id != last_id_) start(row);
    last_id_ = id;
    if (auto value = parse_number(field(row, "Metric Value"))) {
      kernels_.back().metrics[field(row, "Metric Name")] = *value * scale(field(row, "Metric Unit"));
    }
  }

  Row header_, units_;
  std::string place_, last_id_;
  std::vector<ProfiledKernel> kernels_;
};

}  // namespace

std::vector<ProfiledKernel> parse_ncu_csv(const std::string& text, const std::string& place) {
  std::istringstream in(text);
  std::optional<Table> table;
  std::string line;
  for (std::size_t count = 1; std::getline(in, line); ++count) {
    if (!line.starts_with('"')) continue;
    Row row = split(line);
    if (table) {
      table->add(row, count);
    } else if (row.front() == "ID") {
      table.emplace(std::move(row), place);
    }
  }
  std::vector<ProfiledKernel> kernels;
  if (table) kernels = table->take();
  const auto has_metrics = [](const ProfiledKernel& kernel) {
    return std::ranges::any_of(kernel.metrics, [](const auto& m) { return m.first.find("__") != std::string::npos; });
  };
  if (!kernels.empty() && std::ranges::none_of(kernels, has_metrics))
    throw InputError(
        "{}: has no metric with a name such as gpc__cycles_elapsed.max: it is a details page; export the raw one with "
        "'ncu --import REPORT.ncu-rep --csv --page raw'",
        place);
  if (kernels.empty()) {
    throw InputError("{}: no kernels found: expected the output of ncu --csv --page raw", place);
  }
  return kernels;
}

std::vector<ProfiledKernel> read_ncu_csv(const std::string& path) {
  return parse_ncu_csv(read_input_file(path, kProfileFile), path);
}

}  // namespace sassim::validate
