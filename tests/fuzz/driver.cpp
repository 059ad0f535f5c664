// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry point for the one parser that is linked into this program.
#include "tests/fuzz/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sassim::fuzz::feed(sassim::fuzz::parsers().front(), {data, size});
  return 0;
}
