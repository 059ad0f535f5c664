// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/readme/console.h"

#include <gtest/gtest.h>

namespace sassim {
namespace {

TEST(Console, DotsStandForLinesOrForTextWithinALine) {
  const Lines output{"cycles 12", "hits 3 %", "hits 4 %", "written to /tmp/x: a, b, c"};
  EXPECT_TRUE(shows(output, output));
  EXPECT_TRUE(shows({"cycles 12", "...", "hits 4 %", "written to /tmp/x: a..."}, output));
  EXPECT_TRUE(shows({"..."}, output));
  EXPECT_TRUE(shows({"...", "written ...: a, ... c"}, output));
  EXPECT_FALSE(shows({"cycles 13", "..."}, output)) << "a number differs";
  EXPECT_FALSE(shows({"cycles 12"}, output)) << "lines are missing at the end";
  EXPECT_FALSE(shows({"...", "hits 3 %"}, output)) << "something follows";
  EXPECT_FALSE(shows({"...", "hits 4 %", "hits 3 %", "..."}, output)) << "in another order";
  EXPECT_FALSE(shows({}, output)) << "nothing is shown";
}

TEST(Console, CommandsAndTheirOutputAreFound) {
  const auto found = shown_commands({"text", "```console", "$ sassim a", "one", "", "$ sassim b", "```", "$ no command",
                                     "```sh", "$ nor this", "```", "```console cuda", "$ nvcc c", "two", "```"});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].command, "sassim a");
  EXPECT_EQ(found[0].output, (Lines{"one", ""}));
  EXPECT_EQ(found[0].line, 3u);
  EXPECT_EQ(found[1].output, Lines{});
  EXPECT_EQ(found[2].info, "console cuda");
}

TEST(Console, AnUpdateKeepsWhatIsLeftOut) {
  const Lines output{"cycles 5 007 cycle", "hits -3 %", "bar 9.5 % ###", "written to /tmp/x: a, b, c"};
  EXPECT_EQ(updated({"cycles   12 cycle", "...", "bar 12 % ####", "written to /tmp/x: a..."}, output),
            (Lines{"cycles 5 007 cycle", "...", "bar 9.5 % ###", "written to /tmp/x: a..."}));
  EXPECT_EQ(updated({}, output), output);
  EXPECT_EQ(updated({"misses 3"}, output), Lines{"misses 3"});
}

}  // namespace
}  // namespace sassim
