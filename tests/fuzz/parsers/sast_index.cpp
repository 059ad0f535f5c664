// SPDX-License-Identifier: Apache-2.0
// The index of a .sast file, behind its compression and checksum.
#include "sim/trace/bytes.h"
#include "sim/trace/section.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_sast_index(Bytes input) {
  trace::ByteReader in(input, "index");
  trace::read_index(in);
  in.expect_end();
}

const Register sast_index_parser("sast_index", read_sast_index);

}  // namespace
}  // namespace sassim::fuzz
