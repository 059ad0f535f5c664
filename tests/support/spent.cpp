// SPDX-License-Identifier: Apache-2.0
// Test programs of the layers that stay fast note how much processor time each test takes, for tests/e2e/budgets.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace sassim {
namespace {

/// Seconds of this process and of those that it has waited for.
double spent() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

/// Seconds of a fixed piece of arithmetic and memory: how fast the processor is just now.
double compared() {
  std::vector<std::uint32_t> table(1 << 16, 1);
  const double begin = spent();
  std::uint32_t at = 1;
  for (int i = 0; i < 300'000; ++i) {
    at = at * 1664525 + 1013904223;
    table[at >> 16] += table[(at >> 8) & 0xffff];
  }
  [[maybe_unused]] const volatile std::uint32_t used = table[at >> 16];  // so that the work is done
  return spent() - begin;
}

class Notes final : public testing::EmptyTestEventListener {
  void OnTestProgramStart(const testing::UnitTest&) override { beside_ = compared(); }
  void OnTestStart(const testing::TestInfo&) override { begin_ = spent(); }
  void OnTestEnd(const testing::TestInfo& test) override {
    lines_ += fmt::format("{}.{} {:.6f} {:.6f}\n", test.test_suite_name(), test.name(), spent() - begin_, beside_);
  }
  /// Into a file of this very program: what was noted before it was built again is another's.
  void OnTestProgramEnd(const testing::UnitTest&) override {
    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    struct stat about {};
    stat(program.c_str(), &about);
    std::error_code not_writable;  // then nothing is noted
    std::filesystem::create_directories(SASSIM_SPENT, not_writable);
    const auto name = fmt::format(SASSIM_SPENT "/{}.{}", program.filename().string(),
                                  about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec);
    std::ofstream(name, std::ios::app) << lines_ << std::flush;
  }

  double beside_ = 0, begin_ = 0;
  std::string lines_;
};

[[maybe_unused]] const bool noting = (testing::UnitTest::GetInstance()->listeners().Append(new Notes), true);

}  // namespace
}  // namespace sassim
