// SPDX-License-Identifier: Apache-2.0
// Whether a row of a validation says something about the model, or was put into it: read from the comments of the keys.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sim/config/loader.h"
#include "sim/study/targets.h"

namespace sassim::study {

enum class Origin : std::uint8_t {
  echo,       ///< the configuration says it: nothing was run
  fitted,     ///< the comment of a key cites the row or the table that it stands in
  predicted,  ///< neither
};
std::string_view origin_name(Origin origin);

/// The tables, sections and figures of reports that a text names, in one spelling: "V100 report table 3.1" for
/// "Jia et al., V100 report, arXiv 1804.06826, Table 3.1" too.
std::set<std::string> cited_tables(std::string_view text);
/// The ids that a text names: l1d.scan32, block.launch.* (`*` stands for any characters).
std::set<std::string> cited_ids(std::string_view text);
/// The pages below validation/hardware that a text names: h200/branches.md.
std::set<std::string> cited_pages(std::string_view text);

/// What the comments of a configuration's keys cite, and what pages of the GPU name that say in which keys they are
/// modelled ("**Modelled in** `sm.l1`").
class Citations {
 public:
  /// Pages are read from `hardware`, the folder of that name in the validation data; one that is not there cites
  /// nothing.
  Citations(const std::map<std::string, config::Provenance, std::less<>>& keys, const std::string& hardware,
            std::string_view gpu);

  /// The key whose comment cites the row, its table, or a page that names it or its program; empty: none does.
  std::string key_behind(const Target& target) const;

 private:
  void add_page(const std::string& text, const std::string& key);
  void add_modelled_pages(const std::filesystem::path& folder);

  std::map<std::string, std::string> tables_, ids_, programs_;  ///< what is cited, and by which key
};

}  // namespace sassim::study
