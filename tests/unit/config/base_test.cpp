// SPDX-License-Identifier: Apache-2.0
// `base:` and what can be wrong with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class Base : public ::testing::Test {
 protected:
  Base() : folder_(std::filesystem::path(::testing::TempDir()) / ("sassim_base_test_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "below");
  }
  ~Base() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  LoadedConfig load(const std::string& name) {
    return read_config((folder_ / name).string(), LoadOptions{{}, {}, true});
  }
  std::string first_problem(const std::string& name) {
    const auto loaded = load(name);
    return loaded.problems.empty() ? "" : loaded.problems.front();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Base, IsRelativeToTheFileAndTheFileWins) {
  write("below/root.yaml", "description: root\nsm: {count: 1, l1: {sets: 8}}\nmemory: {l2: {ways: 8}}\n");
  write("below/middle.yaml", "base: root.yaml\nsm: {count: 2}\n");
  write("leaf.yaml", "base: below/middle.yaml\nmemory: {l2: {ways: 4}}\n");
  const auto loaded = load("leaf.yaml");
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.config.sm.count, 2u);
  EXPECT_EQ(loaded.config.sm.l1.sets, 8u);
  EXPECT_EQ(loaded.config.memory.l2.ways, 4u);
  EXPECT_EQ(loaded.config.name, "leaf");
  EXPECT_EQ(loaded.config.description, "") << "a base's description is not the derived GPU's";
  EXPECT_THAT(loaded.chain, ElementsAre(EndsWith("leaf.yaml"), EndsWith("middle.yaml"), EndsWith("root.yaml")));
  EXPECT_LT(loaded.provenance.at("sm.l1.sets").level, loaded.provenance.at("sm.count").level);
}

TEST_F(Base, ErrorsInItNameTheWayThere) {
  write("root.yaml", "sm: {count: 0}\n");
  write("leaf.yaml", "base: root.yaml\n");
  EXPECT_THAT(first_problem("leaf.yaml"), HasSubstr("root.yaml:1:13: sm.count: 0 is out of range"));
  EXPECT_THAT(first_problem("leaf.yaml"), EndsWith("leaf.yaml:1:7)"));
}

TEST_F(Base, ACycleIsPrinted) {
  write("a.yaml", "base: b.yaml\n");
  write("b.yaml", "base: below/../a.yaml\n");
  EXPECT_THAT(first_problem("a.yaml"), HasSubstr("a.yaml' is its own base: "));
  EXPECT_THAT(first_problem("a.yaml"), HasSubstr(" -> "));
  write("self.yaml", "base: self.yaml\n");
  EXPECT_THAT(first_problem("self.yaml"), HasSubstr("is its own base"));
}

TEST_F(Base, MustBeAFile) {
  write("a.yaml", "base: nowhere.yaml\n");
  EXPECT_THAT(first_problem("a.yaml"), HasSubstr("a.yaml:1:7: base: there is no file '"));
  EXPECT_THAT(first_problem("a.yaml"), HasSubstr("known: a10, a100, a100-80, a100-pcie, a40, ampere-test, "
                                                 "gtx1070-max-q, gtx1080, gtx1650, gtx980, gv100, h200"));
  write("b.yaml", "base: below\n");
  EXPECT_THAT(first_problem("b.yaml"), HasSubstr("there is no file"));
  write("c.yaml", "base: [a.yaml]\n");
  EXPECT_THAT(first_problem("c.yaml"), HasSubstr("base: expected the path"));
  write("d.yaml", "base: /dev/zero\n");
  EXPECT_THAT(first_problem("d.yaml"), HasSubstr("there is no file"));
}

TEST_F(Base, MayBeAName) {
  write("mine.yaml", "base: t4\nsm: {count: 2}\n");
  const auto loaded = load("mine.yaml");
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.config.sm.count, 2u);
  EXPECT_EQ(loaded.config.arch, 75);
}

TEST_F(Base, LongChainsEnd) {
  for (int i = 0; i < 40; ++i) write("c" + std::to_string(i) + ".yaml", "base: c" + std::to_string(i + 1) + ".yaml\n");
  EXPECT_THAT(first_problem("c0.yaml"), HasSubstr("more than 16 files"));
}

TEST_F(Base, AHugeFileIsRefused) {
  write("huge.yaml", "# " + std::string(2u << 20, 'x') + "\n");
  EXPECT_THAT([&] { load("huge.yaml"); }, ::testing::Throws<InputError>());
}

}  // namespace
}  // namespace sassim::config
