// SPDX-License-Identifier: Apache-2.0
#include "sim/report/terminal.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sassim::report {
namespace {

KernelReport hostile() {
  KernelReport kernel;
  kernel.name = "k\x1b[2J\xff";
  kernel.metrics.max("gpc__cycles_elapsed.max", "cycle", "m", 5006);
  kernel.notes.emplace_back("note\x07");
  kernel.lines.push_back({16, "FADD\x1b[31m R1, R2, R3", 32, {{"wait", 128}}});
  return kernel;
}

TEST(Terminal, DigitsAreGroupedForPeopleOnly) {
  const std::string plain = kernel_text(hostile(), "t4");
  EXPECT_NE(plain.find(" 5006 cycles"), std::string::npos) << plain;
  EXPECT_NE(kernel_text(hostile(), "t4", {.for_people = true}).find(" 5 006 cycles"), std::string::npos);
  EXPECT_NE(kernel_text(hostile(), "t4", {.all_metrics = true}).rfind(" 5006 cycles"), plain.find(" 5006 cycle"));
}

TEST(Terminal, NothingFromATraceIsObeyed) {
  for (const std::string& text : {kernel_text(hostile(), "t4"), csv_rows(0, hostile()), to_json(hostile()).dump()})
    for (const char byte : text)
      EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~')) << static_cast<int>(byte) << " in " << text;
  EXPECT_NE(kernel_text(hostile(), "t4").find("k\\x1b[2J\\xff"), std::string::npos);
  EXPECT_EQ(to_json(hostile())["name"], "k\\x1b[2J\\xff");
}

}  // namespace
}  // namespace sassim::report
