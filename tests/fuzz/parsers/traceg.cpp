// SPDX-License-Identifier: Apache-2.0
// An Accel-Sim trace, plain or gzip.
#include "sim/trace/memory_trace.h"
#include "sim/trace/traceg_import.h"
#include "tests/fuzz/parser.h"
#include "tests/fuzz/walk.h"

namespace sassim::fuzz {
namespace {

void read_traceg(Bytes input) {
  const InputFile file(input);
  const auto trace = trace::load_traceg(file.path());
  walk(*trace);
}

const Register traceg_parser("traceg", read_traceg);

}  // namespace
}  // namespace sassim::fuzz
