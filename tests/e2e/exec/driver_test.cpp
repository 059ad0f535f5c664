// SPDX-License-Identifier: Apache-2.0
// Programs of the driver's interface (cu...), which check what they compute and which errors they get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/exec/exec.h"

namespace sassim {
namespace {

using testing::HasSubstr;

/// Runs a program that checks what it computes, and says so at its end.
Outcome checked(const std::string& options, const std::string& program, const std::string& said) {
  const Outcome outcome = exec(options, program);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(said));
  return outcome;
}

TEST(Driver, ALoadedModuleRunsOnEveryGpu) {
  for (const auto& [config, sm] : {std::pair{"t4", "75"}, std::pair{"v100", "70"}, std::pair{"h200", "90"}}) {
    const Outcome outcome = exec(std::string("--config ") + config, "driver");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(std::string("sm_") + sm + " ok"));
    EXPECT_THAT(outcome.out, HasSubstr("16 launches"));
  }
}

TEST(Driver, WrongCallsGetTheDocumentedCodes) {
  const Outcome outcome = exec("--functional --config v100 --allow-faults", "driver_errors");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("errors ok"));
  for (const char* line : {"starts with 0x7469656e, which is neither a cubin nor a fat binary nor PTX",
                           "the module is for sm_90, the GPU is of sm_70", "cuIpcGetMemHandle is not supported",
                           "the driver's table 00000000000000000000000000000000 is not known",
                           "has NVIDIA's CUDA runtime inside, which only runs on NVIDIA's own driver"})
    EXPECT_THAT(outcome.err, HasSubstr(line));
}

TEST(Driver, PtxAndMachineCodeAreLinked) {
  for (const char* config : {"v100", "t4", "h200"}) {
    const Outcome outcome = checked(std::string("--functional --config ") + config, "driver_link", "link ok");
    EXPECT_THAT(outcome.err, HasSubstr("Undefined reference to '_Z6helperi' in 'link_use.fatbin'"));
  }
}

TEST(Driver, BothInterfacesShareTheGpu) {
  const Outcome outcome = checked("--functional --config t4", "driver_both", "both ok");
  EXPECT_THAT(outcome.err, HasSubstr("cuBLAS's first interface (cublas.h)"));
}

TEST(Driver, GraphsAndLaunchAttributes) {
  const Outcome outcome = checked("--config t4", "driver_graphs", "graphs ok");
  EXPECT_THAT(outcome.err, HasSubstr("a launch with clusters of several blocks is not supported"));
}

TEST(Driver, MemoryIsCopiedFilledPooledAndMapped) { checked("--functional --config t4", "driver_memory", "memory ok"); }

TEST(Driver, ThreadsHaveStreamsOfTheirOwn) {
  const Outcome outcome = checked("--config t4", "driver_ends threads", "threads ok");
  EXPECT_THAT(outcome.out, HasSubstr("20 launches"));
}

/// A program that ends without having waited loses no kernel, or the command says so.
TEST(Driver, NoKernelIsLostAtTheEnd) {
  for (const char* how : {"return", "stream", "destroy"}) {
    const Outcome outcome = exec("--config t4", std::string("driver_ends ") + how);
    EXPECT_EQ(outcome.status, 0) << how << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("3 launches")) << how;
  }
  const Outcome killed = exec("--config t4", "driver_ends _exit");
  EXPECT_EQ(killed.status, 1) << killed.err;
  EXPECT_THAT(killed.err, HasSubstr("kernel"));
}

/// The bound is far above what it takes, because tests share the machine.
TEST(Driver, ALaunchCostsLittleOnTheHost) {
  const Outcome outcome = exec("--functional --config t4", "driver_ends cost");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(std::stod(outcome.out), 20);
}

}  // namespace
}  // namespace sassim
