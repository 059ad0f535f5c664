// SPDX-License-Identifier: Apache-2.0
// Damaged configurations: every one is either valid or refused with a place, and nothing else happens.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "sim/config/dump.h"
#include "sim/config/yaml_tree.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

#ifdef SASSIM_FUZZ_LONG
constexpr int kRounds = 200'000;
#else
constexpr int kRounds = 150;
#endif

const LoadOptions kPartial{{}, {}, true};

std::string original() {
  std::ifstream stream(SASSIM_SOURCE_DIR "/configs/generations/hopper.yaml");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto base = text.find("base: ");
  return text.erase(base, text.find('\n', base) - base);
}

/// Accepts or refuses; a refusal names the file, an accepted configuration can be written and read again.
void feed(const std::string& text) {
  const auto loaded = read_config_text(text, "fuzz.yaml", kPartial);
  for (const std::string& problem : loaded.problems) {
    ASSERT_TRUE(problem.starts_with("fuzz.yaml:") || problem.starts_with("default: ")) << problem;
    ASSERT_EQ(problem.find('\n'), std::string::npos) << problem;
  }
  if (!loaded.problems.empty()) return;
  const auto again = read_config_text(dump_yaml(loaded.config), "again.yaml", kPartial);
  ASSERT_TRUE(again.problems.empty()) << again.problems.front();
  ASSERT_EQ(config_hash(again.config), config_hash(loaded.config));
}

TEST(Fuzz, TruncationAtEveryLine) {
  const std::string text = original();
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1)) {
    feed(text.substr(0, end));
    if (HasFatalFailure()) return;
  }
}

TEST(Fuzz, FlippedInsertedAndMovedBytes) {
  const std::string text = original();
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::string interesting = "{}[],:#&*!|>'\"%@`-? \n\t0\\~";
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = text;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(damaged.size());
      switch (below(5)) {
        case 0:
          damaged[at] = static_cast<char>(below(256));
          break;
        case 1:
          damaged[at] = interesting[below(interesting.size())];
          break;
        case 2:
          damaged.insert(at, 1, interesting[below(interesting.size())]);
          break;
        case 3:
          damaged.erase(at, 1 + below(20));
          break;
        default:
          damaged.insert(at, damaged.substr(below(damaged.size()), below(60)));
          break;
      }
    }
    feed(damaged);
    if (HasFatalFailure()) FAIL() << "round " << round << "\n" << damaged;
  }
}

TEST(Fuzz, DeepNestingIsRefusedQuickly) {
  for (const char* unit : {"[", "{", "- ", "? ", "a: {", "{a: ", "[a, "}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += unit;
    feed(text);
  }
}

}  // namespace
}  // namespace sassim::config
