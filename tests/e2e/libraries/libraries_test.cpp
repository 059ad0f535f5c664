// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libraries on GPUs of four architectures. The programs compare what the libraries compute with the host's
// results, and print a line for each comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/e2e/exec/exec.h"

namespace sassim {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Library : public testing::TestWithParam<const char*> {
 protected:
  /// `lines`: how many comparisons are right.
  void run(const std::string& program, int lines) {
    const Outcome outcome = exec(std::string("--functional --config ") + GetParam(), program);
    EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("done\n"), Not(HasSubstr("WRONG")))) << outcome.err;
    int right = 0;
    for (std::size_t at = 0; (at = outcome.out.find(": right", at)) != std::string::npos; ++at) ++right;
    EXPECT_EQ(right, lines) << outcome.out;
  }
};

#ifdef SASSIM_LIBRARIES
TEST_P(Library, CublasProducts) {
  run("blas single 128 128 128 nn double 96 64 64 nn double 33 50 21 nt half 128 64 96 nn mixed 64 128 128 nn "
      "mixed 40 24 56 tt bytes 128 128 128 nn vector 300 1 200 nn vector 200 1 300 tn",
      9);
}
// Sizes that are no multiples of a kernel's tile, so that copies of its last tile have lanes without a source.
TEST_P(Library, CublasProductsOfOddSizes) {
  run("blas single 131 77 60 nn single 131 77 60 tn single 32 32 33 nn double 250 250 250 nn double 32 32 161 tt "
      "halves 96 80 48 nn",
      6);
}
TEST_P(Library, CublasInACapturedStream) { run("blas captured", 1); }
TEST_P(Library, CufftPlans) { run("fft", 5); }
TEST_P(Library, CurandGenerators) { run("rand", 6); }
TEST_P(Library, CusparseProducts) { run("sparse", 2); }
#endif
TEST_P(Library, ThrustAndCub) { run("thrust", 6); }
TEST_P(Library, NvrtcPrograms) { run("rtc", 2); }

// cuBLAS chooses its kernels by these answers.
TEST_P(Library, OccupancyIsAsNvidiaCountsIt) {
  if (GetParam()[0] == '/') GTEST_SKIP() << "a configuration for results, with the limits of no real GPU";
  const Outcome outcome = exec(std::string("--functional --allow-none --config ") + GetParam(), "occupancy");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("^[0-9]{5} answers, 0 differ\n$"));
}

// Of a large module only the kernels that run are disassembled.
TEST_P(Library, LargeModulesAreDisassembledKernelByKernel) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / (std::string("listings-") + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  setenv("SASSIM_LISTINGS", folder.c_str(), 1);
  const Outcome outcome = exec(std::string("--functional --config ") + GetParam(), "many_kernels");
  EXPECT_EQ(outcome.out, "kernel 5: right, 1 registers\nkernel 33: right, 1 registers\ndone\n") << outcome.err;
  unsetenv("SASSIM_LISTINGS");
  int listings = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++listings;
    EXPECT_LT(entry.file_size(), 1'000'000u) << entry.path();
  }
  EXPECT_EQ(listings, 2);
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Gpus, Library, testing::Values("v100", "t4", SASSIM_SM80, "h200"),
                         [](const testing::TestParamInfo<const char*>& gpu) {
                           return std::string(gpu.param[0] == '/' ? "sm80" : gpu.param);
                         });

}  // namespace
}  // namespace sassim
