// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/doctor.h"

#include <gtest/gtest.h>

#include "sim/isa/assembly.h"
#include "sim/trace/memory_trace.h"
#include "sim/trace/summary.h"
#include "tests/unit/trace/streams.h"

namespace sassim::trace {
namespace {

constexpr std::uint32_t kLatency = 4;

struct Patient {
  KernelInfo kernel;
  std::vector<Step> steps;
  std::uint32_t latency = kLatency;
  int arch = 75;

  explicit Patient(const std::string& sass, std::uint32_t threads = 32) {
    kernel.name = "patient";
    kernel.sm = 75;
    kernel.block = {threads, 1, 1};
    kernel.static_shared = 128;
    kernel.code = isa::assemble(sass);
    for (std::uint32_t i = 0; i < kernel.code.size(); ++i)
      steps.push_back(plain(i, threads == 32 ? LaneMask::all() : LaneMask((1u << threads) - 1)));
  }

  std::vector<Finding> findings() const {
    LintOptions options;
    options.arch = arch;
    options.latency = [this](const isa::Decoded&) { return latency; };
    MemoryTrace all(kernel);
    auto block = std::make_shared<BlockTrace>();
    block->warps.push_back(record(kernel, steps));
    all.add(block);
    return lint(all, options).findings;
  }
};

void expect_one(const Patient& patient, Check check, const std::string& part) {
  const auto findings = patient.findings();
  ASSERT_EQ(findings.size(), 1u) << (findings.empty() ? "" : findings[0].text() + " / " + findings.back().text());
  EXPECT_EQ(findings[0].check, check) << findings[0].text();
  EXPECT_NE(findings[0].text().find(part), std::string::npos) << findings[0].text();
}

std::string pair_with_stall(int stall) {
  return "B------:R-:W-:-:S0" + std::to_string(stall) + " FADD R1, R2, R3 ;\n" +
         "B------:R-:W-:-:S01 FADD R4, R1, R1 ;\nB------:R-:W-:-:S05 EXIT ;\n";
}

TEST(Doctor, ADependenceMayBeAsCloseAsTheLatencyAndNoCloser) {
  EXPECT_TRUE(Patient(pair_with_stall(kLatency)).findings().empty());
  expect_one(Patient(pair_with_stall(kLatency - 1)), Check::dependence, "R1 of FADD at 0x0 after 3 cycles");
}

// As compilers do: a result that stays within its pipe, and the words of wide products, are early.
TEST(Doctor, WhatCompilersScheduleCloserIsFine) {
  const auto after = [](int stall, const std::string& producer, const std::string& consumer) {
    Patient patient("B------:R-:W-:-:S0" + std::to_string(stall) + " " + producer + " ;\nB------:R-:W-:-:S01 " +
                    consumer + " ;\nB------:R-:W-:-:S05 EXIT ;\n");
    patient.latency = 5;
    return patient.findings().size();
  };
  EXPECT_EQ(after(4, "IMAD R1, R2, R3, R4", "FFMA R5, R1, R6, R7"), 0u);
  EXPECT_EQ(after(3, "IMAD R1, R2, R3, R4", "FFMA R5, R1, R6, R7"), 1u);
  EXPECT_EQ(after(4, "IMAD R1, R2, R3, R4", "IADD3 R5, R1, R6, R7"), 1u);
  EXPECT_EQ(after(4, "IMAD.WIDE R2, R4, R5, R6", "IADD3 R8, R2, R9, RZ"), 0u) << "the lower word";
  EXPECT_EQ(after(4, "IMAD.WIDE R2, R4, R5, R6", "IADD3 R8, R3, R9, RZ"), 1u) << "the upper word";
  EXPECT_EQ(after(4, "IADD3 R7, R2, R3, R4", "IMAD.WIDE R8, R4, R5, R6"), 0u) << "the addend's upper word";
  EXPECT_EQ(after(4, "IADD3 R6, R2, R3, R4", "IMAD.WIDE R8, R4, R5, R6"), 1u) << "its lower word";
  EXPECT_EQ(after(2, "ULDC UR4, c[0x0][0x160]", "IADD3 R5, R1, UR4, R7"), 0u);
  EXPECT_EQ(after(2, "UIADD3 UR4, UR5, 0x1, URZ", "IADD3 R5, R1, UR4, R7"), 1u);
}

// 64-bit instructions: what goes to a queue reads its operands 4 cycles later, and a stall of 0 is a pair.
TEST(Doctor, ReadsOfQueuedShortInstructionsComeLater) {
  const auto after = [](int stall, const std::string& between, const std::string& consumer) {
    Patient patient("B------:R-:W-:-:S0" + std::to_string(stall) + " IADD R1, R2, R3 ;\n" + between +
                    "B------:R-:W-:-:S01 " + consumer + " ;\nB------:R-:W-:-:S05 EXIT ;\n");
    patient.kernel.sm = patient.arch = 61;
    patient.latency = 6;
    for (std::size_t i = 0; i < patient.kernel.code.size(); ++i)
      patient.kernel.code[i].pc = static_cast<std::uint32_t>(patient.kernel.layout().pc(i));
    return patient.findings().size();
  };
  EXPECT_EQ(after(6, "", "IADD R4, R1, R5"), 0u);
  EXPECT_EQ(after(5, "", "IADD R4, R1, R5"), 1u);
  EXPECT_EQ(after(2, "", "MUFU.RCP R4, R1"), 0u);
  EXPECT_EQ(after(1, "", "MUFU.RCP R4, R1"), 1u);
  EXPECT_EQ(after(5, "B------:R-:W-:-:S00 MOV R8, R9 ;\n", "IADD R4, R1, R5"), 1u) << "a pair takes no cycle";
  EXPECT_EQ(after(5, "B------:R-:W-:-:S01 MOV R8, R9 ;\n", "IADD R4, R1, R5"), 0u);
}

TEST(Doctor, StallsAddUpAlongThePath) {
  Patient patient(
      "B------:R-:W-:-:S01 ISETP.GT.AND P0, PT, R2, R3, PT ;\nB------:R-:W-:-:S02 MOV R9, R8 ;\n"
      "B------:R-:W-:-:S01 @P0 MOV R7, R8 ;\nB------:R-:W-:-:S05 EXIT ;\n");
  expect_one(patient, Check::dependence, "P0 of ISETP");
  patient.kernel.code[1].control.stall = 3;
  EXPECT_TRUE(patient.findings().empty());
}

TEST(Doctor, ThreadsThatDoNotShareAPathDoNotDependOnEachOther) {
  Patient patient(pair_with_stall(1));
  patient.steps[0].active = patient.steps[0].lanes = LaneMask(0xffff);
  patient.steps[1].active = patient.steps[1].lanes = LaneMask(0xffff0000);
  EXPECT_TRUE(patient.findings().empty());
}

TEST(Doctor, VariableLatencyIsLeftToTheCounters) {
  EXPECT_TRUE(Patient("B------:R-:W0:-:S01 MUFU.RCP R1, R2 ;\nB0-----:R-:W-:-:S01 FADD R4, R1, R1 ;\n"
                      "B------:R-:W-:-:S05 EXIT ;\n")
                  .findings()
                  .empty());
}

TEST(Doctor, FindsWarpsThatDoNotEnd) {
  Patient patient(pair_with_stall(4));
  patient.steps.pop_back();
  expect_one(patient, Check::truncated_warp, "0xffffffff");
  Patient half(pair_with_stall(4));
  half.steps.back().active = half.steps.back().lanes = LaneMask(0xff);
  expect_one(half, Check::truncated_warp, "0xffffff00 of 0xffffffff");
}

TEST(Doctor, FindsThreadsThatDoNotExistOrHaveGone) {
  Patient partial(pair_with_stall(4), 16);
  EXPECT_TRUE(partial.findings().empty());
  partial.steps[1].active = partial.steps[1].lanes = LaneMask(0x1ffff);
  const auto findings = partial.findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.back().check, Check::mask);
  Patient risen(pair_with_stall(4));
  risen.steps.push_back(plain(2));
  expect_one(risen, Check::mask, "after EXIT");
}

TEST(Doctor, FindsImpossibleAddresses) {
  const std::string sass = "B------:R-:W0:-:S02 LDS.64 R2, [R4] ;\nB0-----:R-:W-:-:S05 EXIT ;\n";
  Patient patient(sass);
  patient.kernel.static_shared = 32 * 8;
  patient.steps[0] = affine(0, 0, 8, isa::Space::shared);
  EXPECT_TRUE(patient.findings().empty());
  patient.kernel.static_shared = 32 * 8 - 1;
  expect_one(patient, Check::address, "beyond");
  patient.kernel.sm = patient.arch = 90;  // whose addresses begin with a part that is not the kernel's
  patient.steps[0] = affine(0, 1024 - 8, 8, isa::Space::shared);
  EXPECT_TRUE(patient.findings().empty());
  patient.steps[0] = affine(0, 1024, 8, isa::Space::shared);
  expect_one(patient, Check::address, "beyond");
  patient.kernel.sm = patient.arch = 75;
  patient.steps[0] = affine(0, 0, 4, isa::Space::shared);
  expect_one(patient, Check::address, "not aligned");
  patient.steps[0].has_addresses = false;
  expect_one(patient, Check::address, "no addresses");
  patient.steps[0].lanes = LaneMask(0);
  EXPECT_TRUE(patient.findings().empty()) << "a guard that is false everywhere";
}

TEST(Doctor, FindsUnknownOpcodesAndArchitectures) {
  Patient patient(pair_with_stall(4));
  patient.kernel.code[0].opcode = "FROB";
  expect_one(patient, Check::unknown_opcode, "FROB");
  Patient other(pair_with_stall(4));
  other.kernel.sm = 70;
  expect_one(other, Check::architecture, "sm_70");
}

TEST(Doctor, SaysOnceWhatHappensOften) {
  Patient patient(pair_with_stall(4));
  patient.steps.insert(patient.steps.begin(), 9, affine(0, 0, 0));
  const auto findings = patient.findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].times, 9u);
}

TEST(Doctor, LooksAtAsManyStepsAsItIsToldTo) {
  Patient patient(pair_with_stall(kLatency));
  MemoryTrace all(patient.kernel);
  auto block = std::make_shared<BlockTrace>();
  block->warps.push_back(record(patient.kernel, patient.steps));
  all.add(block);
  LintOptions options;
  options.max_steps = patient.steps.size();
  EXPECT_TRUE(lint(all, options).complete);
  --options.max_steps;
  const LintResult cut = lint(all, options);
  EXPECT_FALSE(cut.complete);
  EXPECT_TRUE(cut.findings.empty()) << "that a warp was not looked at to its end is no fault of the trace";
}

TEST(Doctor, AnInstructionWithoutThreadsNeedsAGuard) {
  Patient patient(pair_with_stall(kLatency));
  patient.steps[0].active = patient.steps[0].lanes = LaneMask(0);
  expect_one(patient, Check::mask, "no thread is active");
  patient.kernel.code[0].guard.index = 0;
  EXPECT_TRUE(patient.findings().empty());
}

TEST(Summary, CountsInstructionsByClass) {
  Patient patient(pair_with_stall(4));
  for (int i = 0; i < 1000; ++i) patient.steps.insert(patient.steps.begin(), plain(0, LaneMask(1)));
  MemoryTrace all(patient.kernel);
  auto block = std::make_shared<BlockTrace>();
  block->warps.push_back(record(patient.kernel, patient.steps));
  all.add(block);
  const Summary summary = summarize(all);
  EXPECT_EQ(summary.warp_instructions, 1003u);
  EXPECT_EQ(summary.thread_instructions, 1000u + 3 * 32);
  EXPECT_EQ(summary.by_class[static_cast<std::size_t>(isa::OpClass::fp32)], 1002u);
  EXPECT_EQ(summary.by_class[static_cast<std::size_t>(isa::OpClass::branch)], 1u);
  EXPECT_EQ(summary.instructions_run, 3u);
}

}  // namespace
}  // namespace sassim::trace
