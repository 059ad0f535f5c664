// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/units/shared/shared_memory.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "sim/base/input_file.h"
#include "sim/config/loader.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

using isa::OpClass;
using isa::Space;

/// What follows accept() of a load from shared memory.
std::uint64_t shared_tail(const config::Sm& sm) { return sm.shared.latency - sm.memory_io.pipeline; }

TEST(SharedMemory, DependentLoadTakesTheConfiguredLatencyFromIssue) {
  Bench bench;
  const auto load = decoded(OpClass::load_shared, Space::shared);
  EXPECT_EQ(bench.result_after(make_op(load, [](int lane) { return lane * 4; })), shared_tail(bench.sm));
  UnitOp uniform = make_op(load, [](int) { return 0; });
  uniform.uniform_address = true;
  EXPECT_EQ(bench.result_after(uniform), shared_tail(bench.sm) - bench.sm.memory_io.vector_result);
  EXPECT_EQ(*bench.times[0].sources_read, bench.times[0].accepted);
}

TEST(SharedMemory, ReadyAtItsCycleAndNotBefore) {
  Bench bench;
  const auto load = decoded(OpClass::load_shared, Space::shared);
  bench.pipeline.accept(UnitQueue::memory, make_op(load, [](int lane) { return lane * 4; }), Cycle{100});
  UnitEvent event;
  while (bench.pipeline.pop_event(Cycle{100}, event)) EXPECT_EQ(event.kind, UnitEvent::Kind::sources_read);
  EXPECT_FALSE(bench.pipeline.pop_event(Cycle{100} + (shared_tail(bench.sm) - 1), event));
  EXPECT_TRUE(bench.pipeline.pop_event(Cycle{100} + shared_tail(bench.sm), event));
}

/// When the data stage is free after an access to shared memory, in a stage of 64 bytes a cycle.
std::uint64_t held_by(OpClass op, int stride, LaneMask lanes) {
  config::Sm sm;
  sm.shared.bytes_per_cycle = 64;
  arch::SharedMemory memory(sm);
  DataStage data;
  const auto access = decoded(op, Space::shared);
  memory.access(make_op(
                    access, [&](int lane) { return lane * stride; }, lanes),
                Cycle{}, data);
  return data.free().value;
}

// t4-v100.md: two cycles for each access and two for each conflict, however few lanes take part.
TEST(SharedMemory, APassTakesTwoCyclesWhereTheStageHasHalfTheWidthOfTheBanks) {
  for (const OpClass op : {OpClass::load_shared, OpClass::store_shared}) {
    EXPECT_EQ(held_by(op, 4, LaneMask::all()), 2u);
    EXPECT_EQ(held_by(op, 4, LaneMask{1}), 2u) << "one lane";
    EXPECT_EQ(held_by(op, 4, LaneMask{}), 2u) << "lanes that are all off";
    EXPECT_EQ(held_by(op, 8, LaneMask::all()), 4u) << "a conflict of two words";
    EXPECT_EQ(held_by(op, 128, LaneMask{0xff}), 16u) << "a conflict of eight words";
  }
}

TEST(MemoryStage, ShufflesAndReadsOfSpecialRegistersOccupyItsEntryForTimesOfTheirOwn) {
  config::Sm sm;
  sm.shared.bytes_per_cycle = 64;
  sm.memory_io.accept_interval = 3;
  sm.memory_io.thread_index_interval = 1;
  sm.pipes.ops[static_cast<std::size_t>(OpClass::shuffle)].pipe = "shuffle";
  Bench bench(sm);
  const auto interval = [&](OpClass op) {
    const auto instruction = decoded(op, Space::none);
    return bench.pipeline.interval(make_op(instruction, [](int) { return 0; }));
  };
  EXPECT_EQ(interval(OpClass::load_shared), 3u);
  EXPECT_EQ(interval(OpClass::shuffle), 2u) << "a pass of the data stage";
  EXPECT_EQ(interval(OpClass::s2r), 1u);
}

class ConflictDegree : public testing::TestWithParam<int> {};

TEST_P(ConflictDegree, CostsOnePassPerDistinctWordOfTheFullestBank) {
  const int degree = GetParam();
  Bench bench;
  const auto load = decoded(OpClass::load_shared, Space::shared);
  // lanes 0 .. degree - 1 meet in bank 0, the others have one bank each
  const auto address = [&](int lane) { return lane < degree ? lane * 128 : (lane - degree + 1) * 4; };
  EXPECT_EQ(bench.result_after(make_op(load, address)),
            shared_tail(bench.sm) + (degree - 1) * bench.sm.shared.pass_latency);
  EXPECT_EQ(bench.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"), static_cast<std::uint64_t>(degree));
  EXPECT_EQ(bench.metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
            static_cast<std::uint64_t>(degree - 1));
}
INSTANTIATE_TEST_SUITE_P(Degrees, ConflictDegree, testing::Range(1, 32));

TEST(SharedMemory, WithoutBankConflictsEveryGroupTakesOnePass) {
  config::Sm sm;
  sm.shared.bank_conflicts = false;
  Bench bench(sm);
  const auto load = decoded(OpClass::load_shared, Space::shared);
  EXPECT_EQ(bench.result_after(make_op(load, [](int lane) { return lane * 128; })), shared_tail(sm));
  EXPECT_EQ(bench.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"), 1u);
  EXPECT_EQ(bench.metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), 0u);
}

TEST(SharedMemory, LanesOnOneWordShareIt) {
  Bench bench;
  const auto load = decoded(OpClass::load_shared, Space::shared);
  EXPECT_EQ(bench.result_after(make_op(load, [](int) { return 64; })), shared_tail(bench.sm));
  EXPECT_EQ(bench.result_after(make_op(load, [](int lane) { return lane / 2 * 4; })), shared_tail(bench.sm));
}

TEST(SharedMemory, WideAccessesGoByHalvesAndQuarters) {
  const auto shape = BankShape{};
  const auto passes = [&](int bytes, int stride) {
    std::array<std::uint64_t, 32> addresses{};
    for (std::size_t lane = 0; lane < 32; ++lane) addresses[lane] = lane * static_cast<std::size_t>(stride);
    return bank_passes(shape, addresses, LaneMask::all(), static_cast<std::uint32_t>(bytes)).passes;
  };
  EXPECT_EQ(passes(4, 4), 1u);
  EXPECT_EQ(passes(8, 8), 2u);
  EXPECT_EQ(passes(16, 16), 4u);
  EXPECT_EQ(passes(8, 16), 4u) << "each half meets twice per bank";
  EXPECT_EQ(passes(1, 1), 1u);
  EXPECT_EQ(passes(4, 12), 1u) << "odd strides never conflict";
}

// Every pattern that validation/programs/differential/shared_passes.cu ran on an H100.
TEST(SharedMemory, PassesAndConflictsOfEveryPatternAreThoseOfAGpu) {
  std::istringstream file(
      read_input_file(SASSIM_BINARY_DIR "/unpacked/outputs/shared_passes_h100.txt", kValidationFile));
  std::string op;
  std::uint32_t bits = 0, lanes = 0, passes = 0, conflicts = 0;
  int rows = 0;
  while (file >> op >> bits >> std::hex >> lanes >> std::dec >> passes >> conflicts) {
    std::array<std::uint64_t, 32> addresses{};
    for (std::uint64_t& address : addresses) {
      file >> address;
      address *= bits / 8;
    }
    const BankPasses got = bank_passes(BankShape{}, addresses, LaneMask{lanes}, bits / 8, op == "ld");
    ASSERT_EQ(got.passes, passes) << "row " << rows << ": " << op << bits;
    ASSERT_EQ(got.passes - got.ideal, conflicts) << "row " << rows << ": " << op << bits;
    ++rows;
  }
  EXPECT_EQ(rows, 2233);
}

// h200/shared-memory.md#shared-memory: an access whose lanes are all off takes a pass.
TEST(SharedMemory, AnAccessWithoutLanesTakesAPass) {
  const auto load = decoded(OpClass::load_shared, Space::shared);
  const auto store = decoded(OpClass::store_shared, Space::shared);
  const auto done = [&](int idle) {
    Bench bench;
    const std::uint32_t first = bench.issue(make_op(store, [](int lane) { return lane * 128; }));
    for (int i = 0; i < idle; ++i)
      bench.issue(make_op(
          load, [](int) { return 0; }, LaneMask{}));
    UnitOp last = make_op(load, [](int lane) { return lane * 4; });
    last.warp = WarpSlot{1};
    const std::uint32_t second = bench.issue(last);
    bench.drain();
    return (*bench.times[second].written_back - bench.times[first].accepted).value;
  };
  EXPECT_EQ(done(3), done(0) + 3);
}

// A quarter of a warp takes one pass, but its data return as late as those of all four quarters.
TEST(SharedMemory, DataOfAWideLoadTakeTheirTimeWithoutActiveLanesToo) {
  const auto cycles = [](OpClass op, LaneMask lanes) {
    const config::Sm sm;
    const auto wide = decoded(op, Space::shared, 16);
    arch::SharedMemory memory(sm);
    DataStage data;
    UnitOp access = make_op(
        wide, [](int lane) { return lane * 16; }, lanes);
    memory.access(access, Cycle{}, data);
    access.warp.value = 1;  // accesses of one warp follow each other for other reasons
    return memory.access(access, Cycle{}, data).start.value;
  };
  EXPECT_EQ(cycles(OpClass::load_shared, LaneMask::all()), 4u);
  EXPECT_EQ(cycles(OpClass::load_shared, LaneMask{0xff}), 4u);
  EXPECT_EQ(cycles(OpClass::store_shared, LaneMask{0xff}), 1u);
}

std::uint64_t wide_load(const config::Sm& sm, int bytes, int stride, LaneMask lanes) {
  Bench bench(sm);
  const auto load = decoded(OpClass::load_shared, Space::shared, static_cast<std::uint8_t>(bytes));
  return bench.result_after(make_op(
             load, [&](int lane) { return lane * stride; }, lanes)) +
         sm.memory_io.pipeline;
}

TEST(SharedMemory, WideLoadsFollowTheAmpereTable) {
  config::Sm sm;  // MICRO 2025 paper, table 2: load shared, regular address, 24 / 24 / 26 from issue
  sm.shared.latency = 24;
  sm.memory_io.return_bytes_per_cycle = 64;
  const std::uint64_t expected[] = {24, 24, 26};
  for (int log = 0; log < 3; ++log) EXPECT_EQ(wide_load(sm, 4 << log, 0, LaneMask{1}), expected[log]);
}

TEST(SharedMemory, WideLoadsTakeWhatAnH200Takes) {
  config::Sm sm;  // validation/measured: raw.load_shared_*, smem.stride.*
  sm.shared.latency = 23;
  EXPECT_EQ(wide_load(sm, 8, 0, LaneMask{1}), 23u);
  EXPECT_EQ(wide_load(sm, 16, 0, LaneMask{1}), 24u);
  const auto all = LaneMask::all();
  struct Row {
    int bytes, stride;
    std::uint64_t cycles;
  };
  for (const Row& row : {Row{4, 1, 23}, Row{4, 2, 25}, Row{4, 8, 37}, Row{4, 32, 85}, Row{8, 0, 23}, Row{8, 1, 26},
                         Row{8, 2, 30}, Row{8, 3, 26}, Row{8, 4, 38}, Row{8, 16, 86}, Row{16, 0, 26}, Row{16, 1, 32},
                         Row{16, 2, 40}, Row{16, 4, 56}, Row{16, 8, 88}})
    EXPECT_EQ(wide_load(sm, row.bytes, row.bytes * row.stride, all), row.cycles)
        << row.bytes << " bytes, stride " << row.stride;
}

TEST(SharedMemory, StoresReleaseTheirSourcesAsTheAmpereTableSays) {
  const std::uint64_t regular[] = {12, 14, 18}, uniform[] = {10, 12, 16};
  for (int log = 0; log < 3; ++log) {
    Bench bench;
    const auto store = decoded(OpClass::store_shared, Space::shared, static_cast<std::uint8_t>(4 << log));
    UnitOp op = make_op(store, [&](int lane) { return lane * (4 << log); });
    bench.issue(op);
    bench.drain();
    op.uniform_address = true;
    bench.issue(op);
    bench.drain();
    const auto from_issue = [&](std::size_t i) {
      return (*bench.times[i].sources_read - bench.times[i].accepted).value + bench.sm.memory_io.pipeline;
    };
    EXPECT_EQ(from_issue(0), regular[log]);
    EXPECT_EQ(from_issue(1), uniform[log]);
    EXPECT_TRUE(bench.times[0].acknowledged);
    EXPECT_FALSE(bench.times[0].written_back);
  }
}

TEST(SharedMemory, BandwidthIsOnePassPerCycle) {
  config::Sm sm;
  sm.memory_io.accept_interval = 1;
  for (int degree : {1, 2, 4, 8}) {
    Bench bench(sm);
    const auto load = decoded(OpClass::load_shared, Space::shared);
    const int count = 200;
    for (int i = 0; i < count; ++i) bench.issue(make_op(load, [&](int lane) { return lane * 4 * degree; }));
    const std::uint64_t last = bench.times.back().accepted.value;
    EXPECT_NEAR(static_cast<double>(last) / (count - 1), degree, 0.01 * degree + 8.0 * degree / count);
    bench.drain();
  }
}

// h200/shared-memory.md#shared-memory: a store of degree n and a load that waits for it take 28.4 + 2 (n - 1) cycles,
// loads of degree n of one warp 2 n each, of two warps n.
TEST(SharedMemory, AWarpsAccessesWaitForThePassesOfThoseBeforeThem) {
  const auto store = decoded(OpClass::store_shared, Space::shared);
  const auto load = decoded(OpClass::load_shared, Space::shared);
  const auto plain = [](int lane) { return lane * 4; };
  for (const int degree : {1, 4, 32}) {
    Bench bench;
    const auto fullest = [degree](int lane) { return lane < degree ? lane * 128 : (lane - degree + 1) * 4; };
    const std::uint32_t first = bench.issue(make_op(store, fullest));
    UnitOp of_another = make_op(load, plain);
    of_another.warp = WarpSlot{1};
    const std::uint32_t own = bench.issue(make_op(load, plain)), other = bench.issue(of_another);
    bench.drain();
    const config::MemoryIo& io = bench.sm.memory_io;
    const std::uint64_t later = io.store_release + io.store_vector_release + 1;
    const auto n = static_cast<std::uint64_t>(degree);
    EXPECT_EQ((*bench.times[own].written_back - bench.times[first].accepted).value,
              later + n + (n - 1) * (bench.sm.shared.pass_latency - 1) + shared_tail(bench.sm));
    EXPECT_EQ((*bench.times[other].written_back - bench.times[other].accepted).value,
              std::max<std::uint64_t>(n + 1, (bench.times[other].accepted - bench.times[first].accepted).value) -
                  (bench.times[other].accepted - bench.times[first].accepted).value + shared_tail(bench.sm));
  }
}

TEST(SharedMemory, MatrixLoadsAddTheirLatencyPerMatrix) {
  Bench bench;
  for (std::uint8_t matrices : {1, 2, 4}) {
    auto load = decoded(OpClass::load_shared, Space::shared, 16);
    load.matrices = matrices;
    EXPECT_EQ(bench.result_after(make_op(load, [](int lane) { return lane * 16; })),
              shared_tail(bench.sm) + (matrices - 1u) * bench.sm.shared.matrix_latency);
  }
}

/// What the reports measure: the time of an atomic and a load behind it, less that of the load alone.
std::uint64_t atomic_before_load(const config::Sm& sm, int contending) {
  const auto atomic = decoded(OpClass::atomic_shared, Space::shared);
  const auto load = decoded(OpClass::load_shared, Space::shared);
  const UnitOp read = make_op(
      load, [](int) { return 0; }, LaneMask{1});
  const auto address = [](int) { return 0; };
  Bench bench(sm);
  bench.issue(make_op(atomic, address, LaneMask{contending == 32 ? ~0u : (1u << contending) - 1}));
  const std::uint64_t start = bench.times[0].accepted.value;
  bench.now = Cycle{start + sm.memory_io.address_interval};
  const std::uint32_t token = bench.issue(read);
  bench.drain();
  Bench alone(sm);
  return bench.times[token].written_back->value - start - alone.result_after(read);
}

TEST(SharedAtomics, ContentionFollowsTheReports) {
  // T4 report (arXiv 1903.07486) table 7, which gives the V100 as well.
  for (const auto& [name, measured] :
       {std::pair{"t4", std::array{8, 10, 14, 22, 37, 69}}, std::pair{"v100", std::array{6, 7, 11, 18, 24, 66}}}) {
    const config::Sm sm = config::load_config(name).sm;
    for (int i = 0; i < 6; ++i)
      EXPECT_NEAR(static_cast<double>(atomic_before_load(sm, 1 << i)), measured[i], 1) << name << " " << (1 << i);
  }
}

TEST(SharedAtomics, LanesBetweenThePowersOfTwoLieOnAStraightLine) {
  config::Sm sm;
  sm.shared.atomic_hold = {6, 7, 11, 18, 24, 66};
  EXPECT_EQ(atomic_before_load(sm, 3) - atomic_before_load(sm, 2), 2u);
  EXPECT_EQ(atomic_before_load(sm, 24) - atomic_before_load(sm, 16), 21u);
}

TEST(SharedAtomics, ResultsComeAsOnAnH200) {
  config::Sm sm;  // validation/measured: 31 + 2 (n - 1)
  sm.shared.latency = 23;
  sm.shared.atomic_hold = {5, 7, 11, 19, 35, 67};
  Bench bench(sm);
  const auto atomic = decoded(OpClass::atomic_shared, Space::shared);
  for (int n : {1, 2, 8, 32})
    EXPECT_EQ(bench.result_after(make_op(
                  atomic, [](int) { return 0; }, LaneMask{n == 32 ? ~0u : (1u << n) - 1})) +
                  sm.memory_io.pipeline,
              31u + 2 * (static_cast<unsigned>(n) - 1));
}

TEST(SharedAtomics, OtherWarpsWaitForTheArrayOnly) {
  Bench bench;
  const auto atomic = decoded(OpClass::atomic_shared, Space::shared);
  UnitOp op = make_op(atomic, [](int lane) { return lane * 4; });
  bench.issue(op);
  const auto load = decoded(OpClass::load_shared, Space::shared);
  UnitOp other = make_op(load, [](int) { return 0; });
  other.warp = WarpSlot{1};
  const std::uint32_t token = bench.issue(other);
  bench.drain();
  EXPECT_EQ((*bench.times[token].written_back - bench.times[token].accepted).value, shared_tail(bench.sm));
}

// As Nsight Compute counts on an H200: `histogram_shared` 2.1 conflicts for each atomic, where 4.6 lanes more meet in a
// bank.
TEST(SharedAtomics, CountDifferentWordsOfABankOnly) {
  const auto atomic = decoded(OpClass::atomic_shared, Space::shared);
  const auto conflicts = [&](const AddressOf& address) {
    Bench bench;
    bench.issue(make_op(atomic, address));
    bench.drain();
    EXPECT_EQ(bench.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"),
              bench.metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum") + 1);
    return bench.metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum");
  };
  EXPECT_EQ(conflicts([](int lane) { return lane * 4; }), 0u);
  EXPECT_EQ(conflicts([](int) { return 0; }), 0u) << "one word";
  EXPECT_EQ(conflicts([](int lane) { return lane % 3 * 128; }), 2u) << "three words of a bank, eleven lanes on each";
}

// Warps of a block pass every n cycles with n lanes on a word (validation/measured/h200.json.xz, atomicthr.shared.*).
TEST(SharedAtomics, TheArrayTakesALaneEveryCycle) {
  const auto atomic = decoded(OpClass::atomic_shared, Space::shared);
  for (const std::uint32_t lanes : {1u, 2u, 8u, 32u}) {
    Bench bench;
    UnitOp op = make_op(
        atomic, [](int) { return 0; }, LaneMask{lanes == 32 ? ~0u : (1u << lanes) - 1});
    constexpr std::uint32_t kWarps = 4;
    std::uint32_t first = 0, last = 0;
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
      op.warp = WarpSlot{static_cast<std::uint8_t>(warp)};
      last = bench.issue(op);
      if (warp == 0) first = last;
    }
    bench.drain();
    const std::uint64_t apart = (*bench.times[last].written_back - *bench.times[first].written_back).value;
    EXPECT_EQ(apart, (kWarps - 1) * std::max(lanes, bench.sm.memory_io.accept_interval)) << lanes;
  }
}

// validation/measured/h200/shared-memory.md#shared-memory: 95 cycles a turn for any number of lanes on a word, three
// passes with the load.
TEST(SharedAtomics, ASpinTakesTwoPassesForAnyLanes) {
  auto spin = decoded(OpClass::atomic_shared, Space::shared);
  const auto result = [&](int lanes, std::uint32_t delay) {
    config::Sm sm;
    sm.shared.spin_delay = delay;
    Bench bench(sm);
    const std::uint64_t cycles = bench.result_after(make_op(
        spin, [](int) { return 0; }, LaneMask{lanes == 32 ? ~0u : (1u << lanes) - 1}));
    return std::pair{cycles, bench.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")};
  };
  const std::uint64_t other = result(1, 0).first;
  spin.spins = true;
  for (const int lanes : {1, 2, 32}) {
    EXPECT_EQ(result(lanes, 0), std::pair(other, 2ul)) << lanes;
    EXPECT_EQ(result(lanes, 7), std::pair(other + 7, 2ul)) << lanes;
  }
}

TEST(SharedMemory, NoLaneNoPass) {
  Bench bench;
  const auto load = decoded(OpClass::load_shared, Space::shared);
  EXPECT_EQ(bench.result_after(make_op(
                load, [](int) { return 0; }, LaneMask{})),
            shared_tail(bench.sm));
  EXPECT_EQ(bench.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"), 0u);
}

/// As an H200 counts them (validation/measured/h200/shared-memory.md#shared-memory).
TEST(SharedMemory, ShufflesThreadIndicesAndAccessesWithoutLanesAreOtherPasses) {
  Bench bench(config::load_config("h200").sm);  // whose shuffles and special registers leave the processing block
  const auto others = [&] { return bench.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum"); };
  const auto serve = [&](OpClass op, Space space, LaneMask lanes) {
    const isa::Decoded instruction = decoded(op, space);
    bench.issue(make_op(
        instruction, [](int lane) { return lane * 4; }, lanes));
    bench.drain();
  };
  serve(OpClass::load_shared, Space::shared, LaneMask::all());
  EXPECT_EQ(others(), 0u);
  serve(OpClass::load_shared, Space::shared, LaneMask{});
  EXPECT_EQ(others(), 1u);
  serve(OpClass::store_shared, Space::shared, LaneMask{});
  EXPECT_EQ(others(), 2u);
  serve(OpClass::load, Space::global, LaneMask{});
  EXPECT_EQ(others(), 3u);
  serve(OpClass::s2r, Space::none, LaneMask::all());
  EXPECT_EQ(others(), 4u);
  serve(OpClass::shuffle, Space::none, LaneMask::all());
  EXPECT_EQ(others(), 5u);
  EXPECT_EQ(bench.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), 6u);
}

TEST(SharedMemory, ImpossibleConfigurationsAreRefused) {
  config::Sm sm;
  sm.shared.latency = sm.memory_io.pipeline;
  EXPECT_THROW(Bench{sm}, InputError);
  sm = {};
  sm.shared.banks = 0;
  EXPECT_THROW(Bench{sm}, InputError);
}

}  // namespace
}  // namespace sassim::arch::test
