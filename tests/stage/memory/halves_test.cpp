// SPDX-License-Identifier: Apache-2.0
// The copy of a line that the other half of the L2 keeps: a store at home invalidates it, whenever the store comes.
#include <gtest/gtest.h>

#include "arch/network/slice_map.h"
#include "sim/base/error.h"
#include "tests/common/probe_sm.h"
#include "tests/common/small_gpu.h"

namespace sassim::arch {
namespace {

/// Sends requests at given times, one reply after the other, and notes how long each load took.
class TimedSm final : public Component {
 public:
  struct Access {
    Cycle time;
    RequestKind kind;
    std::uint64_t address;
  };
  TimedSm(MemoryPort& port, std::vector<Access> accesses)
      : port_(port), accesses_(std::move(accesses)), took_(accesses_.size()) {}

  void advance(Cycle until) override {
    for (Cycle now = next_event(); now < until; now = next_event()) {
      if (const MemReply* reply = port_.front(now)) {
        took_[reply->tag] = (now - accesses_[reply->tag].time).value;
        port_.pop();
      } else {
        const Access& access = accesses_[sent_];
        const bool store = access.kind == RequestKind::store;
        MemRequest request{.address = access.address, .kind = access.kind, .sectors = 15};
        request.tag = sent_++;
        request.data_bytes = store ? 128 : 0;
        request.needs_reply = !store;
        port_.send(request, now);
      }
    }
  }
  Cycle next_event() const override {
    const Cycle own = sent_ == accesses_.size() ? kNever : port_.ready_at(accesses_[sent_].time, 128);
    return std::min(own, port_.next_reply());
  }
  const std::vector<std::uint64_t>& took() const { return took_; }

 private:
  MemoryPort& port_;
  std::vector<Access> accesses_;
  std::uint32_t sent_ = 0;
  std::vector<std::uint64_t> took_;
};

/// A line of the first half, which SM 0 stores to; SM 1, of the other half, loads it.
class Copies : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kLines = 6;  // behind data of the others those of the last one wait for the link
  static constexpr Cycle kSettled{5000}, kLater{10000}, kLast{15000};

  Copies() {
    gpu = testing::gpu_of_two_halves();
    gpu.memory.crossbar.credits = 64;
    const SliceMap map(gpu.memory);
    for (std::uint64_t address = 0; lines.size() < kLines; address += 128)
      if (map.place(address).slice.value == 0) lines.push_back(address);
  }

  /// Cycles of two loads of the last line by SM 1, long after SM 0 has stored to it `delay` cycles after SM 1's first
  /// load, and once more.
  std::pair<std::uint64_t, std::uint64_t> loads_after(std::uint64_t delay) {
    const std::uint64_t line = lines.back();
    std::vector<TimedSm::Access> near, far;
    for (const std::uint64_t address : lines) near.push_back({Cycle{0}, RequestKind::load, address});
    near.push_back({kSettled + Cycle{delay}, RequestKind::store, line});
    near.push_back({kLater, RequestKind::store, line});
    for (const std::uint64_t address : lines) far.push_back({kSettled, RequestKind::load, address});
    far.push_back({kLast, RequestKind::load, line});
    far.push_back({kLast + kSettled, RequestKind::load, line});
    const std::vector<std::uint64_t> took = times(near, far);
    return {took[kLines], took[kLines + 1]};
  }

  /// Cycles of each access of SM 1, 0 for stores, while SM 0 does its own.
  std::vector<std::uint64_t> times(const std::vector<TimedSm::Access>& near, const std::vector<TimedSm::Access>& far) {
    auto memory = MemorySystem::make(gpu);
    TimedSm first(memory->port(SmId(0)), near), second(memory->port(SmId(1)), far);
    EpochEngine engine(memory->lookahead(), 1);
    engine.add(first);
    engine.add(second);
    for (Component* component : memory->components()) engine.add(*component);
    engine.add(*memory);
    while (engine.step()) {
    }
    memory->check_conservation();
    EXPECT_TRUE(memory->idle());
    return second.took();
  }

  config::GpuConfig gpu;
  std::vector<std::uint64_t> lines;
};

/// An invalidation that overtook the data of the copy would find nothing to invalidate. The copy would then stay valid
/// for good, since its home would not send another one.
TEST_F(Copies, AStoreAtHomeInvalidatesACopyWhoseDataAreOnTheirWay) {
  for (const std::uint32_t link : {0u, 2u}) {  // no limit; a line takes 64 cycles
    gpu.memory.halves.bytes_per_cycle = link;
    for (std::uint64_t delay = 0; delay < 800; delay += 5) {
      const auto [fetched, kept] = loads_after(delay);
      const std::uint64_t way = 2ull * gpu.memory.halves.latency;
      EXPECT_GE(fetched, kept + way) << "link " << link << ", stored " << delay << " cycles after the first load";
    }
  }
}

TEST_F(Copies, AStoreWaitsForDataOfItsCopyAndBlocksTheRequestsBehindIt) {
  const auto hit_behind_a_store = [&](bool hold, std::uint64_t stored) {
    gpu.memory.halves.hold_stores = hold;
    std::vector<TimedSm::Access> near, far{{Cycle{0}, RequestKind::load, lines[0]}};
    for (const std::uint64_t address : lines) near.push_back({Cycle{0}, RequestKind::load, address});
    far.push_back({kSettled, RequestKind::load, lines[1]});
    far.push_back({kSettled + Cycle{1}, RequestKind::store, stored});
    far.push_back({kSettled + Cycle{2}, RequestKind::load, lines[0]});
    return times(near, far)[3];
  };
  const std::uint64_t way = 2ull * gpu.memory.halves.latency;
  const std::uint64_t alone = hit_behind_a_store(false, lines[1]);
  EXPECT_LT(alone, way);
  EXPECT_GE(hit_behind_a_store(true, lines[1]), way) << "the data of line 1 come from the other half";
  EXPECT_EQ(hit_behind_a_store(true, lines[0]), alone) << "the copy of line 0 is there";
}

TEST_F(Copies, StoresThatPassASliceDelayWhatComesBehindThem) {
  gpu.clock.l2 = gpu.clock.sm / 4;  // one store a cycle leaves the SM, and passes in four
  gpu.memory.crossbar.request_bytes_per_cycle = gpu.memory.crossbar.slice_request_bytes_per_cycle = 4096;
  std::uint64_t own = 0;
  while (SliceMap(gpu.memory).place(own).slice.value == 0) own += 128;
  const auto load_behind = [&](std::uint64_t stores) {
    std::vector<TimedSm::Access> far;
    for (std::uint64_t i = 0; i < stores; ++i) far.push_back({Cycle{i}, RequestKind::store, lines[0]});
    far.push_back({Cycle{stores}, RequestKind::load, own});
    return times({}, far).back();
  };
  EXPECT_GE(load_behind(50), load_behind(0) + 50 * 3 - 10);
}

}  // namespace
}  // namespace sassim::arch

// Properties of the whole memory system under random traffic: nothing lost, nothing twice, the same for any threads.
namespace sassim::arch {
namespace {

using testing::Outcome;
using testing::RandomTraffic;
using testing::run_traffic;
using testing::small_gpu;

void expect_same(const Outcome& a, const Outcome& b, const std::string& what) {
  EXPECT_EQ(a.digests, b.digests) << what;
  for (const auto& [row, value] : a.metrics.all()) EXPECT_EQ(value, b.metrics[row->name]) << row->name << ", " << what;
}

TEST(MemoryTraffic, IsTheSameForAnyEpochAndThreadCount) {
  for (const std::uint32_t halves : {1u, 2u}) {
    config::GpuConfig gpu = small_gpu();
    gpu.memory.halves.parts = halves;
    gpu.memory.l2.ways = 4;
    gpu.memory.l2.dirty.ways = 2;
    gpu.memory.l2.dirty.partial_ways = 1;
    gpu.memory.halves.hold_stores = true;
    gpu.memory.halves.bytes_per_cycle = 8;
    gpu.memory.crossbar.write_credits = 6;
    gpu.memory.crossbar.merge.window = 25 * (halves - 1);  // longer than half of the way to the slices
    gpu.memory.crossbar.gpc_sms = {2, 2};
    gpu.sm.front_end.gpc_constants.sharers = 2;
    const RandomTraffic traffic{.requests = 150, .footprint = halves == 1 ? 1u << 14 : 1u << 12};
    const std::uint64_t lookahead = MemorySystem::make(gpu)->lookahead().value;
    EXPECT_EQ(lookahead, gpu.memory.crossbar.request_latency / halves);
    const Outcome reference = run_traffic(gpu, traffic, Cycle{1}, 1);
    EXPECT_TRUE(reference.all_done);
    if (halves == 2) {
      EXPECT_GT(reference.metrics["sassim__xbar_requests_merged.sum"], 0);
    }
    for (const std::uint64_t epoch : {std::uint64_t{1}, std::uint64_t{7}, lookahead})
      for (const unsigned threads : {1u, 2u, 4u})
        expect_same(run_traffic(gpu, traffic, Cycle{epoch}, threads), reference,
                    fmt::format("halves {}, epoch {}, threads {}", halves, epoch, threads));
  }
}

TEST(MemoryTraffic, AnswersEveryRequestOnce) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    config::GpuConfig gpu = small_gpu();
    gpu.memory.halves.parts = 1 + seed % 2;
    gpu.memory.halves.near_copies = seed % 4 < 2;
    gpu.memory.halves.hold_stores = seed % 8 < 4;
    gpu.memory.l2.write = seed % 3 == 0 ? "through" : "back";
    gpu.memory.dram.refresh = seed % 3 == 0 ? "none" : seed % 3 == 1 ? "all_bank" : "per_bank";
    gpu.memory.dram.scheduler = seed % 5 == 0 ? "fcfs" : "fr_fcfs";
    gpu.memory.dram.model = seed % 6 == 0 ? "fixed" : "ddr";
    gpu.memory.l2.dirty.ways = seed % 3;
    gpu.memory.l2.dirty.partial_ways = seed % 2;
    gpu.memory.halves.bytes_per_cycle = seed % 4 == 1 ? 16 : 0;
    gpu.memory.crossbar.write_credits = seed % 5 == 2 ? 5 : 0;
    gpu.memory.crossbar.merge.window = seed % 2 * 15;
    gpu.memory.l2.group.members = seed % 3 == 1 ? 2 : 1;
    const RandomTraffic traffic{.requests = 500, .largest_gap = seed * 3, .footprint = 1024u << seed, .seed = seed};
    const Outcome outcome = run_traffic(gpu, traffic, MemorySystem::make(gpu)->lookahead(), 1);
    EXPECT_TRUE(outcome.all_done) << "seed " << seed;
    EXPECT_GT(outcome.metrics["lts__t_sectors_lookup_miss.sum"], 0) << "seed " << seed;
  }
}

TEST(MemoryTraffic, AnyGeometryWorksOrIsRefusedWithAReason) {
  std::uint32_t built = 0, refused = 0;
  for (const std::uint32_t slices : {1u, 3u, 6u, 7u, 12u, 13u})
    for (const std::uint32_t ways : {1u, 3u, 16u, 20u})
      for (const std::uint64_t kilobytes : {48ull, 96ull, 168ull, 312ull, 1000ull}) {
        config::GpuConfig gpu = small_gpu();
        gpu.memory.l2.slices = slices;
        gpu.memory.l2.ways = ways;
        gpu.memory.l2.size = kilobytes << 10;
        gpu.memory.dram.channels = 6;
        try {
          const Outcome outcome = run_traffic(gpu, RandomTraffic{.requests = 60}, Cycle{20}, 1);
          EXPECT_TRUE(outcome.all_done) << slices << " slices, " << ways << " ways, " << kilobytes << " KiB";
          ++built;
        } catch (const InputError& error) {
          EXPECT_NE(std::string(error.what()).find("expected a multiple of slices x ways x line"), std::string::npos);
          EXPECT_NE((kilobytes << 10) % (std::uint64_t{slices} * ways * 128), 0u) << error.what();
          ++refused;
        }
      }
  EXPECT_GT(built, 20u);
  EXPECT_GT(refused, 20u);
}

/// Cycles until the last of `lines` whole lines, all at home in the half of `slice`, was loaded or stored by SM 0.
std::uint64_t time_of_lines(std::uint32_t slice, RequestKind kind, std::uint32_t far_bytes_per_cycle,
                            bool in_part = false) {
  config::GpuConfig gpu = testing::gpu_of_two_halves();
  gpu.clock.l2 = gpu.clock.sm;
  gpu.memory.crossbar.credits = 512;
  gpu.memory.halves.bytes_per_cycle = far_bytes_per_cycle;
  gpu.memory.halves.mask_bytes = 64;
  gpu.memory.dram.write_queue = 64;
  const SliceMap map(gpu.memory);
  auto memory = MemorySystem::make(gpu);
  std::uint64_t address = 0;
  std::uint32_t left = 64;
  testing::StreamSm sm(memory->port(SmId(0)), left, 0, [&](MemRequest& request) {
    if (left == 0) return false;
    while (map.place(address).slice.value != slice) address += 128;
    request = {.address = address, .kind = kind, .sectors = 15};
    request.data_bytes = kind == RequestKind::store ? 128 : 0;
    request.partial = in_part ? 15 : 0;
    address += 128;
    --left;
    return true;
  });
  EpochEngine engine(memory->lookahead(), 1);
  engine.add(sm);
  for (Component* component : memory->components()) engine.add(*component);
  engine.add(*memory);
  while (engine.step()) {
  }
  memory->check_conservation();
  return sm.last().value;
}

TEST(MemoryTraffic, DataForTheOtherHalfSharesAWire) {
  constexpr std::uint64_t kWire = 64 * 128 / 2;  // cycles that the lines' data takes at two bytes per cycle
  for (const RequestKind kind : {RequestKind::load, RequestKind::store}) {
    EXPECT_GE(time_of_lines(1, kind, 2), kWire);
    EXPECT_LE(time_of_lines(1, kind, 2), kWire + 1000);
    EXPECT_LE(time_of_lines(1, kind, 0), kWire / 2);
    EXPECT_LE(time_of_lines(0, kind, 2), kWire / 2) << "the near half needs no wire";
  }
  constexpr std::uint64_t kMasks = 64 * 64 / 2;
  EXPECT_GE(time_of_lines(1, RequestKind::store, 2, true), kWire + kMasks);
  EXPECT_LE(time_of_lines(1, RequestKind::store, 2, true), kWire + kMasks + 1000);
}

TEST(MemoryTraffic, ACacheThatGrowsByWaysNeverMissesMoreUnderLru) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    double before = 0;
    for (std::uint32_t ways = 1; ways <= 16; ++ways) {
      config::GpuConfig gpu = small_gpu();
      gpu.sm.count = 1;
      gpu.memory.l2.ways = ways;
      gpu.memory.l2.size = std::uint64_t{8 * 128 * 4} * ways;
      // One request at a time: the order of accesses is then the same for every size.
      const RandomTraffic traffic{
          .requests = 2000, .footprint = 1u << 16, .outstanding = 1, .seed = seed, .stores = false};
      const double misses = run_traffic(gpu, traffic, Cycle{20}, 1).metrics["lts__t_sectors_lookup_miss.sum"];
      if (ways > 1) {
        EXPECT_LE(misses, before) << ways << " ways, seed " << seed;
      }
      before = misses;
    }
  }
}

}  // namespace
}  // namespace sassim::arch
