// SPDX-License-Identifier: Apache-2.0
// What a validation reads.
#include <algorithm>

#include "sim/config/gpu_config.h"
#include "sim/validate/key_expression.h"
#include "sim/validate/known_gaps.h"
#include "sim/validate/ncu_csv.h"
#include "sim/validate/provenance.h"
#include "sim/validate/targets.h"
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

const Register citations_parser(
    "citations",
    "The comment of a configuration's key: tables, rows and pages that it cites; the first line is the id of a row",
    read_citations);

void read_formula(Bytes input) {
  static const config::GpuConfig gpu;
  validate::evaluate(text_of(input), gpu, {{"answer", 42.0}});
}

const Register formula_parser("formula", "Arithmetic over the keys of a configuration", read_formula);

void read_ncu(Bytes input) { validate::parse_ncu_csv(std::string(text_of(input)), "ncu.csv"); }

const Register ncu_csv_parser("ncu_csv", "A profile of Nsight Compute", read_ncu);

// The first byte says which.
void read_targets(Bytes input) {
  if (input.empty()) return;
  const InputFile file(input.subspan(1));
  switch (input[0] % 4) {
    case 0:
      validate::load_published(file.path(), "v100");
      break;
    case 1:
      validate::load_hardware(file.path(), "v100");
      break;
    case 2:
      validate::load_known_gaps(file.path());
      break;
    default:
      validate::load_subset(file.path(), "quick");
  }
}

const Register targets_parser(
    "targets", "The files that a validation reads: published values, hardware results, known gaps, subsets",
    read_targets);

}  // namespace
}  // namespace sassim::fuzz
