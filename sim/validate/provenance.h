// SPDX-License-Identifier: Apache-2.0
// Whether a validation row tests the model or was used to choose its values, read from the comments of the keys.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/loader.h"
#include "sim/validate/targets.h"

namespace sassim::validate {

enum class Origin : std::uint8_t {
  echo,       ///< the configuration contains the value: nothing was run
  fitted,     ///< the comment of a key cites the row or the table that the row is in
  predicted,  ///< neither of the two
};
std::string_view origin_name(Origin origin);

/// The tables, sections and figures that a text cites, in one spelling: "Jia et al., V100 report, arXiv 1804.06826,
/// Table 3.1" gives "V100 report table 3.1".
std::set<std::string> cited_tables(std::string_view text);
/// The ids that a text cites, such as l1d.scan32 or block.launch.* (`*` matches any characters).
std::set<std::string> cited_ids(std::string_view text);
/// The pages below validation/measured that a text cites, such as h200/instructions.md#branches.
std::set<std::string> cited_pages(std::string_view text);

/// What the comments of a configuration's keys cite, and which pages about the GPU name keys as modelled ("**Modelled
/// in** `sm.l1`").
class Citations {
 public:
  /// Pages are read from `measured`, the folder of that name in the validation data; a missing page cites nothing.
  Citations(const std::map<std::string, config::Provenance, std::less<>>& keys, const std::string& measured,
            std::string_view gpu);

  /// The key whose comment cites the row, its table, or a page that names the row or its program; empty if there is
  /// none. Of several keys that cite the table, the one that is about the row's instruction or shares most words with
  /// the row; if none stands out, how many they are.
  std::string key_behind(const Target& target) const;

 private:
  void add_page(const std::string& text, const std::string& key);
  void add_modelled_pages(const std::filesystem::path& folder);

  std::map<std::string, std::string> ids_, programs_;       ///< what is cited, and the key that cites it
  std::map<std::string, std::vector<std::string>> tables_;  ///< a table, and the keys that cite it
};

}  // namespace sassim::validate
