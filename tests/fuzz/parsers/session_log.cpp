// SPDX-License-Identifier: Apache-2.0
// What a process under `sassim exec` left of its launches.
#include "sim/session/session_results.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_session_log(Bytes input) {
  write_file(scratch_folder() + "/process-1.jsonl", input);
  session::read_session(scratch_folder(), [](const report::KernelReport&) {});
}

const Register session_log_parser("session_log", read_session_log);

}  // namespace
}  // namespace sassim::fuzz
