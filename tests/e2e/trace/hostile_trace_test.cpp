// SPDX-License-Identifier: Apache-2.0
// Small traces that would take for ever, and names that a terminal or a JSON file cannot take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "sim/isa/assembly.h"
#include "sim/trace/bytes.h"
#include "sim/trace/sast_writer.h"
#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kTurns = std::uint64_t{1} << 46;

/// A warp that goes 2^46 times round a loop of two instructions, then comes to its EXIT.
std::shared_ptr<const trace::WarpStream> endless_warp() {
  trace::ByteWriter body, path;
  body.varint(2 * kTurns + 1);
  body.varint(2);  // segments: the loop, the EXIT
  body.delta(0);
  body.varint(2 << 1);
  body.delta(2);
  body.varint(1 << 1);
  body.varint(0);           // memory slots
  path.varint(0 << 2 | 1);  // the first segment, repeated
  path.varint(kTurns);
  path.varint(1 << 2);
  body.blob(path.view());
  body.blob({});
  return std::make_shared<trace::WarpStream>(trace::StreamBody::parse(body.take(), 3, "test"),
                                             std::vector<std::uint64_t>());
}

trace::KernelInfo kernel_named(const std::string& name) {
  trace::KernelInfo kernel;
  kernel.name = name;
  kernel.sm = 75;
  kernel.registers = 16;
  kernel.block = {32, 1, 1};
  kernel.code = isa::assemble(
      "B------:R-:W-:-:S01 FADD R1, R2, R3 ;\nB------:R-:W-:-:S05 BRA 0x0 ;\nB------:R-:W-:-:S05 EXIT ;\n");
  for (auto& instruction : kernel.code) instruction.low = 1;
  return kernel;
}

void write(const std::string& path, const trace::KernelInfo& kernel, std::shared_ptr<const trace::WarpStream> warp) {
  trace::SastWriter writer(path);
  trace::BlockTrace block;
  block.warps = {std::move(warp)};
  writer.add_block(writer.begin_kernel(kernel), block);
  writer.finish();
}

std::shared_ptr<const trace::WarpStream> short_warp(const trace::KernelInfo& kernel) {
  trace::WarpStreamBuilder builder(kernel);
  for (const std::uint32_t index : {0u, 2u}) {
    trace::Step step;
    step.index = index;
    step.active = step.lanes = LaneMask::all();
    builder.append(step);
  }
  return builder.finish();
}

class EndlessTrace : public testing::Test {
 protected:
  void SetUp() override { write(file_, kernel_named("endless"), endless_warp()); }
  /// With a limit that only something endless reaches.
  Outcome sassim(const std::string& arguments) const {
    return run_command("timeout 60 " SASSIM_BINARY_DIR "/sassim " + arguments);
  }
  const TestFolder folder_;
  const std::string file_ = folder_ / "endless.sast";
};

TEST_F(EndlessTrace, LintLooksAtSoManyStepsAndSaysSo) {
  const Outcome lint = sassim("trace lint " + file_ + " --config t4 --max-steps 1000000");
  EXPECT_EQ(lint.status, 0) << lint.err;
  EXPECT_THAT(lint.out, HasSubstr("only the first 1000000 warp instructions were looked at"));
  EXPECT_EQ(sassim("trace lint " + file_).status, 0) << "by default too";
}

TEST_F(EndlessTrace, InfoCountsItWithoutWalking) {
  EXPECT_THAT(sassim("trace info " + file_).out, HasSubstr("140737488355329 (32.0 threads active"));
}

TEST_F(EndlessTrace, DumpEndsAtItsLimit) {
  EXPECT_THAT(sassim("trace dump " + file_ + " --limit 5").out, HasSubstr("--limit 5 reached"));
}

TEST_F(EndlessTrace, RunRefusesItAndTakesALimit) {
  const Outcome refused = sassim("run " + file_ + " --config t4");
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("kernel endless executes 140737488355329 warp instructions"));
  EXPECT_THAT(refused.err, HasSubstr("--max-cycles"));
  for (const char* threads : {"1", "3"}) {
    const Outcome limited = sassim("run " + file_ + " --config t4 --max-cycles 100000 --threads " + threads);
    EXPECT_EQ(limited.status, 5);
    EXPECT_EQ(limited.out, "");
    EXPECT_EQ(limited.err,
              "sassim: the kernel has not ended after 100000 cycles, which is the limit that was set (--max-cycles): 0 "
              "of 1 thread blocks have ended\n");
  }
}

TEST_F(EndlessTrace, ExploreRefusesItToo) {
  const Outcome explore = sassim("explore " + file_ + " --config t4 --vary l1.size=32KiB,64KiB --out " + folder_ / "o");
  EXPECT_NE(explore.status, 0);
  EXPECT_NE(explore.status, 124) << "it ran on";
}

TEST(MaxCycles, AKernelMayTakeAsManyCyclesAsTheLimitAndNoMore) {
  const TestFolder folder;
  const std::string run = "run " SASSIM_BINARY_DIR "/traces/sm_75/add_sums.sast --config t4 ";
  ASSERT_EQ(sassim_run(run + "--json " + folder / "a.json").status, 0);
  const Outcome cycles = run_command("python3 -c \"import json; print(json.load(open('" + folder / "a.json" +
                                     "'))['kernels'][0]['metrics']['gpc__cycles_elapsed.max'])\"");
  const long taken = std::stol(cycles.out);
  EXPECT_EQ(sassim_run(run + "--max-cycles " + std::to_string(taken)).status, 0);
  EXPECT_EQ(sassim_run(run + "--max-cycles " + std::to_string(taken - 1)).status, 5);
}

TEST(HostileNames, AreShownAndNotObeyed) {
  const TestFolder folder;
  const std::string file = folder / "a.sast";
  const trace::KernelInfo kernel = kernel_named(
      "k\xff\xc2\x9b"
      "2J\x7f");
  write(file, kernel, short_warp(kernel));
  const std::string shown = "k\\xff\\xc2\\x9b2J\\x7f";
  for (const std::string& command :
       {"trace info " + file, "trace dump " + file, "trace info " + file + " --json -", "run " + file + " --config t4",
        "run " + file + " --config t4 --json " + folder / "r.json" + " && cat " + folder / "r.json",
        "run " + file + " --config t4 --csv " + folder / "r.csv" + " && cat " + folder / "r.csv"}) {
    const Outcome outcome = sassim_run(command);
    EXPECT_EQ(outcome.status, 0) << command << outcome.err;
    std::string text = outcome.out;
    for (std::size_t at = 0; (at = text.find("\\\\", at)) != std::string::npos; ++at) text.erase(at, 1);  // of JSON
    EXPECT_THAT(text, HasSubstr(shown)) << command;
    for (const char byte : outcome.out) ASSERT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~')) << command;
  }
  const Outcome wrong = sassim_run("run " + file + " --config v100");
  EXPECT_EQ(wrong.status, 3);
  EXPECT_THAT(wrong.err, HasSubstr(shown));
}

TEST(HostileNames, AFileNameThatIsNotUtf8IsNoInternalError) {
  const TestFolder folder;
  const std::string file = folder / "a\xff.sast";
  const trace::KernelInfo kernel = kernel_named("k");
  write(file, kernel, short_warp(kernel));
  EXPECT_EQ(sassim_run("trace info '" + file + "' --json -").status, 0);
  EXPECT_EQ(sassim_run("run '" + file + "' --config t4 --json " + folder / "r.json").status, 0);
  const Outcome explore = sassim_run("explore '" + file + "' --config t4 --vary l1.size=32KiB --out " + folder / "o");
  EXPECT_EQ(explore.status, 3) << explore.err;
  EXPECT_THAT(explore.err, HasSubstr("rename the file"));
}

TEST(HostileFiles, PipesAndFoldersAreRefusedAtOnce) {
  const TestFolder folder;
  for (const char* name : {"p.sast", "p.traceg", "p.traceg.xz", "p"}) {
    ASSERT_EQ(::mkfifo((folder / name).c_str(), 0600), 0);
    for (const std::string& command : {"trace info " + folder / name, "run --config t4 " + folder / name}) {
      const Outcome outcome = run_command("timeout 10 " SASSIM_BINARY_DIR "/sassim " + command);
      EXPECT_EQ(outcome.status, 3) << command;
      EXPECT_THAT(outcome.err, HasSubstr("is a folder, a pipe or a device")) << command;
    }
  }
  EXPECT_EQ(sassim_run("run --config t4 " + folder / "").status, 3);
  EXPECT_EQ(sassim_run("sass --config t4 " + folder / "").status, 3);
}

}  // namespace
}  // namespace sassim
