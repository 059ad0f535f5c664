// SPDX-License-Identifier: Apache-2.0
// An Accel-Sim trace is imported whole or not at all: what is missing is an error of the file's line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "sim/trace/memory_trace.h"
#include "sim/trace/summary.h"
#include "sim/trace/traceg_import.h"
#include "tests/unit/trace/streams.h"

namespace sassim::trace {
namespace {

/// Two blocks of 40 threads; the last instruction line of each warp is EXIT.
const std::string kHeader =
    "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (40,1,1)\n-shmem = 256\n-nregs = 12\n"
    "-binary version = 70\n-accelsim tracer version = 4\n\n#traces format = ...\n";

std::string block(int number) {
  return "#BEGIN_TB\nthread block = " + std::to_string(number) +
         ",0,0\nwarp = 0\ninsts = 4\n"
         "0000 ffffffff 1 R1 MOV 0 0 0\n"
         "0010 0000000f 1 R4 LDG.E 1 R2 4 1 0x7f1000000000 4 0\n"
         "0020 00000000 1 R5 FADD 2 R4 R4 0 0\n"
         "0030 ffffffff 0 EXIT 0 0 0\n"
         "warp = 1\ninsts = 1\n0030 000000ff 0 EXIT 0 0 0\n#END_TB\n";
}

struct Outcome {
  std::string error;
  ExitStatus status = ExitStatus::done;
};

class WholeTraceg : public testing::Test {
 protected:
  ~WholeTraceg() override { std::filesystem::remove(file_); }

  Outcome import(const std::string& content) {
    std::ofstream(file_, std::ios::binary) << content;
    try {
      trace_ = load_traceg(file_);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find(file_), 0u) << error.what();
      return {std::string(error.what()).substr(file_.size()), error.status()};
    }
    return {};
  }
  /// The good trace with `from` replaced, the first time that it stands there.
  Outcome with(const std::string& from, const std::string& to) {
    std::string text = kHeader + block(0) + block(1);
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return import(text.replace(text.find(from), from.size(), to));
  }
  void expect(const Outcome& outcome, const std::string& part) {
    EXPECT_EQ(outcome.status, ExitStatus::bad_input);
    EXPECT_NE(outcome.error.find(part), std::string::npos) << "expected: " << part << "\nfound: " << outcome.error;
  }

  const std::string file_ =
      (std::filesystem::temp_directory_path() / ("whole_" + std::to_string(::getpid()) + ".traceg")).string();
  std::shared_ptr<MemoryTrace> trace_;
};

TEST_F(WholeTraceg, TheGoodOneIsGood) { EXPECT_EQ(import(kHeader + block(0) + block(1)).error, ""); }

TEST_F(WholeTraceg, EveryBlockOfTheGridIsThereOnce) {
  expect(import(kHeader), ":9: the file has 0 of the grid's 2 blocks, without 0,0,0");
  expect(import(kHeader + block(0)), "1 of the grid's 2 blocks, without 1,0,0");
  expect(import(kHeader + block(1)), "1 of the grid's 2 blocks, without 0,0,0");
  expect(import(kHeader + block(0) + block(0)), "block 0,0,0 appears twice");
  expect(import(kHeader + block(0) + block(1) + block(2)), "outside the grid");
}

TEST_F(WholeTraceg, TheHeaderSaysHowLargeTheLaunchWas) {
  expect(with("-grid dim = (2,1,1)\n", ""), "no '-grid dim = ...'");
  expect(with("-block dim = (40,1,1)\n", ""), "no '-block dim = ...'");
  expect(with("-nregs = 12\n", ""), "no '-nregs = ...'");
  expect(with("nregs = 12", "nregs = 0"), ":5: 0 registers");
  expect(with("nregs = 12", "nregs = 256"), ":5: 256 registers");
  expect(with("name = k", "name = k\x1b[2J"), ":1: the kernel's name has control characters");
}

TEST_F(WholeTraceg, EveryWarpOfABlockIsThereOnce) {
  expect(with("warp = 1\ninsts = 1\n0030 000000ff 0 EXIT 0 0 0\n", ""), ":18: the block has no warp 1");
  expect(with("warp = 1", "warp = 0"), ":18: warp 0 appears twice");
}

TEST_F(WholeTraceg, EveryThreadComesToItsExitAndStopsThere) {
  expect(with("0030 000000ff", "0030 0000007f"), "threads 0x00000080 of warp 1 did not reach EXIT");
  expect(with("insts = 1\n0030 000000ff 0 EXIT 0 0 0\n", "insts = 0\n"), "of warp 1 did not reach EXIT");
  expect(with("0030 000000ff", "0030 000001ff"), "threads 0x000001ff execute, but the warp has 0x000000ff");
  expect(with("insts = 1\n0030 000000ff 0 EXIT 0 0 0\n",
              "insts = 2\n0030 000000ff 0 EXIT 0 0 0\n0000 00000001 1 R1 MOV 0 0 0\n"),
         ":21: threads 0x00000001 continue after their EXIT");
}

TEST_F(WholeTraceg, EveryAccessHasItsAddresses) {
  expect(with("R2 4 1 0x7f1000000000 4 0", "R2 0 0"), ":15: LDG.E accesses memory, but the line has no addresses");
  expect(with("R2 4 1 0x7f1000000000 4 0", "R2 4 0 0x7f1000000000 0x7f1000000004"), ":15: expected an address");
  expect(with("R2 4 1", "R2 77 1"), ":15: a memory width of 77 bytes");
  EXPECT_EQ(with("0010 0000000f 1 R4 LDG.E 1 R2 4 1 0x7f1000000000 4 0", "0010 00000000 1 R4 LDG.E 1 R2 0 0").error, "")
      << "its guard was false everywhere";
}

TEST_F(WholeTraceg, RegistersAreR0ToR255) {
  for (const char* bad : {"R9x", "R300", "R", "R-1", "4", "UR4", "R1.5"})
    expect(with("1 R4 LDG", std::string("1 ") + bad + " LDG"), ":15: expected a destination (R0 to R255)");
  expect(with("LDG.E 1 R2", "LDG.E 1 R2x"), ":15: expected a source (R0 to R255)");
}

TEST_F(WholeTraceg, OpcodesThatAreNotKnownAreNamedWithTheirLine) {
  const Outcome unknown = with("FADD", "FROB.X");
  EXPECT_EQ(unknown.status, ExitStatus::not_supported);
  EXPECT_EQ(unknown.error, ":16: opcode 'FROB' is not in the opcode table");
  const Outcome broken = with("FADD", "FADD[");
  EXPECT_EQ(broken.error.find(":16:"), 0u) << broken.error;
}

TEST_F(WholeTraceg, AFalseGuardCountsNoThreads) {
  ASSERT_EQ(import(kHeader + block(0) + block(1)).error, "");
  const auto steps = play(*trace_->block(BlockId(0))->warps[0]);
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_TRUE(steps[2].lanes.none());
  EXPECT_EQ(summarize(*trace_).thread_instructions, 2u * (32 + 4 + 0 + 32 + 8));
}

}  // namespace
}  // namespace sassim::trace
