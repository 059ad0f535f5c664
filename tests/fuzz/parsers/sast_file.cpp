// SPDX-License-Identifier: Apache-2.0
// A .sast file as it lies on the disk.
#include "sim/trace/open.h"
#include "tests/fuzz/parser.h"
#include "tests/fuzz/walk.h"

namespace sassim::fuzz {
namespace {

void read_sast_file(Bytes input) {
  const InputFile file(input);
  for (const auto& kernel : trace::open(file.path())) walk(*kernel);
}

const Register sast_file_parser("sast_file", read_sast_file);

}  // namespace
}  // namespace sassim::fuzz
