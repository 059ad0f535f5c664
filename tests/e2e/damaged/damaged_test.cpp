// SPDX-License-Identifier: Apache-2.0
// Ten thousand damaged inputs for each parser: it takes or refuses them, with an error that a person may see. No
// crash, nothing that takes over 20 seconds, no memory beyond 256 MiB.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/e2e/damaged/limited_child.h"
#include "tests/fuzz/parser.h"
#include "tests/support/test_folder.h"

namespace sassim::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRounds = 10'000;

std::vector<fs::path> files_of(std::string_view parser) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(SASSIM_BINARY_DIR "/unpacked/seeds") / parser))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<Input> seeds_of(std::string_view parser) {
  std::vector<Input> seeds;
  for (const fs::path& file : files_of(parser)) {
    std::ifstream in(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
}

/// Where scratch files go: the child does not clean up when it is killed.
class ScratchPlace {
 public:
  ScratchPlace() { ::setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~ScratchPlace() { ::unsetenv("TMPDIR"); }

 private:
  TestFolder folder_;
};

std::string kept(std::string_view parser, const Input& input) {
  const std::string path = SASSIM_BINARY_DIR "/damaged-" + std::string(parser);
  write_file(path, input);
  return path;
}

class Damaged : public testing::TestWithParam<Parser> {};

// Seeds that a parser refuses at once would show nothing. What was found by fuzzing (found-*) may be either.
TEST_P(Damaged, SeedsAreTakenButThoseToBeRefused) {
  const ScratchPlace place;
  const auto files = files_of(GetParam().name);
  const auto seeds = seeds_of(GetParam().name);
  ASSERT_FALSE(seeds.empty());
  const auto end = test::run_limited(seeds.size(), {}, [&](std::uint64_t n) {
    const std::string name = files[n].filename().string();
    const bool taken = feed(GetParam(), seeds[n]);
    if (!name.starts_with("found-") && taken == name.starts_with("refused-"))
      throw std::logic_error(name + (taken ? " is taken" : " is refused"));
  });
  EXPECT_EQ(end.why, "") << files[std::min<std::size_t>(end.step, files.size() - 1)];
}

TEST_P(Damaged, TenThousandDoNoHarm) {
  const ScratchPlace place;
  const auto seeds = seeds_of(GetParam().name);
  ASSERT_FALSE(seeds.empty());
  const auto end = test::run_limited(kRounds, {}, [&](std::uint64_t round) { feed(GetParam(), damage(seeds, round)); });
  EXPECT_EQ(end.why, "") << "round " << end.step << ", kept in " << kept(GetParam().name, damage(seeds, end.step));
}

INSTANTIATE_TEST_SUITE_P(Every, Damaged, testing::ValuesIn(parsers()),
                         [](const auto& each) { return std::string(each.param.name); });

// The limits are real: without these a broken harness would pass everything.
TEST(LimitedChild, SaysWhatEndedAStep) {
  const auto why = [](const std::function<void(std::uint64_t)>& step) {
    return test::run_limited(3, {.memory = 64u << 20, .cpu_seconds = 1, .wall_seconds = 60}, step);
  };
  EXPECT_EQ(why([](std::uint64_t) {}).why, "");
  const auto thrown = why([](std::uint64_t n) {
    if (n == 2) throw std::logic_error("two");
  });
  EXPECT_EQ(thrown.step, 2u);
  EXPECT_EQ(thrown.why, "two");
  EXPECT_NE(why([](std::uint64_t) { std::abort(); }).why.find("signal 6"), std::string::npos);
  EXPECT_EQ(why([](std::uint64_t) {
              for (const volatile bool forever = true; forever;) {
              }
            }).why,
            "it takes too long");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(why([](std::uint64_t) { const std::vector<char> much(128u << 20); }).why,
            "it wanted more than 64 MiB of memory");
#endif
}

}  // namespace
}  // namespace sassim::fuzz
