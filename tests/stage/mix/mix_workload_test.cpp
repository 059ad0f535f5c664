// SPDX-License-Identifier: Apache-2.0
// The built-in workload: what it executes, where it reads, and whether its control bits are right.
#include "sim/sweep/mix_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "sim/base/error.h"
#include "sim/config/loader.h"
#include "sim/config/occupancy.h"
#include "sim/trace/doctor.h"

namespace sassim::sweep {
namespace {

using model::MixKind;

config::GpuConfig gpu(const std::string& name) {
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/" + name + ".yaml", {"sm.count=2"});
}

std::vector<trace::Step> steps(trace::BlockSource& source, std::uint64_t block, std::size_t warp) {
  std::vector<trace::Step> all;
  const auto made = source.block(BlockId(block));
  trace::Cursor cursor = made->warps.at(warp)->cursor();
  for (trace::Step step; cursor.next(step);) all.push_back(step);
  return all;
}

std::map<std::string, std::uint64_t> executed(trace::BlockSource& source) {
  std::map<std::string, std::uint64_t> counts;
  for (const trace::Step& step : steps(source, 0, 0)) ++counts[source.kernel().code[step.index].opcode];
  return counts;
}

TEST(MixWorkload, ExecutesAlphaAddsAfterEachOther) {
  const std::map<MixKind, std::string> opcodes{{MixKind::mem, "LDG"}, {MixKind::sfu, "MUFU"}, {MixKind::smem, "LDS"}};
  for (const auto& [kind, opcode] : opcodes)
    for (const double alpha : {0.0, 0.25, 1.0, 7.0, 600.0}) {
      MixWorkload workload;
      workload.kind = kind;
      workload.alpha = alpha;
      workload.groups = 20;
      const MixKernel made = make_mix(gpu("v100"), workload);
      auto counts = executed(*made.source);
      EXPECT_EQ(counts["FADD"], made.adds) << alpha;
      EXPECT_EQ(counts[opcode], made.others) << alpha;
      EXPECT_DOUBLE_EQ(static_cast<double>(made.adds), alpha * static_cast<double>(made.others));
      EXPECT_GE(made.others, 20u);
    }
}

TEST(MixWorkload, AddsAlone) {
  MixWorkload workload;
  workload.alpha = std::numeric_limits<double>::infinity();
  workload.groups = 1000;
  const MixKernel made = make_mix(gpu("v100"), workload);
  auto counts = executed(*made.source);
  EXPECT_EQ(counts["LDG"], 0u);
  EXPECT_EQ(counts["FADD"], made.adds);
  EXPECT_GE(made.adds, 1000u);
}

// Section 5.1: a loop of 500 to 1,000 instructions, and a prologue and epilogue of 10 to 20.
TEST(MixWorkload, SpendsLittleOnAnythingElse) {
  MixWorkload workload;
  workload.alpha = 3;
  workload.groups = 1000;
  const MixKernel made = make_mix(gpu("v100"), workload);
  EXPECT_LE(made.source->kernel().code.size(), 560u);
  EXPECT_LT(static_cast<double>(steps(*made.source, 0, 0).size()),
            1.015 * static_cast<double>(made.adds + made.others));
}

/// 128-byte lines that all loads of the kernel touch, with how often.
std::map<std::uint64_t, int> lines(const MixKernel& made) {
  std::map<std::uint64_t, int> touched;
  for (std::uint64_t b = 0; b < made.source->block_count(); ++b)
    for (std::uint32_t w = 0; w < made.warps_per_block; ++w)
      for (const trace::Step& step : steps(*made.source, b, w)) {
        if (!step.has_addresses) continue;
        std::set<std::uint64_t> of_step;
        for (int lane = 0; lane < kWarpSize; ++lane) of_step.insert(step.addresses[lane] / 128);
        for (const std::uint64_t line : of_step) ++touched[line];
      }
  return touched;
}

// Section 5.10: streaming loads are coalesced and read nothing twice; stride 2 takes two lines for each load.
TEST(MixWorkload, StreamsThroughMemoryOnce) {
  for (const std::uint32_t ilp : {1u, 2u, 4u})
    for (const auto& [pattern, lines_per_load] :
         {std::pair{AccessPattern::streaming, 1u}, {AccessPattern::stride_two, 2u}}) {
      MixWorkload workload;
      workload.ilp = ilp;
      workload.pattern = pattern;
      workload.warps = 8;
      workload.groups = 6;
      workload.rounds = 2;
      const MixKernel made = make_mix(gpu("v100"), workload);
      const auto touched = lines(made);
      EXPECT_EQ(touched.size(), made.source->block_count() * made.warps_per_block * made.others * lines_per_load);
      for (const auto& [line, times] : touched) ASSERT_EQ(times, 1);
    }
}

// Section 6.7: random accesses diverge fully.
TEST(MixWorkload, ScattersRandomLoads) {
  MixWorkload workload;
  workload.pattern = AccessPattern::random;
  workload.groups = 4;
  const MixKernel made = make_mix(gpu("v100"), workload);
  std::uint64_t loads = 0, sectors = 0;
  for (const trace::Step& step : steps(*made.source, 1, 2)) {
    if (!step.has_addresses) continue;
    ++loads;
    std::set<std::uint64_t> of_step;
    for (int lane = 0; lane < kWarpSize; ++lane) of_step.insert(step.addresses[lane] / kSectorBytes);
    sectors += of_step.size();
  }
  EXPECT_EQ(loads, made.others);
  EXPECT_GE(sectors, 31 * loads);
}

TEST(MixWorkload, IsTheSameEveryTime) {
  MixWorkload workload;
  workload.pattern = AccessPattern::random;
  EXPECT_EQ(make_mix(gpu("t4"), workload).source->hash(), make_mix(gpu("t4"), workload).source->hash());
}

// volkov_mix.cu as nvcc compiles it: 64-bit loads past the L1, and from alpha 32 on adds in loops of 16.
TEST(MixWorkload, MeasuredFormIsThatOfTheMicrobenchmark) {
  for (const double alpha : {2.0, 64.0}) {
    MixWorkload workload;
    workload.alpha = alpha;
    workload.groups = 12;
    workload.as_measured = true;
    const MixKernel made = make_mix(gpu("h200"), workload);
    EXPECT_EQ(made.bytes_per_load, 256u);
    auto counts = executed(*made.source);
    EXPECT_EQ(counts["LDG"], 12u);
    EXPECT_EQ(counts["FADD"], 12 * static_cast<std::uint64_t>(alpha));
    EXPECT_EQ(counts["BRA"], 4 + (alpha > 16 ? 12u * 4 : 0u));
    for (const isa::Instruction& instruction : made.source->kernel().code)
      if (instruction.opcode == "LDG") {
        EXPECT_NE(instruction.text().find("LDG.E.64.STRONG.GPU"), std::string::npos);
      }
  }
}

TEST(MixWorkload, StaggeredWarpsBeginApart) {
  MixWorkload workload;
  workload.alpha = 7;
  workload.groups = 16;
  workload.staggered = true;
  const MixKernel made = make_mix(gpu("v100"), workload);
  std::set<std::size_t> lengths;
  for (std::size_t warp = 0; warp < 4; ++warp) lengths.insert(steps(*made.source, 0, warp).size());
  EXPECT_GE(lengths.size(), 3u);
  // Three turns of four groups are whole.
  EXPECT_GE(*lengths.begin(), 12u * 8);
}

// A short run stands for one that reads the whole array: its blocks are as far apart.
TEST(MixWorkload, BlocksShareOutTheArray) {
  MixWorkload workload;
  workload.groups = 2;
  const MixKernel made = make_mix(gpu("v100"), workload);
  const auto touched = lines(made);
  EXPECT_GT(touched.rbegin()->first * 128 - touched.begin()->first * 128, workload.array_bytes / 4);
}

class OnEveryGpu : public ::testing::TestWithParam<const char*> {};

TEST_P(OnEveryGpu, TheDoctorFindsNothing) {
  const config::GpuConfig config = gpu(GetParam());
  trace::LintOptions options;
  options.arch = config.arch;
  options.latency = [&config](const isa::Decoded& decoded) {
    return config.sm.pipes.ops[static_cast<std::size_t>(decoded.op)].latency;
  };
  for (const MixKind kind : {MixKind::mem, MixKind::sfu, MixKind::smem})
    for (const double alpha : {0.0, 0.5, 1.0, 5.0, std::numeric_limits<double>::infinity()})
      for (const std::uint32_t ilp : {1u, 2u, 4u}) {
        MixWorkload workload;
        workload.kind = kind;
        workload.alpha = alpha;
        workload.ilp = ilp;
        workload.groups = 3;
        workload.as_measured = ilp == 1 && alpha == 5.0;
        const MixKernel made = make_mix(config, workload);
        for (const trace::Finding& finding : trace::lint(*made.source, options).findings)
          ADD_FAILURE() << finding.text();
      }
}

/// Every result that a counter guards is waited for by its first reader, and no sooner than the counter counts.
TEST_P(OnEveryGpu, WaitsForEveryCounter) {
  const config::GpuConfig config = gpu(GetParam());
  for (const MixKind kind : {MixKind::mem, MixKind::sfu, MixKind::smem})
    for (const double alpha : {0.0, 0.5, 2.0}) {
      MixWorkload workload;
      workload.kind = kind;
      workload.alpha = alpha;
      workload.ilp = 2;
      workload.groups = 3;
      const MixKernel made = make_mix(config, workload);
      std::map<int, std::pair<int, std::uint64_t>> in_flight;  // register -> counter, time of issue
      std::uint64_t now = 0;
      for (const trace::Step& step : steps(*made.source, 0, 0)) {
        const isa::Instruction& instruction = made.source->kernel().code[step.index];
        for (auto at = in_flight.begin(); at != in_flight.end();) {
          const bool waited = instruction.control.wait_mask >> at->second.first & 1;
          if (waited) {
            EXPECT_GE(now - at->second.second, 2u) << instruction.text();
          }
          at = waited ? in_flight.erase(at) : std::next(at);
        }
        const isa::Decoded decoded = isa::decode(instruction, config.arch);
        for (const isa::RegisterUse& use : decoded.reads)
          if (!use.uniform) {
            EXPECT_FALSE(in_flight.contains(use.first)) << instruction.text();
          }
        if (instruction.control.write_counter != isa::kNoCounter)
          in_flight[decoded.writes.at(0).first] = {instruction.control.write_counter, now};
        now += instruction.control.stall;
      }
      EXPECT_TRUE(in_flight.empty());
    }
}

// Section 5.7: each occupancy that shared memory can bring about, and no other.
TEST_P(OnEveryGpu, OccupancyIsWhatWasAsked) {
  const config::GpuConfig config = gpu(GetParam());
  for (std::uint32_t warps = config.sm.processing_blocks; warps <= config.sm.occupancy.warps;
       warps += config.sm.processing_blocks) {
    MixWorkload workload;
    workload.warps = warps;
    workload.groups = 1;
    const MixKernel made = make_mix(config, workload);
    const trace::KernelInfo& kernel = made.source->kernel();
    const auto result = config::occupancy(config.sm.occupancy, {static_cast<std::uint32_t>(kernel.block.count()),
                                                                kernel.registers, kernel.shared_bytes()});
    EXPECT_EQ(result.blocks * made.warps_per_block, warps);
    EXPECT_EQ(kernel.grid.x, config.sm.count * made.blocks_per_sm);
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, OnEveryGpu, ::testing::Values("t4", "v100", "h200"),
                         [](const auto& param) { return std::string(param.param); });

TEST(MixWorkload, RefusesWhatItCannotBuild) {
  const auto make = [](auto change) {
    MixWorkload workload;
    change(workload);
    make_mix(gpu("v100"), workload);
  };
  EXPECT_THROW(make([](MixWorkload& w) { w.alpha = 1.5; }), UsageError);
  EXPECT_THROW(make([](MixWorkload& w) { w.alpha = -1; }), UsageError);
  EXPECT_THROW(make([](MixWorkload& w) { w.alpha = std::nan(""); }), UsageError);
  EXPECT_THROW(make([](MixWorkload& w) { w.ilp = 3; }), UsageError);
  EXPECT_THROW(make([](MixWorkload& w) { w.warps = 0; }), UsageError);
  EXPECT_THROW(make([](MixWorkload& w) { w.warps = 65; }), UsageError);
  EXPECT_THROW(make([](MixWorkload& w) { w.groups = 0; }), UsageError);
  EXPECT_THROW(make([](MixWorkload& w) { w.as_measured = true, w.ilp = 2; }), UsageError);
  EXPECT_THROW(make([](MixWorkload& w) { w.as_measured = true, w.alpha = 40; }), UsageError);
}

}  // namespace
}  // namespace sassim::sweep
