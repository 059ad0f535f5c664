// SPDX-License-Identifier: Apache-2.0
// What a program that misbehaves sees, and what the user is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kFunctional = "--functional --config v100 ";

TEST(Exec, TheProgramsOwnStatusIsAFailedCheck) {
  EXPECT_EQ(exec(kFunctional, "misbehave status 0").status, 0);
  const Outcome outcome = exec(kFunctional, "misbehave status 7");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("ended with status 7"));
}

TEST(Exec, AnUnsupportedCallIsAnErrorCodeAndALogLine) {
  const Outcome outcome = exec(kFunctional, "misbehave api");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("api 801 cudaErrorNotSupported\nlast 801 cudaErrorNotSupported\n"));
  EXPECT_THAT(outcome.out, HasSubstr("texture 801 cudaErrorNotSupported\n"));
  for (const char* call : {"cudaArrayGetPlane", "views of textures in a compressed format"})
    EXPECT_THAT(outcome.err, HasSubstr(std::string(call)));
  EXPECT_THAT(outcome.err, HasSubstr("not supported"));
}

TEST(Exec, AnUnsupportedInstructionEndsTheRunAndNamesThePlace) {
  const std::string opcode = "SURED";
  for (const char* config : {"v100", "h200"}) {
    const Outcome outcome = exec(std::string("--functional --config ") + config, "unsupported");
    EXPECT_EQ(outcome.status, 4) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out,
                ContainsRegex("^partial: the run was stopped after 0 launches, while [a-z_]+\\(.*\\) ran\n$"));
    EXPECT_THAT(outcome.err,
                ContainsRegex("opcode " + opcode + " in kernel _Z[0-9]+[a-z_]+P?[a-zA-Z]* at PC 0x[0-9a-f]+ \\('" +
                              opcode + ".*', sm_[79]0\\)"));
  }
}

TEST(Exec, BlocksOfAClusterReachEachOthersSharedMemory) {
  const Outcome outcome = exec("--functional --config h200", "clusters");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "clusters ok\n");
}

TEST(Exec, ALaunchWithClustersIsNotTimed) {
  const Outcome outcome = exec("--config h200 -o sm.count=4", "clusters");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("with clusters of several blocks (--functional executes it) is not supported"));
}

/// Each call with what it returns; those that return cudaErrorNotSupported are also named in a line.
TEST(Exec, AGridSynchronisesAsAWholeAndOtherDevicesAndProcessesAreRefused) {
  for (const char* config : {"v100", "h200"}) {
    const Outcome outcome = exec(std::string("--functional --config ") + config, "one_device");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("launch cudaSuccess\nsynchronize cudaSuccess\nall blocks saw all: yes\n"
                                       "one more cudaErrorCooperativeLaunchTooLarge\n"));
    for (const char* call :
         {"cudaDeviceCanAccessPeer", "cudaDeviceEnablePeerAccess", "cudaMemcpyPeer", "cudaSetDevice"})
      EXPECT_THAT(outcome.out, ContainsRegex(std::string(call) + "\\(.*\\) cudaErrorInvalidDevice\n"));
    for (const char* call : {"cudaLaunchCooperativeKernelMultiDevice", "cudaIpcGetMemHandle", "cudaIpcOpenMemHandle",
                             "cudaIpcCloseMemHandle", "cudaIpcGetEventHandle", "cudaIpcOpenEventHandle"}) {
      EXPECT_THAT(outcome.out, ContainsRegex(std::string(call) + "\\(.*\\) cudaErrorNotSupported\n"));
      EXPECT_THAT(outcome.err, HasSubstr(std::string(call) + " is not supported"));
    }
  }
}

TEST(Exec, KernelsLaunchKernels) {
  for (const char* options :
       {"--config v100", "--config v100 --threads=2", "--config v100 --memcheck", "--config h200"}) {
    const Outcome outcome = exec(std::string("--functional ") + options, "device_launch");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "children ok\n") << outcome.err;
  }
  const Outcome timed = exec("--config v100", "device_launch");
  EXPECT_EQ(timed.status, 4);
  EXPECT_THAT(timed.err, ContainsRegex("in kernel _Z6parentPi at PC 0x[0-9a-f]+ \\('CALL[^']*', sm_70\\) launches a "
                                       "kernel from a kernel, which only a run without timing and traces"));
}

TEST(Exec, AnUnknownFunctionOfTheDriverIsNamedWithThePlaceOfItsCall) {
  const Outcome outcome = exec(kFunctional, "device_launch wait");
  EXPECT_EQ(outcome.status, 4) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, ContainsRegex("opcode CALL in kernel _Z5waitsv at PC 0x[0-9a-f]+ \\('CALL[^']*', sm_70\\) "
                                         "calls the driver's function cnpCtxSynchronize"));
}

TEST(Exec, AnAccessOutOfBoundsIsStickyAndNamesThePlace) {
  const Outcome outcome = exec(kFunctional, "misbehave address");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("launch 0 cudaSuccess\nsynchronize 700 cudaErrorIllegalAddress\nlast 700 "
                        "cudaErrorIllegalAddress\nagain 0 cudaSuccess\nlater 700 cudaErrorIllegalAddress\n"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("kernels that faulted: 1; with --allow-faults"));
  EXPECT_EQ(exec(kFunctional + "--allow-faults", "misbehave address").status, 0);
  // Block 0 has 64 threads on the last 32 integers of a mapped page: the first beyond its end is thread 32.
  EXPECT_THAT(
      outcome.err,
      ContainsRegex("illegal address: kernel _Z5storePi, PC 0x[0-9a-f]+ \\('STG[^']*'\\), block "
                    "\\(0,0,0\\), thread \\(32,0,0\\), address 0x20000200000: the nearest allocation below is"));
}

TEST(Exec, AMisalignedAccessIsItsOwnError) {
  const Outcome outcome = exec(kFunctional, "misbehave misaligned");
  EXPECT_THAT(outcome.out, HasSubstr("synchronize 716 cudaErrorMisalignedAddress\nlast 716"));
  EXPECT_THAT(outcome.err, HasSubstr("thread (1,0,0)"));
}

TEST(Exec, SharedMemoryHasBounds) {
  const Outcome outcome = exec(kFunctional, "misbehave shared");
  EXPECT_THAT(outcome.out, HasSubstr("synchronize 700 cudaErrorIllegalAddress"));
  EXPECT_THAT(outcome.err, HasSubstr("shared memory out of bounds: kernel _Z12shared_storePii"));
  EXPECT_THAT(outcome.err, HasSubstr("the block has 128 bytes of shared memory"));
}

TEST(Exec, ALocalArrayHasBounds) {
  const Outcome outcome = exec(kFunctional, "misbehave local");
  EXPECT_THAT(outcome.out, HasSubstr("synchronize 700 cudaErrorIllegalAddress"));
  EXPECT_THAT(outcome.err, HasSubstr("stack overflow: kernel _Z11local_storePii"));
}

TEST(Exec, AFailedAssertionIsAnErrorAndNamesThePlace) {
  const Outcome outcome = exec(kFunctional, "misbehave assert");
  EXPECT_THAT(outcome.out, HasSubstr("synchronize 710 cudaErrorAssert"));
  EXPECT_THAT(outcome.err, HasSubstr("thread (5,0,0)"));
  EXPECT_THAT(outcome.err, HasSubstr("Assertion `threadIdx.x < 5' failed"));
}

TEST(Exec, WithoutCodeForTheGpuItListsWhatThereIs) {
  const Outcome outcome = exec("--functional --config h200", "misbehave nothing");
  EXPECT_THAT(outcome.out, HasSubstr("launch 209 cudaErrorNoKernelImageForDevice"));
  EXPECT_THAT(outcome.err, HasSubstr("no machine code for sm_90 (it has: sm_70 cubin)"));
  EXPECT_THAT(outcome.err, HasSubstr("nvcc -gencode arch=compute_90,code=sm_90"));
}

TEST(Exec, ANewerGpuOfTheSameGenerationRunsOlderCode) {
  const Outcome outcome = exec("--functional --config t4", "misbehave nothing");
  EXPECT_THAT(outcome.out, HasSubstr("synchronize 0 cudaSuccess"));
}

TEST(Exec, TheStaticRuntimeIsRefusedWithTheWayOut) {
  const Outcome outcome = exec(kFunctional, "misbehave_static nothing");
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("compile it with CUDA 11, 12 or 13: /usr/bin/nvcc -ccbin g++-11 -cudart shared"));
  const TestFolder folder;
  std::filesystem::create_symlink("/bin/true", folder / "nvcc");
  const std::string run =
      SASSIM_BINARY_DIR "/sassim exec " + kFunctional + " -- " SASSIM_PROGRAMS "/misbehave_static nothing";
  EXPECT_THAT(run_command("PATH=/usr/bin:$PATH; " + run).err, Not(HasSubstr("nvcc that comes first")));
  EXPECT_THAT(run_command("PATH=" + folder.path().string() + ":$PATH; " + run).err,
              HasSubstr("; the nvcc that comes first on the PATH is another one, " + (folder / "nvcc")));
}

TEST(Exec, AKernelWithoutEndIsStoppedByItsBudget) {
  const Outcome outcome = exec(kFunctional + "--max-instructions 20000", "misbehave spin");
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("kernel _Z4spinPVi executed more than 20000 warp instructions"));
  EXPECT_THAT(outcome.err, ContainsRegex("block \\(0,0,0\\) warp 1 lanes 0xffffffff: PC 0x[0-9a-f]+ '"));
}

TEST(Exec, AProgramThatIsNotThereIsBadInput) { EXPECT_EQ(exec(kFunctional, "nowhere").status, 3); }

}  // namespace
}  // namespace sassim
