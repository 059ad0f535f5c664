// SPDX-License-Identifier: Apache-2.0
// Copies to shared memory that run beside their warp, and barriers in shared memory: who waits for them, and for how
// long.
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

const std::string kCopy = "B------:R-:W-:-:S04 LDGSTS.E.BYPASS.128 [R4], [R2.64] ;\n";
const std::string kClose = "B------:R-:W0:-:S01 LDGDEPBAR ;\n";
/// A DEPBAR.LE issues, what follows waits.
const std::string kAfter = "B------:R-:W-:-:S02 NOP ;\nEXIT ;\n";
const std::string kNop = "B------:R-:W-:-:S08 NOP ;\n";

class AsyncCopy : public testing::Test {
 protected:
  /// Copies take longer than a group without any.
  AsyncCopy() { config.sm.l1.hit_latency = 100; }
  config::GpuConfig config = without_code_misses("h200");
  const config::MemoryIo& io = config.sm.memory_io;
  std::uint64_t copy_latency() const { return config.sm.l1.hit_latency; }  // FixedUnit's

  /// Issue cycle of the only execution of a line.
  static std::uint64_t at(const SmRun& run, std::uint32_t line, std::uint32_t warp = 0) {
    const auto all = run.issues_of(warp, line);
    EXPECT_EQ(all.size(), 1u) << "line " << line;
    return all.empty() ? 0 : all.front();
  }
};

TEST_F(AsyncCopy, AWaitForNoneLeftLastsUntilAllCopiesOfAllGroupsAreDone) {
  const SassKernel kernel(kCopy + kCopy + kClose + "B------:R-:W-:-:S02 DEPBAR.LE SB0, 0x0 ;\n" + kAfter, config.arch);
  const SmRun run = run_sm(config, kernel);
  EXPECT_EQ(at(run, 3), at(run, 2) + 1) << "though LDGDEPBAR's counter is seen later";
  EXPECT_EQ(at(run, 4), at(run, 1) + io.async_release + copy_latency())
      << "the first copy keeps the address stage for its second address";
  EXPECT_EQ(run.lines[4].cycles[index(StallReason::long_scoreboard)], at(run, 4) - (at(run, 3) + 2))
      << "as Nsight Compute counts it";
}

TEST_F(AsyncCopy, AGroupWithoutCopiesTakesItsOwnTime) {
  const SassKernel kernel(kClose + "B------:R-:W-:-:S02 DEPBAR.LE SB0, 0x0 ;\n" + kAfter, config.arch);
  const SmRun run = run_sm(config, kernel);
  EXPECT_EQ(at(run, 2), at(run, 0) + config.sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::async_wait)].latency);
}

TEST_F(AsyncCopy, AWaitForOneLeftLastsUntilTheGroupBeforeIsDone) {
  const std::string text = kCopy + kClose + kNop + kNop + kCopy + kClose;
  const SassKernel one(text + "B------:R-:W-:-:S02 DEPBAR.LE SB0, 0x1 ;\n" + kAfter, config.arch);
  const SmRun first = run_sm(config, one);
  EXPECT_EQ(at(first, 7), at(first, 0) + copy_latency());
  const SassKernel none(text + "B------:R-:W-:-:S02 DEPBAR.LE SB0, 0x0 ;\n" + kAfter, config.arch);
  const SmRun both = run_sm(config, none);
  EXPECT_EQ(at(both, 7), at(both, 4) + copy_latency());
  const SassKernel two(text + "B------:R-:W-:-:S02 DEPBAR.LE SB0, 0x2 ;\n" + kAfter, config.arch);
  const SmRun neither = run_sm(config, two);
  EXPECT_EQ(at(neither, 7), at(neither, 6) + 2);
}

/// The first group misses in the L1, the second hits: it is not done before the first.
TEST_F(AsyncCopy, GroupsEndInTheOrderInWhichTheyWereClosed) {
  const std::string warm = "B------:R-:W1:-:S02 LDG.E R8, [R2.64] ;\nB-1----:R-:W-:-:S02 MOV R9, R8 ;\n";
  const std::string hit = "B------:R-:W-:-:S01 LDGSTS.E [R4], [R2.64] ;\n";
  for (const std::string left : {"0x0", "0x1"}) {
    SassKernel kernel(
        warm + kCopy + kClose + hit + kClose + "B------:R-:W-:-:S02 DEPBAR.LE SB0, " + left + " ;\n" + kAfter,
        config.arch);
    kernel.addresses([](std::uint32_t, std::uint32_t line, std::uint64_t, int lane) {
      const auto place = static_cast<std::uint64_t>(lane);
      return line == 2 ? 0x10010000 + 16 * place : 0x10000000 + 4 * place;
    });
    const SmRun run = run_sm_with_memory(config, kernel);
    EXPECT_GT(at(run, 7), at(run, 2) + config.memory.fixed_latency) << left;
  }
}

TEST_F(AsyncCopy, WithoutControlBitsAWaitCountsGroups) {
  config.sm.issue.dependence = "scoreboard";
  const std::string text = kCopy + kClose + kNop + kNop + kCopy + kClose;
  const SassKernel one(text + "B------:R-:W-:-:S02 DEPBAR.LE SB0, 0x1 ;\n" + kAfter, config.arch);
  const SmRun run = run_sm(config, one);
  EXPECT_EQ(at(run, 7), at(run, 0) + copy_latency());
}

/// Warp 0 makes a barrier for `expected` arrivals, and after the block's barrier runs from "arrives" on; warp 1 waits
/// for the first phase.
class SharedBarrier : public AsyncCopy {
 protected:
  static constexpr std::uint64_t kAddress = 0x40;
  static constexpr trace::PhaseTest kOver{.phase = false, .over = true};

  SmRun meet(std::uint32_t expected, const std::string& arrives, trace::PhaseTest found = kOver,
             const std::string& how = ".TRYWAIT") {
    SassKernel kernel(
        "first:\nB------:R-:W0:-:S01 SYNCS.EXCH.64 URZ, [UR4], UR6 ;\n"
        "B0-----:R-:W-:-:S05 BAR.SYNC 0x0 ;\n" +
            arrives +
            "EXIT ;\n"
            "second:\nB------:R-:W-:-:S05 BAR.SYNC 0x0 ;\n"
            "check:\nB------:R-:W1:-:S02 SYNCS.PHASECHK.TRANS64" +
            how +
            " P0, [UR4], RZ ;\n"
            "after:\nB-1----:R-:W-:-:S05 NOP ;\nEXIT ;\n",
        config.arch);
    kernel.warps(2);
    kernel.entry([](std::uint32_t warp) { return warp == 0 ? "first" : "second"; });
    const std::uint32_t check = kernel.line_of("check");
    after_ = kernel.line_of("after");
    check_ = check;
    kernel.active_at(
        [this](std::uint32_t line) { return line == bytes_at_ || line == bulk_at_ ? LaneMask(1) : LaneMask::all(); });
    kernel.addresses([=, this, copies = copies_](std::uint32_t, std::uint32_t line, std::uint64_t, int lane) {
      if (line == bulk_at_) return std::uint64_t{0x10000000};
      return copies && line == 2 ? 0x10000000 + 16 * static_cast<std::uint64_t>(lane) : kAddress;
    });
    kernel.details([=, this](std::uint32_t, std::uint32_t line) {
      if (line == 0) return detail_of(trace::DetailKind::barrier_init, expected);
      if (line == bytes_at_) return detail_of(trace::DetailKind::barrier_bytes, bytes_);
      if (line == bulk_at_)
        return detail_of(trace::DetailKind::bulk_copy,
                         trace::BulkCopy{.units = bytes_ / 16, .barrier = kAddress}.bits());
      return line == check ? detail_of(found) : trace::Detail();
    });
    return run_sm(config, kernel);
  }
  /// When the waiting warp went on.
  std::uint64_t went_on(const SmRun& run) const { return at(run, after_, 1); }
  std::uint64_t check_alone(const SmRun& run) const { return at(run, check_, 1) + latency(); }
  std::uint64_t latency() const {
    return config.sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::async_wait)].latency;
  }
  std::uint32_t after_ = 0, check_ = 0;
  bool copies_ = false;  ///< the line behind the block's barrier is one
  std::uint32_t bytes_ = 0, bytes_at_ = ~0u,
                bulk_at_ = ~0u;  ///< bytes that an arrival and a bulk copy name: their lines
  const std::string arrive_ = "B------:R-:W-:-:S01 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ ;\n";
  const std::string delay_ = kNop + kNop + kNop + kNop + kNop + kNop + kNop + kNop + kNop + kNop;
};

TEST_F(SharedBarrier, AWaitEndsWithTheLastArrivalOfItsPhase) {
  const SmRun one = meet(32, delay_ + arrive_);
  EXPECT_EQ(went_on(one), at(one, 12) + io.pipeline + io.barrier_wake);
  EXPECT_EQ(one.lines[after_].cycles[index(StallReason::long_scoreboard)], went_on(one) - (at(one, check_, 1) + 2));
  const SmRun two = meet(64, arrive_ + delay_ + arrive_);
  EXPECT_EQ(went_on(two), at(two, 13) + io.pipeline + io.barrier_wake) << "32 threads each time";
}

TEST_F(SharedBarrier, ACheckOfAPhaseThatIsOverTakesItsOwnTime) {
  const SmRun run = meet(32, arrive_);
  const SmRun long_over = meet(32, arrive_);
  EXPECT_EQ(went_on(run), std::max(check_alone(run), at(run, 2) + io.pipeline + io.barrier_wake));
  EXPECT_EQ(went_on(long_over), went_on(run));
  EXPECT_EQ(went_on(meet(32, delay_ + arrive_, {.phase = true, .over = true})), check_alone(run))
      << "the phase before the first";
}

TEST_F(SharedBarrier, ATestThatFoundItsPhaseOpenDoesNotWait) {
  const SmRun run = meet(32, delay_ + arrive_, {}, "");
  EXPECT_EQ(went_on(run), check_alone(run));
}

TEST_F(SharedBarrier, ATryThatFoundItsPhaseOpenWaitsNoLongerThanItsLimit) {
  config.sm.memory_io.barrier_try_limit = 20;
  const SmRun late = meet(32, delay_ + arrive_, {});
  ASSERT_GT(at(late, 12), check_alone(late) + 20);
  EXPECT_EQ(went_on(late), check_alone(late) + 20);
  config.sm.memory_io.barrier_try_limit = 1000;
  const SmRun early = meet(32, delay_ + arrive_, {});
  EXPECT_EQ(went_on(early), at(early, 12) + io.pipeline + io.barrier_wake) << "the arrival ends the wait";
  config.sm.memory_io.barrier_try_limit = 0;
  const SmRun never = meet(32, delay_ + arrive_, {});
  EXPECT_EQ(went_on(never), check_alone(never));
}

// One that gives up leaves nothing behind: the arrival comes later, and the run ends.
TEST_F(SharedBarrier, ATryThatFoundItsPhaseOverHasNoLimit) {
  config.sm.memory_io.barrier_try_limit = 20;
  const SmRun run = meet(32, delay_ + arrive_);
  EXPECT_EQ(went_on(run), at(run, 12) + io.pipeline + io.barrier_wake);
}

TEST_F(SharedBarrier, NobodyWaitsForABarrierThatATraceDoesNotKnow) {
  const SmRun run = meet(0, delay_ + arrive_);
  EXPECT_EQ(went_on(run), check_alone(run));
}

TEST_F(SharedBarrier, ATransactionKeepsAPhaseOpenUntilItEnds) {
  const std::string begin = "B------:R-:W-:-:S01 SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [UR4], RZ ;\n";
  const std::string end = "B------:R-:W-:-:S01 ARRIVES.LDGSTSBAR.64.TRANSCNT [UR4] ;\n";
  const SmRun run = meet(32, begin + arrive_ + delay_ + end);
  EXPECT_EQ(went_on(run), at(run, 14) + io.pipeline + io.barrier_wake);
}

TEST_F(SharedBarrier, ExpectedBytesKeepAPhaseOpenUntilTheyAreComplete) {
  bytes_ = 64;
  bytes_at_ = 12;
  const std::string expect = "B------:R-:W-:-:S01 SYNCS.ARRIVE.TRANS64 RZ, [UR4], R2 ;\n";
  const SmRun open = meet(33, delay_ + expect + arrive_, {});
  EXPECT_EQ(went_on(open), check_alone(open) + io.barrier_try_limit) << "nobody completes them";
}

/// The bytes come with the copy's pieces of 512, and the arrival comes first.
TEST_F(SharedBarrier, ABulkCopyCompletesThePhaseWhenItsLastBytesAreWritten) {
  bytes_ = 2048;
  bytes_at_ = 2;
  bulk_at_ = 3;
  const SmRun run = meet(1,
                         "B------:R-:W-:-:S04 SYNCS.ARRIVE.TRANS64 RZ, [UR4], R2 ;\n"
                         "B------:R-:W-:-:S04 UBLKCP.S.G [UR6], [UR8], UR10 ;\n");
  // A piece a cycle, which may then wait three cycles for the lines of the piece before it.
  const std::uint64_t latency = config.sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::async_copy)].latency;
  const std::uint64_t least = at(run, 3) + latency + 3 + copy_latency() + io.barrier_wake;
  EXPECT_LE(went_on(run), least + 3 * 3) << "four pieces";
  EXPECT_GE(went_on(run), least - io.vector_address) << "its addresses come from no vector registers";
  const std::uint64_t of_four = went_on(run) - at(run, 3);
  bytes_ = 512;
  const SmRun small = meet(1,
                           "B------:R-:W-:-:S04 SYNCS.ARRIVE.TRANS64 RZ, [UR4], R2 ;\n"
                           "B------:R-:W-:-:S04 UBLKCP.S.G [UR6], [UR8], UR10 ;\n");
  EXPECT_GT(of_four, went_on(small) - at(small, 3));
}

TEST_F(SharedBarrier, ABulkCopyLeavesAPlaceInTheQueue) {
  config.sm.memory_io.queue = 1;
  bytes_ = 512;
  bulk_at_ = 2;
  EXPECT_THROW(meet(1, "B------:R-:W-:-:S04 UBLKCP.S.G [UR6], [UR8], UR10 ;\n"), InputError);
}

TEST_F(SharedBarrier, CopiesArriveWhenTheyAreDone) {
  copies_ = true;
  const SmRun run = meet(32, kCopy + "B------:R-:W-:-:S01 ARRIVES.LDGSTSBAR.64.ARVCNT [UR4] ;\n");
  EXPECT_EQ(went_on(run), at(run, 2) + copy_latency() + io.barrier_wake);
}

}  // namespace
}  // namespace sassim::arch::test
