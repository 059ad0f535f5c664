// SPDX-License-Identifier: Apache-2.0
// The files that a validation reads: published values, hardware results, known gaps, subsets. The first byte says
// which.
#include "sim/validate/targets.h"

#include "sim/validate/known_gaps.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

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

const Register targets_parser("targets", read_targets);

}  // namespace
}  // namespace sassim::fuzz
