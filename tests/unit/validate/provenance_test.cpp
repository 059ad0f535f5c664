// SPDX-License-Identifier: Apache-2.0
#include "sim/validate/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/validate/glob.h"
#include "tests/support/test_folder.h"

namespace sassim::validate {
namespace {

using Keys = std::map<std::string, config::Provenance, std::less<>>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

config::Provenance comment(const char* text) {
  config::Provenance set;
  set.comment = text;
  return set;
}

Target published(const char* id, const char* source) {
  Target row;
  row.id = std::string("g.") + id;
  row.answer = id;
  row.source = source;
  row.benchmark = "prog";
  return row;
}

Target measured(const char* id, const char* program) {
  Target row = published(id, "NVIDIA G, driver 1");
  row.published = false;
  row.benchmark = program;
  return row;
}

TEST(Provenance, OneTableHasOneNameInCommentsAndRows) {
  EXPECT_THAT(cited_tables("measured: V100 report table 3.1"), ElementsAre("V100 report table 3.1"));
  EXPECT_THAT(cited_tables("Jia et al., V100 report, arXiv 1804.06826, Table 3.1"),
              ElementsAre("V100 report table 3.1"));
  EXPECT_THAT(cited_tables("Jia et al., V100 report, arXiv 1804.06826, section 3.3 / Fig 3.4"),
              ElementsAre("V100 report figure 3.4", "V100 report section 3.3"));
  EXPECT_THAT(cited_tables("V100 report, Table 4.2 / Jia et al., T4 report, arXiv 1903.07486, Table 7"),
              ElementsAre("T4 report table 7", "V100 report table 4.2"));
  EXPECT_THAT(cited_tables("chosen: 262 GB/s (RRZE gpu-stream)"), ElementsAre("RRZE gpu-stream"));
  EXPECT_THAT(cited_tables("RRZE gpu-benches, result files gpu-stream"), ElementsAre("RRZE gpu-stream"));
  EXPECT_THAT(cited_tables("measured: Volkov table 6.2; stall counts"), ElementsAre("VOLKOV table 6.2"));
  EXPECT_THAT(cited_tables("Volkov, Understanding Latency Hiding on GPUs, dissertation, 2016, Table 6.2"),
              ElementsAre("VOLKOV table 6.2"));
  EXPECT_THAT(cited_tables("documented: CUDA guide, table 15"), IsEmpty());
  EXPECT_THAT(cited_tables("measured: V100 report"), IsEmpty()) << "no table of it";
}

// A comment may be as long as its file, 1 MiB.
TEST(Provenance, LongCommentsNeitherRecurseNorTakeLong) {
  const std::string dotted = "a" + [] {
    std::string text;
    for (int i = 0; i < 250'000; ++i) text += ".a";
    return text;
  }();
  EXPECT_THAT(cited_ids(dotted), ElementsAre(dotted));
  EXPECT_THAT(cited_tables("gpu-" +
                           [&] {
                             std::string text;
                             for (int i = 0; i < 250'000; ++i) text += "a-";
                             return text + "b";
                           }()),
              ::testing::SizeIs(1));
  std::string stars = "x.", id = "x.";
  for (int i = 0; i < 200; ++i) stars += "a*.";
  for (int i = 0; i < 5'000; ++i) id += "a.";
  const Keys keys{{"sm.a", comment((stars + "b*").c_str())}};
  EXPECT_EQ(Citations(keys, "/nowhere", "g").key_behind(measured((id + "a").c_str(), "p")), "");
}

TEST(Provenance, AStarStandsForAnyCharacters) {
  for (const auto& [pattern, text] : {std::pair{"", ""},
                                      {"*", ""},
                                      {"*", "abc"},
                                      {"a*", "a"},
                                      {"a*c", "abcbc"},
                                      {"*b*", "abc"},
                                      {"a*b*c", "axbxbxc"},
                                      {"**", "x"},
                                      {"abc", "abc"}})
    EXPECT_TRUE(matches_glob(pattern, text)) << pattern << " " << text;
  for (const auto& [pattern, text] : {std::pair{"", "a"},
                                      {"a", ""},
                                      {"a*c", "abcb"},
                                      {"*b", "abc"},
                                      {"a*b*c", "acb"},
                                      {"abc", "abcd"},
                                      {"ab*bc", "abc"}})
    EXPECT_FALSE(matches_glob(pattern, text)) << pattern << " " << text;
}

TEST(Provenance, IdsAndPagesAreFoundInWords) {
  EXPECT_THAT(cited_ids("starts 17 cycles apart (block.launch.*, icache.cpi.w1.256)"),
              ElementsAre("block.launch.*", "icache.cpi.w1.256"));
  EXPECT_THAT(cited_ids("takes 2.2 cycles (h200/instructions.md#branches)"), IsEmpty());
  EXPECT_THAT(cited_pages("29.6 cycles (h200/instructions.md#branches)"), ElementsAre("h200/instructions.md#branches"));
}

TEST(Provenance, ARowIsFittedWhenAKeyCitesItItsTableOrAPageThatNamesIt) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "g");
  std::ofstream(folder / "g/page.md") << "Measured with `tlb_chase`: `lat.*`.";
  std::ofstream(folder / "g/modelled.md") << "# Shared memory\n\n## Ring\n\n`ring.*` takes 5 cycles.\n\n### More\n\n"
                                          << "**Modelled in** `sm.shared` (`latency`).\n\n## Lake\n\n`lake.*`";
  std::ofstream(folder / "g/many.md")
      << "# Loads\n\n## Of one L1\n\n`one.*`\n\n### Deeper\n\n`deep.*`\n\n## Two\n\n`two.*`";
  std::ofstream(folder / "g/open.md") << "`pond.*` takes 5 cycles.";
  const Keys keys{{"a", comment("measured: V100 report table 3.1")},
                  {"b", comment("chosen: so that l1d.scan32 comes out")},
                  {"c", comment("measured: g/page.md")},
                  {"d", comment("measured: h/other.md")},
                  {"e", comment("measured: g/many.md#of-one-l1")}};
  const Citations citations(keys, folder.path().string(), "g");
  EXPECT_EQ(citations.key_behind(published("x", "Jia et al., V100 report, arXiv 1804.06826, Table 3.1")), "a");
  EXPECT_EQ(citations.key_behind(published("x", "Jia et al., V100 report, arXiv 1804.06826, Table 3.2")), "");
  EXPECT_EQ(citations.key_behind(measured("l1d.scan32", "l1")), "b");
  EXPECT_EQ(citations.key_behind(measured("l1d.scan32.first", "l1")), "b");
  EXPECT_EQ(citations.key_behind(measured("l1d.scan321", "l1")), "");
  EXPECT_EQ(citations.key_behind(measured("lat.ffma", "latency")), "c");
  EXPECT_EQ(citations.key_behind(measured("tlb.64", "tlb_chase kib=8")), "c");
  EXPECT_EQ(citations.key_behind(measured("rate.ffma", "rate")), "");
  EXPECT_EQ(citations.key_behind(measured("ring.s4", "ring")), "sm.shared") << "the page says where it is modelled";
  EXPECT_EQ(citations.key_behind(measured("lake.s4", "lake")), "") << "another section of that page";
  EXPECT_EQ(citations.key_behind(measured("one.s4", "one")), "e");
  EXPECT_EQ(citations.key_behind(measured("deep.s4", "deep")), "e") << "a section has its subsections";
  EXPECT_EQ(citations.key_behind(measured("two.s4", "two")), "") << "nobody cites this section";
  EXPECT_EQ(citations.key_behind(measured("pond.s4", "pond")), "") << "nobody cites the page";
  EXPECT_EQ(Citations(keys, folder.path().string(), "h").key_behind(measured("lat.ffma", "latency")), "")
      << "a page is about one GPU";
}

/// A table of many instructions or sizes is cited by many keys; a row of it was fitted by one.
TEST(Provenance, ARowIsCreditedToTheKeyThatIsAboutIt) {
  const TestFolder folder;
  const char* table = "measured: V100 report table 4.1";
  const Keys keys{{"sm.pipes.ops.bit_scan.latency", comment(table)},
                  {"sm.pipes.ops.fp32.latency", comment(table)},
                  {"sm.l1.hit_latency", comment(table)},
                  {"sm.shared.latency", comment(table)}};
  const Citations citations(keys, folder.path().string(), "g");
  const auto row = [&](const char* id, const char* quantity) {
    Target target = published(id, "Jia et al., V100 report, arXiv 1804.06826, Table 4.1");
    target.quantity = quantity;
    return citations.key_behind(target);
  };
  EXPECT_EQ(row("lat.ffma", "dependent-issue latency"), "sm.pipes.ops.fp32.latency") << "by the class of FFMA";
  EXPECT_EQ(row("lat.flo", "dependent-issue latency"), "sm.pipes.ops.bit_scan.latency");
  EXPECT_EQ(row("l1.hit", "latency of an L1 hit"), "sm.l1.hit_latency") << "by the words that they share";
  EXPECT_EQ(row("x", "y"), "one of 4 keys that cite the table, such as sm.l1.hit_latency");
}

}  // namespace
}  // namespace sassim::validate
