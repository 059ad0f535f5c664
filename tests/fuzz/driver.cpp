// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry point for the parser SASSIM_PARSER.
#include <algorithm>

#include "tests/fuzz/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const sassim::fuzz::Parser parser =
      *std::ranges::find(sassim::fuzz::parsers(), std::string_view(SASSIM_PARSER), &sassim::fuzz::Parser::name);
  sassim::fuzz::feed(parser, {data, size});
  return 0;
}
