// SPDX-License-Identifier: Apache-2.0
// Arithmetic over the keys of a configuration.
#include "sim/config/gpu_config.h"
#include "sim/validate/key_expression.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_formula(Bytes input) {
  static const config::GpuConfig gpu;
  validate::evaluate(text_of(input), gpu, {{"answer", 42.0}});
}

const Register formula_parser("formula", read_formula);

}  // namespace
}  // namespace sassim::fuzz
