// SPDX-License-Identifier: Apache-2.0
#include "sim/base/wait_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sassim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(WaitGraph, ANameIsOneNode) {
  WaitGraph graph;
  const auto a = graph.node("a"), b = graph.node("b");
  EXPECT_EQ(graph.node("a"), a);
  EXPECT_NE(a, b);
  EXPECT_TRUE(graph.contains("b"));
  EXPECT_FALSE(graph.contains("c"));
  graph.waits(a, b, "why");
  EXPECT_TRUE(graph.waits_for(a, b));
  EXPECT_FALSE(graph.waits_for(b, a));
}

TEST(WaitGraph, ACycleIsFoundAndBeginsWithTheOldest) {
  WaitGraph graph;
  const auto outside = graph.node("outside"), a = graph.node("a"), b = graph.node("b"), c = graph.node("c");
  graph.waits(outside, a, "");
  graph.waits(a, b, "");
  graph.waits(b, c, "");
  EXPECT_THAT(graph.cycles(), IsEmpty());
  graph.waits(c, a, "");
  EXPECT_THAT(graph.cycles(), ElementsAre(ElementsAre(a, b, c)));
  graph.set_age(c, 3);
  EXPECT_THAT(graph.cycles(), ElementsAre(ElementsAre(c, a, b)));
}

TEST(WaitGraph, OfSeveralWaysRoundTheShortestIsTold) {
  WaitGraph graph;
  const auto a = graph.node("a"), b = graph.node("b"), c = graph.node("c"), self = graph.node("self");
  graph.waits(a, b, "");
  graph.waits(b, c, "");
  graph.waits(c, a, "");
  graph.waits(b, a, "");
  graph.waits(self, self, "");
  EXPECT_THAT(graph.cycles(), ElementsAre(ElementsAre(a, b), ElementsAre(self)));
}

TEST(WaitGraph, TheTextTellsCyclesFirstThenWhatTheOldestWaitFor) {
  WaitGraph graph;
  const auto young = graph.node("young"), old = graph.node("old"), load = graph.node("load");
  const auto a = graph.node("a"), b = graph.node("b");
  graph.set_age(young, 2);
  graph.set_age(old, 1);
  graph.waits(young, load, "data");
  graph.waits(old, load, "data");
  graph.waits(old, load, "data");
  graph.describe(load, "lost");
  graph.waits(a, b, "x");
  graph.waits(b, a, "y");
  EXPECT_EQ(graph.text(20),
            "these 2 wait for each other in a circle:\n"
            "  a\n"
            "  x -> b\n"
            "  y -> a (above)\n"
            "old\n"
            "  data (2 times) -> load: lost\n"
            "young\n"
            "  data -> load (above)\n");
  EXPECT_EQ(graph.text(6),
            "these 2 wait for each other in a circle:\n"
            "  a\n"
            "  x -> b\n"
            "  y -> a (above)\n"
            "old\n"
            "(2 more waits are not shown)\n");
}

TEST(WaitGraph, AWideGraphIsCutShort) {
  WaitGraph graph;
  for (int i = 0; i < 100; ++i) graph.waits(graph.node("network"), graph.node("slice " + std::to_string(i)), "there");
  const std::string text = graph.text(20);
  EXPECT_THAT(text, HasSubstr("slice 3"));
  EXPECT_THAT(text, Not(HasSubstr("slice 4")));
  EXPECT_THAT(text, HasSubstr("and 96 more"));
  EXPECT_THAT(graph.dot(), HasSubstr("slice 99"));
}

TEST(WaitGraph, DotIsWholeAndItsNamesAreEscaped) {
  WaitGraph graph;
  const auto a = graph.node("a \"quoted\" \\ name\x1b[0m"), b = graph.node("b"), c = graph.node("c");
  graph.describe(b, "first\nsecond");
  graph.waits(a, b, "say \"x\"");
  graph.waits(b, a, "y");
  graph.waits(b, c, "z");
  EXPECT_EQ(graph.dot(),
            "digraph waits {\n"
            "  node [shape=box];\n"
            "  n0 [label=\"a \\\"quoted\\\" \\\\ name?[0m\", color=red];\n"
            "  n1 [label=\"b\\nfirst\\nsecond\", color=red];\n"
            "  n2 [label=\"c\"];\n"
            "  n0 -> n1 [label=\"say \\\"x\\\"\", color=red];\n"
            "  n1 -> n0 [label=\"y\", color=red];\n"
            "  n1 -> n2 [label=\"z\"];\n"
            "}\n");
}

TEST(WaitGraph, AnErrorCarriesIt) {
  WaitGraph graph;
  graph.node("a");
  try {
    throw Stuck("report", graph);
  } catch (const NoProgress& error) {
    EXPECT_EQ(error.status(), ExitStatus::no_progress);
    EXPECT_THAT(dynamic_cast<const Stuck&>(error).graph().dot(), StartsWith("digraph"));
  }
}

}  // namespace
}  // namespace sassim
