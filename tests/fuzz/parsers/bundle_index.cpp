// SPDX-License-Identifier: Apache-2.0
// bundle.json, which says what a bundle holds.
#include "sim/bundle/bundle_index.h"

#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_bundle_index(Bytes input) { bundle::read_index(std::string(text_of(input)), "bundle.json"); }

const Register bundle_index_parser("bundle_index", read_bundle_index);

}  // namespace
}  // namespace sassim::fuzz
