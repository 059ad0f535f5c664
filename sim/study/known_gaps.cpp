// SPDX-License-Identifier: Apache-2.0
#include "sim/study/known_gaps.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "sim/base/error.h"

namespace sassim::study {
namespace {

bool glob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*')
    return !text.empty() && pattern.front() == text.front() && glob(pattern.substr(1), text.substr(1));
  for (std::size_t skipped = 0; skipped <= text.size(); ++skipped)
    if (glob(pattern.substr(1), text.substr(skipped))) return true;
  return false;
}

}  // namespace

bool KnownGap::matches(std::string_view id) const { return glob(pattern, id); }

std::vector<KnownGap> load_known_gaps(const std::string& path) {
  std::vector<KnownGap> gaps;
  try {
    const YAML::Node file = YAML::LoadFile(path);
    for (const YAML::Node& row : file["gaps"]) {
      KnownGap gap;
      for (auto [key, member] :
           {std::pair{"pattern", &gap.pattern}, std::pair{"gpu", &gap.gpu}, std::pair{"reason", &gap.reason},
            std::pair{"error", &gap.error}, std::pair{"since", &gap.since}}) {
        if (!row[key] || !row[key].IsScalar() || row[key].Scalar().empty())
          throw InputError("{}:{}: a gap needs the key '{}'", path, row.Mark().line + 1, key);
        *member = row[key].Scalar();
      }
      gaps.push_back(std::move(gap));
    }
  } catch (const YAML::BadFile&) {
    throw InputError("{}: cannot be read", path);
  } catch (const YAML::Exception& error) {
    throw InputError("{}:{}: {}", path, error.mark.line + 1, error.msg);
  }
  return gaps;
}

std::string known_gaps_page(const std::vector<KnownGap>& gaps) {
  std::string page =
      "# Known gaps\n\n"
      "Where simulated microbenchmarks are known to differ from hardware by more than the tolerance, and why. They "
      "count\n"
      "as failures in `sassim validate`. Written by `sassim validate --record` from `validation/known-gaps.yaml`.\n\n"
      "| # | GPU | targets | error when last looked at | since | reason |\n|---|---|---|---|---|---|\n";
  std::size_t number = 0;
  for (const KnownGap& gap : gaps) {
    page += fmt::format("| {} | {} | `{}` | {} | {} | {} |\n", ++number, gap.gpu, gap.pattern, gap.error, gap.since,
                        gap.reason);
  }
  return page;
}

}  // namespace sassim::study
