// SPDX-License-Identifier: Apache-2.0
// A profile of Nsight Compute.
#include "sim/validate/ncu_csv.h"

#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_ncu(Bytes input) { validate::parse_ncu_csv(std::string(text_of(input)), "ncu.csv"); }

const Register ncu_csv_parser("ncu_csv", read_ncu);

}  // namespace
}  // namespace sassim::fuzz
