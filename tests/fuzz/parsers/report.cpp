// SPDX-License-Identifier: Apache-2.0
// Results.
#include "sim/bundle/difference.h"
#include "sim/report/result_reader.h"
#include "sim/session/session_results.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_result_json(Bytes input) {
  const std::string text(text_of(input));
  report::read_result(text, "result.json");
  bundle::difference(text, R"({"schema": "sassim-result/1", "kernels": [], "complete": true})", "result.json");
}

const Register result_parser("result", "A result of `sassim run --json`, as compare and reproduce read it",
                             read_result_json);

void read_session_log(Bytes input) {
  write_file(scratch_folder() + "/process-1.jsonl", input);
  session::read_session(scratch_folder(), [](const report::KernelReport&) {});
}

const Register session_log_parser("session_log", "What a process under `sassim exec` left of its launches",
                                  read_session_log);

}  // namespace
}  // namespace sassim::fuzz
