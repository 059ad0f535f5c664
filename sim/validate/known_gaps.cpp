// SPDX-License-Identifier: Apache-2.0
// Reads known-gaps.yaml for `sassim validate`, and writes its page.
#include "sim/validate/known_gaps.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <set>

#include "sim/base/error.h"
#include "sim/base/input_file.h"

namespace sassim::validate {
namespace {

[[noreturn]] void wrong_gap(const YAML::Node& at, const std::string& what) { throw YAML::Exception(at.Mark(), what); }

void read_rows(const YAML::Node& rows, KnownGap& gap, std::set<std::string>& seen) {
  if (!rows || !rows.IsMap() || rows.size() == 0)
    wrong_gap(rows ? rows : YAML::Node(), "a gap needs 'rows': target ids with the largest error in percent");
  for (const auto& row : rows) {
    const auto id = row.first.as<std::string>();
    if (id.find('*') != std::string::npos) wrong_gap(row.first, "'" + id + "': a row is named by its whole id");
    // It begins with the GPU, or with the die that the row was measured on.
    if (id.find('.') == std::string::npos) wrong_gap(row.first, "'" + id + "' is no id of a row");
    if (!seen.insert(id).second) wrong_gap(row.first, "'" + id + "' appears twice");
    gap.rows[id] = row.second.as<double>();
    if (!(gap.rows[id] > 0)) wrong_gap(row.second, "'" + id + "': a bound is a number of percent above 0");
  }
}

KnownGap read_gap(const YAML::Node& row, std::set<std::string>& seen) {
  KnownGap gap;
  for (auto [key, member] :
       {std::pair{"gpu", &gap.gpu}, std::pair{"reason", &gap.reason}, std::pair{"since", &gap.since}}) {
    if (!row[key] || !row[key].IsScalar() || row[key].Scalar().empty())
      wrong_gap(row, fmt::format("a gap needs the key '{}'", key));
    *member = row[key].Scalar();
  }
  if (const YAML::Node kind = row["kind"]) {
    if (kind.Scalar() != "contradiction" && kind.Scalar() != "difference")
      wrong_gap(kind, "a kind is 'difference' or 'contradiction'");
    if (kind.Scalar() == "contradiction") gap.kind = KnownGap::Kind::contradiction;
  }
  read_rows(row["rows"], gap, seen);
  return gap;
}

}  // namespace

std::vector<KnownGap> load_known_gaps(const std::string& path) {
  std::vector<KnownGap> gaps;
  std::set<std::string> seen;
  try {
    const YAML::Node file = YAML::Load(read_input_file(path, kValidationFile));
    for (const YAML::Node& row : file["gaps"]) gaps.push_back(read_gap(row, seen));
  } catch (const YAML::Exception& error) {
    throw InputError("{}:{}: {}", path, error.mark.line + 1, error.msg);
  }
  return gaps;
}

std::string known_gaps_page(const std::vector<KnownGap>& gaps) {
  std::string page =
      "# Known gaps\n\n"
      "Where simulated microbenchmarks are known to differ from hardware by more than the tolerance, and why. A row is "
      "named by\nits whole id, with the largest error that the reason explains; a larger one is a new failure. Gaps "
      "count as failures in\n`sassim validate`, except where sources contradict each other: no model can be right "
      "there. "
      "Written by\n`sassim validate --record` from `validation/known-gaps.yaml`.\n\n"
      "| # | GPU | rows, with the largest error | since | reason |\n|---|---|---|---|---|\n";
  std::size_t row_number = 0;
  for (const KnownGap& gap : gaps) {
    std::string rows;
    for (const auto& [id, bound] : gap.rows) rows += fmt::format("{}`{}` {:g} %", rows.empty() ? "" : ", ", id, bound);
    page += fmt::format("| {} | {} | {} | {} | {}{} |\n", ++row_number, gap.gpu, rows, gap.since,
                        gap.kind == KnownGap::Kind::contradiction ? "sources contradict each other: " : "", gap.reason);
  }
  return page;
}

}  // namespace sassim::validate
