// SPDX-License-Identifier: Apache-2.0
// A result of `sassim run --json`, as compare and reproduce read it.
#include "sim/bundle/difference.h"
#include "sim/report/result_reader.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_result_json(Bytes input) {
  const std::string text(text_of(input));
  report::read_result(text, "result.json");
  bundle::difference(text, R"({"schema": "sassim-result/1", "kernels": [], "complete": true})", "result.json");
}

const Register result_parser("result", read_result_json);

}  // namespace
}  // namespace sassim::fuzz
