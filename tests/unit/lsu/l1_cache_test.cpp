// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sim/config/gpu_config.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

using isa::OpClass;
using isa::Space;

const isa::Decoded kLoad = decoded(OpClass::load, Space::global);
const isa::Decoded kStore = decoded(OpClass::store, Space::global);

std::uint64_t before_accept(const config::Sm& sm) { return sm.memory_io.pipeline + sm.memory_io.vector_address; }
/// accept() to the dependent instruction when the L1 misses: lookup in the next cycle, out, back, into the registers.
std::uint64_t miss_after(const Bench& bench) {
  return 1 + bench.sm.l1.miss_latency + bench.port.latency + bench.sm.l1.fill_latency;
}
UnitOp coalesced(const isa::Decoded& d, std::uint64_t base, std::uint64_t bytes = 4) {
  return make_op(d, [=](int lane) { return base + static_cast<std::uint64_t>(lane) * bytes; });
}

TEST(L1Cache, HitTakesTheConfiguredLatencyFromIssueAndAMissTheSumOfItsParts) {
  Bench bench;
  bench.result_after(coalesced(kLoad, 0));  // brings the page
  EXPECT_EQ(bench.result_after(coalesced(kLoad, 4096)), miss_after(bench));
  EXPECT_EQ(bench.result_after(coalesced(kLoad, 4096)), bench.sm.l1.hit_latency - before_accept(bench.sm));
  EXPECT_EQ(bench.result_after(make_op(
                kLoad, [](int) { return 4096; }, LaneMask{1})),
            bench.sm.l1.hit_latency - before_accept(bench.sm));
}

TEST(L1Cache, ALoadOfSeveralLinesMaySaveAPartOfTheWayOut) {
  const auto after = [](std::uint32_t saved, std::uint64_t bytes) {
    config::Sm sm;
    sm.l1.lines_save = saved;
    Bench bench(sm);
    bench.result_after(coalesced(kLoad, 0));
    return bench.result_after(coalesced(kLoad, 4096, bytes));
  };
  EXPECT_EQ(after(3, 4), after(0, 4));
  EXPECT_EQ(after(3, 8) + 3, after(0, 8));
}

TEST(L1Cache, TranslationComesFirst) {
  Bench bench;
  bench.port.walk = 33;
  EXPECT_EQ(bench.result_after(coalesced(kLoad, 0)),
            1 + bench.sm.l1.miss_latency + bench.port.walk + bench.port.latency + bench.sm.l1.fill_latency);
  EXPECT_EQ(bench.port.count(RequestKind::translation), 1u);
}

std::uint64_t hit(const config::Sm& sm, const UnitOp& op) {
  Bench bench(sm);
  bench.result_after(op);
  return bench.result_after(op) + sm.memory_io.pipeline + (op.uniform_address ? 0 : sm.memory_io.vector_address);
}

TEST(L1Cache, TheTlbCoversItsEntriesTimesItsPage) {
  Bench bench;
  const std::uint64_t pages = bench.sm.tlb.entries;
  std::uint64_t next_line = 0;
  const auto walk = [&](std::uint64_t count) {
    const std::size_t before = bench.port.count(RequestKind::translation);
    for (int again = 0; again < 2; ++again)
      for (std::uint64_t page = 0; page < count; ++page) {
        // another line each time, so that the L1 misses and asks for the translation
        bench.result_after(make_op(
            kLoad, [&](int) { return page * bench.sm.tlb.page + (next_line += 128) % 65536; }, LaneMask{1}));
        bench.limit = bench.now.value + 100'000;
      }
    return bench.port.count(RequestKind::translation) - before;
  };
  EXPECT_EQ(walk(pages), pages);
  bench.start_kernel(0, false);
  EXPECT_EQ(walk(pages + 1), 2 * (pages + 1)) << "LRU: a walk over one page more misses throughout";
}

// h200/l1.md#load-latencies: hits of one warp wait for the passes of those before them, which are two cycles apart;
// those of other warps for the array only.
TEST(L1Cache, AWarpsLoadsFollowOneAnother) {
  constexpr std::uint64_t kLines = 32;
  const auto from_first_to_second = [](std::uint8_t warp) {
    Bench bench;
    const UnitOp op = make_op(kLoad, [](int lane) { return static_cast<std::uint64_t>(lane) * 128; });
    bench.result_after(op);
    const std::uint32_t first = bench.issue(op);
    UnitOp other = op;
    other.warp = WarpSlot{warp};
    const std::uint32_t second = bench.issue(other);
    bench.drain();
    return (*bench.times[second].written_back - *bench.times[first].written_back).value;
  };
  const std::uint64_t apart = Bench().sm.shared.pass_latency - 1;
  EXPECT_EQ(from_first_to_second(0) - from_first_to_second(1), (kLines - 1) * apart);
}

// h200/l1.md#load-latencies: loads that wait for lines in flight take as many passes as hits do.
TEST(L1Cache, LoadsThatMissTakeTheirPassesOfTheDataStage) {
  constexpr int kLoads = 8, kLines = 32;
  const auto cycles = [](std::uint64_t apart) {
    Bench bench;
    bench.result_after(coalesced(kLoad, 1 << 20));
    std::vector<std::uint32_t> loads;
    for (std::uint64_t i = 0; i < kLoads; ++i) {
      UnitOp op = make_op(kLoad, [=](int lane) { return static_cast<std::uint64_t>(lane) * apart + i * 4; });
      op.warp = WarpSlot{static_cast<std::uint8_t>(i)};
      loads.push_back(bench.issue(op));
    }
    bench.drain();
    return (*bench.times[loads.back()].written_back - bench.times[loads.front()].accepted).value;
  };
  EXPECT_GE(cycles(128), cycles(128 + 4) + (kLoads - 2) * kLines) << "words of one bank";
}

// t4-v100.md#warps-of-a-block-that-loads: where the data stage moves two sectors a cycle, so does the tag stage.
TEST(L1Cache, WordsThatBeginInTheMiddleOfALineTakeLongerInANarrowTagStage) {
  constexpr std::uint64_t kLoads = 32;
  const auto each = [](std::uint32_t width, std::uint64_t first_byte) {
    config::Sm sm;
    sm.l1.tags_per_cycle = 1;
    sm.l1.bytes_per_cycle = sm.shared.bytes_per_cycle = width;
    sm.l1.tag_bytes = width;
    Bench bench(sm);
    bench.result_after(coalesced(kLoad, 4096));
    bench.result_after(coalesced(kLoad, 4096 + 128));
    std::vector<std::uint32_t> loads;
    for (std::uint64_t i = 0; i < kLoads; ++i) {
      UnitOp op = coalesced(kLoad, 4096 + first_byte);
      op.warp = WarpSlot{static_cast<std::uint8_t>(i)};
      loads.push_back(bench.issue(op));
    }
    bench.drain();
    return static_cast<double>((*bench.times[loads.back()].written_back - *bench.times[loads[8]].written_back).value) /
           static_cast<double>(kLoads - 9);
  };
  EXPECT_EQ(each(64, 0), 2);
  EXPECT_EQ(each(64, 8), 3) << "four sectors and one";
  EXPECT_EQ(each(64, 40), 3) << "three sectors and two";
  EXPECT_EQ(each(128, 8), each(128, 0)) << "a stage as wide as a line";
}

TEST(L1Cache, AMissBehindAMissingPageIsNotHeldUp) {
  Bench bench;
  bench.port.walk = 500;
  bench.result_after(coalesced(kLoad, 0));
  const auto far = bench.issue(coalesced(kLoad, 64 * bench.sm.tlb.page));
  const auto near = bench.issue(coalesced(kLoad, 4096));
  bench.drain();
  EXPECT_LT(*bench.times[near].written_back, *bench.times[far].written_back);
}

TEST(L1Cache, AmpereTable) {
  config::Sm sm;  // MICRO 2025 paper, table 2: load global 32 / 34 / 38 regular, 29 / 31 / 35 uniform; sources 11 / 9
  sm.l1.hit_latency = 32;
  sm.memory_io.return_bytes_per_cycle = 64;
  const std::uint64_t regular[] = {32, 34, 38}, uniform[] = {29, 31, 35};
  for (int log = 0; log < 3; ++log) {
    const auto load = decoded(OpClass::load, Space::global, static_cast<std::uint8_t>(4 << log));
    UnitOp op = make_op(
        load, [](int) { return 0; }, LaneMask{1});
    EXPECT_EQ(hit(sm, op), regular[log]);
    op.uniform_address = true;
    EXPECT_EQ(hit(sm, op), uniform[log]);
  }
}

TEST(L1Cache, WideLoadsTakeWhatAnH200Takes) {
  config::Sm sm;  // validation/measured: raw.load_global_*
  sm.l1.hit_latency = 31;
  const std::uint64_t one_lane[] = {31, 32, 34}, all_lanes[] = {31, 34, 40};
  for (int log = 0; log < 3; ++log) {
    const auto load = decoded(OpClass::load, Space::global, static_cast<std::uint8_t>(4 << log));
    EXPECT_EQ(hit(sm, make_op(
                          load, [](int) { return 0; }, LaneMask{1})),
              one_lane[log]);
    EXPECT_EQ(hit(sm, coalesced(load, 0, 4ull << log)), all_lanes[log]);
  }
}

TEST(L1Cache, StoresReleaseTheirSourcesAsTheAmpereTableSays) {
  const std::uint64_t regular[] = {14, 16, 20}, uniform[] = {10, 12, 16};
  for (int log = 0; log < 3; ++log) {
    Bench bench;
    const auto store = decoded(OpClass::store, Space::global, static_cast<std::uint8_t>(4 << log));
    UnitOp op = coalesced(store, 0, 4ull << log);
    const std::uint32_t first = bench.issue(op);
    op.uniform_address = true;
    bench.drain();
    const std::uint32_t second = bench.issue(op);
    bench.drain();
    const auto released = [&](std::uint32_t token) {
      return (*bench.times[token].sources_read - bench.times[token].accepted).value;
    };
    EXPECT_EQ(released(first) + before_accept(bench.sm), regular[log]);
    EXPECT_EQ(released(second) + bench.sm.memory_io.pipeline, uniform[log]);
    EXPECT_TRUE(bench.times[first].acknowledged && !bench.times[first].written_back);
  }
}

TEST(L1Cache, AsyncCopyFollowsTheAmpereTable) {
  config::Sm sm;
  sm.l1.hit_latency = 32;
  Bench bench(sm);
  const auto copy = decoded(OpClass::async_copy, Space::global);
  bench.result_after(coalesced(copy, 0));
  EXPECT_EQ(bench.result_after(coalesced(copy, 0)) + before_accept(sm), 39u);
  EXPECT_EQ((*bench.times[1].sources_read - bench.times[1].accepted).value + before_accept(sm), 13u);
}

TEST(L1Cache, LaterLoadsJoinTheOneThatIsUnderWay) {
  Bench bench;
  bench.result_after(coalesced(kLoad, 0));
  const std::size_t before = bench.port.count(RequestKind::load);
  const auto a = bench.issue(coalesced(kLoad, 8192));
  const auto b = bench.issue(coalesced(kLoad, 8192));
  bench.drain();
  EXPECT_EQ(bench.port.count(RequestKind::load), before + 1);
  EXPECT_EQ(bench.times[b].written_back->value, bench.times[a].written_back->value + 1)
      << "the data stage serves one at a time";
  EXPECT_EQ(bench.metric("sassim__l1_sectors_pending_hit.sum"), 4u);
}

TEST(L1Cache, APerfectOneAnswersEveryLoadItself) {
  config::Sm sm;
  sm.l1.perfect = true;
  Bench bench(sm);
  EXPECT_EQ(bench.result_after(coalesced(kLoad, 4096)), sm.l1.hit_latency - before_accept(sm));
  EXPECT_EQ(bench.port.count(RequestKind::load), 0u);
  EXPECT_EQ(bench.metric("l1tex__t_sectors_lookup_hit.sum"), 4u);
  bench.result_after(coalesced(kStore, 4096));
  EXPECT_EQ(bench.port.count(RequestKind::store), 1u) << "stores go on to the L2";
}

/// For what-if studies: different addresses become neighbours, and lanes that share an address still do.
TEST(L1Cache, CoalescedAccessesTouchAsFewSectorsAsTheirDataFill) {
  config::Sm sm;
  sm.l1.coalesced = true;
  const auto sectors = [&](isa::OpClass op, const std::function<std::uint64_t(int)>& address) {
    const isa::Decoded access = decoded(op, Space::global);
    Bench bench(sm);
    bench.issue(make_op(access, address));
    bench.drain();
    return bench.metric("l1tex__t_sectors.sum");
  };
  const auto scattered = [](int lane) { return std::uint64_t{4096} * static_cast<std::uint64_t>(lane); };
  EXPECT_EQ(sectors(OpClass::load, scattered), 4u);
  EXPECT_EQ(sectors(OpClass::store, scattered), 4u);
  EXPECT_EQ(sectors(OpClass::reduction, scattered), 4u);
  EXPECT_EQ(sectors(OpClass::load, [](int) { return std::uint64_t{4096}; }), 1u) << "a broadcast stays one";
  EXPECT_EQ(sectors(OpClass::load, [](int lane) { return std::uint64_t{4096} * static_cast<std::uint64_t>(lane % 8); }),
            1u);
}

class Watcher : public AccessObserver {
 public:
  void l1_access(SmId sm, const CacheAccess& access) override {
    EXPECT_EQ(sm, SmId(3));
    seen.push_back(access);
  }
  std::vector<CacheAccess> seen;
};

TEST(L1Cache, AnObserverSeesEveryLineOnceInOrder) {
  Bench bench;
  Watcher watcher;
  bench.start_kernel(0, true, &watcher);
  bench.result_after(make_op(kLoad, [](int lane) { return 256 + lane * 8; }));
  bench.result_after(make_op(
      kStore, [](int) { return 512; }, LaneMask{1}));
  bench.result_after(coalesced(decoded(OpClass::atomic, Space::global), 512));
  ASSERT_EQ(watcher.seen.size(), 4u);
  EXPECT_EQ(watcher.seen[0].line, 256u);
  EXPECT_EQ(watcher.seen[1].line, 384u);
  EXPECT_EQ(watcher.seen[1].sectors, 0xfu);
  EXPECT_EQ(watcher.seen[2].kind, CacheAccess::Kind::write);
  EXPECT_EQ(watcher.seen[2].sectors, 1u);
  EXPECT_EQ(watcher.seen[2].partial, 1u);
  EXPECT_EQ(watcher.seen[3].kind, CacheAccess::Kind::pass_by);
}

TEST(L1Cache, SectorsAreFetchedOneByOne) {
  Bench bench;
  const auto one = [](std::uint64_t address) {
    return make_op(
        kLoad, [=](int) { return address; }, LaneMask{1});
  };
  bench.result_after(one(0));
  bench.result_after(one(32));
  bench.result_after(one(36));
  ASSERT_EQ(bench.port.count(RequestKind::load), 2u);
  EXPECT_EQ(bench.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum"), 2u);
  EXPECT_EQ(bench.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"), 1u);
}

TEST(L1Cache, StrongLoadsGoToTheL2) {
  Bench bench;
  auto strong = kLoad;
  strong.bypasses_l1 = true;
  bench.result_after(coalesced(kLoad, 0));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bench.result_after(coalesced(strong, 0)), miss_after(bench));
  EXPECT_EQ(bench.result_after(coalesced(kLoad, 0)), miss_after(bench)) << "the copy may be stale";
}

// h200/l1.md#l1-replacement: a word that was stored is read back from the L1, its neighbour is not.
TEST(L1Cache, StoresWriteThroughAndAllocateTheBytesThatTheyWrite) {
  for (const char* policy : {"allocate", "no_allocate"}) {
    config::Sm sm;
    sm.l1.write_policy = policy;
    Bench bench(sm);
    bench.issue(coalesced(kStore, 0));
    bench.issue(make_op(
        kStore, [](int) { return 256; }, LaneMask{1}));
    bench.drain();
    ASSERT_EQ(bench.port.count(RequestKind::store), 2u);
    EXPECT_EQ(bench.port.sent[1].partial, 0u);
    EXPECT_EQ(bench.port.sent[2].partial, 1u) << "4 of 32 bytes";
    const bool allocates = sm.l1.write_policy == "allocate";
    bench.result_after(coalesced(kLoad, 0));
    EXPECT_EQ(bench.port.count(RequestKind::load), allocates ? 0u : 1u) << policy;
    const auto one = [](std::uint64_t address) {
      return make_op(
          kLoad, [address](int) { return address; }, LaneMask{1});
    };
    bench.result_after(one(256));
    EXPECT_EQ(bench.port.count(RequestKind::load), allocates ? 0u : 2u) << "what it wrote";
    bench.result_after(one(260));
    EXPECT_EQ(bench.port.count(RequestKind::load), allocates ? 1u : 2u) << "the rest of the sector is not there";
  }
}

TEST(L1Cache, ASectorWrittenInPiecesIsAsGoodAsOneThatWasRead) {
  Bench bench;
  const auto every_other = [](int which) {
    return [which](int lane) { return std::uint64_t{8} * (lane & 15) + std::uint64_t{4} * which; };
  };
  const auto atomic = decoded(OpClass::atomic, Space::global);
  bench.issue(make_op(kStore, every_other(0)));
  bench.drain();
  bench.issue(make_op(kStore, every_other(1)));
  bench.drain();
  bench.result_after(coalesced(kLoad, 0));
  EXPECT_EQ(bench.port.count(RequestKind::load), 0u);
  bench.result_after(make_op(atomic, every_other(0)));
  bench.result_after(coalesced(kLoad, 0));
  EXPECT_EQ(bench.port.count(RequestKind::load), 1u) << "an atomic forgets the bytes, too";
}

// h200/l1.md#local-memory.
TEST(L1Cache, AByteStoredMakesAWordUnknownThatDidNotComeFromTheL2) {
  for (const Space space : {Space::global, Space::local}) {
    Bench bench;
    const auto wide = decoded(OpClass::store, space, 16), byte = decoded(OpClass::store, space, 1),
               load = decoded(OpClass::load, space, 1);
    const auto at = [&](const isa::Decoded& d, std::uint64_t offset) {
      bench.issue(make_op(
          d, [=](int lane) { return offset + (space == Space::local ? 0 : static_cast<std::uint64_t>(lane) * 16); }));
      bench.drain();
      return bench.port.count(RequestKind::load);
    };
    at(wide, 0);
    EXPECT_EQ(at(load, 1), 0u);
    at(byte, 1);
    EXPECT_EQ(at(load, 5), 0u) << "another word";
    EXPECT_GT(at(load, 1), 0u);
    const std::size_t before = at(load, 2);
    at(byte, 1);
    EXPECT_EQ(at(load, 1), before) << "the sector came";
  }
}

TEST(L1Cache, AtomicsGoToTheL2PerLineWithTheirContention) {
  Bench bench;
  const auto atomic = decoded(OpClass::atomic, Space::global);
  const auto reduction = decoded(OpClass::reduction, Space::global);
  bench.result_after(coalesced(kLoad, 0));
  const auto token = bench.issue(make_op(atomic, [](int lane) { return lane < 8 ? 0 : lane * 32; }));
  const auto red = bench.issue(coalesced(reduction, 4096));
  bench.drain();
  EXPECT_TRUE(bench.times[token].written_back && !bench.times[token].acknowledged);
  EXPECT_TRUE(bench.times[red].acknowledged && !bench.times[red].written_back);
  const MemRequest& first = bench.port.sent[2];
  EXPECT_EQ(first.kind, RequestKind::atomic);
  EXPECT_EQ(first.atomic.operations, 8);
  EXPECT_EQ(first.atomic.serial, 8);
  EXPECT_EQ(bench.port.count(RequestKind::atomic), 7u) << "line 0 and the six lines of lanes 8 to 31";
  EXPECT_EQ(bench.metric("l1tex__m_xbar2l1tex_read_sectors.sum"), 4 + 25) << "the load's line, and results";
  EXPECT_EQ(bench.port.sent.back().kind, RequestKind::reduction);
  EXPECT_EQ(bench.port.sent.back().atomic.operations, 32);
  EXPECT_EQ(bench.port.sent.back().atomic.serial, 1);
  EXPECT_EQ(bench.result_after(make_op(
                kLoad, [](int) { return 0; }, LaneMask{1})),
            miss_after(bench))
      << "the old copy is gone";
}

TEST(L1Cache, FullTablesHoldTheTagStageAndLoseNothing) {
  for (std::uint32_t entries : {1u, 2u, 3u}) {
    config::Sm sm;
    sm.l1.pending_requests = entries;
    sm.l1.miss_queue = 1;
    sm.l1.pending_merges = 1;
    sm.memory_io.stage_queue = 2;
    Bench bench(sm);
    for (int i = 0; i < 50; ++i)
      bench.issue(make_op(i % 3 == 2 ? kStore : kLoad,
                          [&](int lane) { return static_cast<std::uint64_t>((lane * 7 + i) % 64 * 128); }));
    bench.drain();
    for (std::size_t i = 0; i < bench.times.size(); ++i)
      EXPECT_TRUE(i % 3 == 2 ? bench.times[i].acknowledged.has_value() : bench.times[i].written_back.has_value()) << i;
    EXPECT_TRUE(bench.pipeline.idle());
    EXPECT_EQ(bench.answered_twice, 0);
  }
}

// t4-v100.md: a V100 waits for 32 loads, of a line or of two.
TEST(L1Cache, SoManyLoadsWaitForTheirDataWhateverTheirLines) {
  const auto waits = [](std::uint64_t bytes, std::uint64_t next) {
    config::Sm sm;
    sm.l1.pending_loads = 2;
    Bench bench(sm);
    bench.result_after(coalesced(kLoad, 0));  // brings the page
    const std::uint32_t first = bench.issue(coalesced(kLoad, 4096, bytes));
    bench.issue(coalesced(kLoad, 8192, bytes));
    const std::uint32_t third = bench.issue(coalesced(kLoad, next, bytes));
    bench.drain();
    return *bench.times[third].written_back > *bench.times[first].written_back + bench.port.latency;
  };
  EXPECT_TRUE(waits(4, 16384)) << "a line each";
  EXPECT_TRUE(waits(8, 16384)) << "two lines each";
  EXPECT_FALSE(waits(4, 8192)) << "its line is in flight, it requests nothing";
  EXPECT_FALSE(waits(4, 0)) << "it hits";
}

TEST(L1Cache, SectorsAddUp) {
  Bench bench;
  for (int i = 0; i < 300; ++i)
    bench.issue(make_op(kLoad, [&](int lane) { return std::uint64_t{4} * ((lane * lane * 36 + i * 52) % 65536 / 4); }));
  bench.drain();
  EXPECT_EQ(bench.metric("l1tex__t_sectors.sum"),
            bench.metric("l1tex__t_sectors_lookup_hit.sum") + bench.metric("l1tex__t_sectors_lookup_miss.sum"));
  EXPECT_EQ(bench.metric("l1tex__t_sectors_lookup_miss.sum"), bench.metric("l1tex__m_xbar2l1tex_read_sectors.sum"));
}

TEST(L1Cache, SkippingToTheNextEventChangesNothing) {
  std::vector<std::uint64_t> ends[2];
  for (int skip = 0; skip < 2; ++skip) {
    Bench bench;
    bench.skip = skip == 1;
    for (int i = 0; i < 60; ++i)
      bench.issue(make_op(i % 5 == 4 ? kStore : kLoad,
                          [&](int lane) { return std::uint64_t{4} * ((lane * 100 + i * 388) % 30000 / 4); }));
    bench.drain();
    for (const Times& t : bench.times) ends[skip].push_back((t.written_back ? *t.written_back : *t.acknowledged).value);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(L1Cache, LocalMemoryIsInterleavedPerThread) {
  Bench bench;
  const auto load = decoded(OpClass::load, Space::local);
  UnitOp op = make_op(load, [](int) { return 8; });
  op.local_bytes = 64;
  bench.result_after(op);
  ASSERT_EQ(bench.port.count(RequestKind::load), 1u) << "one word of 32 threads is one line";
  EXPECT_EQ(bench.port.sent.back().sectors, 0xf);
  op.addresses.fill(12);
  bench.result_after(op);
  EXPECT_EQ(bench.port.sent.back().address, bench.port.sent[1].address + 128);
  op.local_base_thread = 32;
  bench.result_after(op);
  EXPECT_EQ(bench.port.sent.back().address, bench.port.sent[1].address + 128 + 64 * 32);
  EXPECT_EQ(bench.metric("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"), 12u);
}

// h200/l1.md#l1-replacement: 34 cycles for a load of 32 lines, also where all its words are in one bank.
// Hits with as many conflicts wait for these passes (dp4a_rows).
TEST(L1Cache, ConflictsOfALoadThatMissesArePaidAsItsLinesCome) {
  Bench bench;
  const auto column = [](std::uint64_t first) {
    return make_op(kLoad, [=](int lane) { return (first * 32 + static_cast<std::uint64_t>(lane)) * 128; });
  };
  bench.result_after(column(0));
  std::uint64_t line = 0;
  const auto cycles = [&](bool hits) {
    const Cycle start = bench.now;
    for (int i = 0; i < 20; ++i) {
      bench.issue(column(++line));
      if (hits) bench.issue(column(0));
    }
    bench.drain();
    return (bench.now - start).value;
  };
  EXPECT_LT(cycles(false), 20u * 32 + 300);
  const std::uint64_t both = cycles(true);
  EXPECT_GE(both, 40u * 32);
  EXPECT_LT(both, 40u * 32 + 300);
}

TEST(L1Cache, CarveOutsAreCheckedAndEmptyTheL1) {
  Bench bench;
  bench.result_after(coalesced(kLoad, 0));
  bench.start_kernel(0, true);
  EXPECT_EQ(bench.result_after(coalesced(kLoad, 0)), bench.sm.l1.hit_latency - before_accept(bench.sm));
  bench.start_kernel(65536, true);
  EXPECT_GT(bench.result_after(coalesced(kLoad, 0)), miss_after(bench)) << "another size: empty, and the TLB as well";
  bench.start_kernel(65536, false);
  EXPECT_GT(bench.result_after(coalesced(kLoad, 0)), miss_after(bench));
  EXPECT_THROW(bench.start_kernel(bench.sm.l1.size, false), InputError);
  EXPECT_THROW(bench.start_kernel(bench.sm.l1.size - 64, false), InputError);
  EXPECT_THROW(bench.start_kernel(bench.sm.l1.size - 4096, false), InputError) << "less than detected_loss";
}

TEST(L1Cache, WhatItForgetsIsAskedForAgain) {
  Bench bench;
  bench.result_after(coalesced(kLoad, 4096));
  bench.pipeline.invalidate();
  EXPECT_EQ(bench.result_after(coalesced(kLoad, 4096)), miss_after(bench));
  EXPECT_EQ(bench.result_after(coalesced(kLoad, 4096)), bench.sm.l1.hit_latency - before_accept(bench.sm));
  // What is on its way comes to those that wait, and to nobody else.
  const auto first = bench.issue(coalesced(kLoad, 8192));
  bench.step();
  bench.step();
  bench.pipeline.invalidate();
  const auto other = bench.issue(coalesced(kLoad, 8192));
  bench.drain();
  EXPECT_TRUE(bench.times[first].written_back && bench.times[other].written_back);
  EXPECT_EQ(bench.port.count(RequestKind::load), 4u);
  EXPECT_EQ(bench.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum"), 16u);
}

// Nsight Compute on an H200: sectors at the tag stage and sectors that come, of one LDGSTS.BYPASS.128 whose lanes read
// rows of `row` bytes in lines of their own and write them `pitch` bytes apart, from `first` on.
TEST(L1Cache, ASectorWhoseHalvesGoToDifferentPlacesComesTwice) {
  struct Case {
    std::uint64_t row, pitch, first, sectors, come;
  };
  isa::Decoded copy = decoded(OpClass::async_copy, Space::global, 16);
  copy.bypasses_l1 = true;
  for (const Case& c : {Case{64, 64, 0, 16, 16},
                        {32, 48, 0, 24, 24},
                        {64, 80, 0, 20, 24},
                        {128, 144, 0, 18, 24},
                        {64, 64, 16, 24, 32},
                        {128, 128, 16, 20, 32},
                        {16, 128, 0, 32, 32}}) {
    Bench bench;
    const auto from = [&](int lane) {
      const std::uint64_t at = static_cast<std::uint64_t>(lane) * 16;
      return at / c.row * 256 + at % c.row;
    };
    UnitOp op = make_op(copy, from);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t at = static_cast<std::uint64_t>(lane) * 16, to = c.first + at / c.row * c.pitch + at % c.row;
      op.copy_shifts.set(static_cast<std::size_t>(lane), static_cast<std::uint32_t>((to - from(lane)) / 16 % 16));
    }
    bench.result_after(op);
    EXPECT_EQ(bench.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), c.sectors) << c.row << ' ' << c.pitch;
    EXPECT_EQ(bench.metric("l1tex__m_xbar2l1tex_read_sectors.sum"), c.come) << c.row << ' ' << c.pitch;
  }
}

}  // namespace
}  // namespace sassim::arch::test
