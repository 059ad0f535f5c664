// SPDX-License-Identifier: Apache-2.0
// The comment of a configuration's key: tables, rows and pages that it cites; the first line is the id of a row.
#include <algorithm>

#include "sim/validate/provenance.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_citations(Bytes input) {
  const std::string_view text = text_of(input);
  const std::size_t end = std::min(text.find('\n'), text.size());
  validate::Target row;
  row.id = row.answer = std::string(text.substr(0, end));
  row.source = std::string(text);
  config::Provenance set;
  set.comment = std::string(text.substr(std::min(end + 1, text.size())));
  const validate::Citations citations({{"sm.l1.size", set}}, "/nowhere", "v100");
  citations.key_behind(row);
}

const Register citations_parser("citations", read_citations);

}  // namespace
}  // namespace sassim::fuzz
