// SPDX-License-Identifier: Apache-2.0
// The copy of a line that the other half of the L2 keeps: a store at home invalidates it, whenever the store comes.
#include <gtest/gtest.h>

#include "arch/network/slice_map.h"
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

}  // namespace
}  // namespace sassim::arch
