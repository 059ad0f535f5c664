// SPDX-License-Identifier: Apache-2.0
// The bytes behind an L1: who sees what when accesses of live warps overtake each other.
#include "arch/sm/units/l1/live_lines.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace sassim::arch {
namespace {

constexpr std::uint64_t kLine = 0x1000;

class Memory final : public trace::LiveMemory {
 public:
  void read(std::uint64_t address, std::uint32_t bytes, std::byte* to) const override {
    for (std::uint32_t i = 0; i < bytes; i += 4) {
      const auto found = words.find(address + i);
      const std::uint32_t value = found == words.end() ? 0 : found->second;
      std::memcpy(to + i, &value, 4);
    }
  }
  std::map<std::uint64_t, std::uint32_t> words;
  LiveAccesses accesses;
};

/// Of lane 0, one word.
class Word final : public trace::LiveAccess {
 public:
  Word(Memory& memory, Kind what, std::uint64_t address, std::uint32_t value = 0)
      : id(memory.accesses.add(this)), memory_(memory) {
    kind = what;
    lanes = left = LaneMask(1);
    addresses[0] = address;
    std::memcpy(values[0].data(), &value, 4);
  }
  void perform(LaneMask) override {
    if (kind == Kind::store) memory_.words[addresses[0]] = value();
    if (kind == Kind::atomic) memory_.words[addresses[0]] += value();
  }
  void done() override {}
  operator LiveId() const { return id; }  // NOLINT: implicit is what it is for
  std::uint32_t value() const {
    std::uint32_t word;
    std::memcpy(&word, values[0].data(), 4);
    return word;
  }

  LiveId id;

 private:
  Memory& memory_;
};

using Kind = trace::LiveAccess::Kind;

class LiveLinesTest : public testing::Test {
 protected:
  LiveLinesTest() { lines.start(&memory); }

  /// The load misses, alone, and its request is made.
  void miss(Word& load, std::uint32_t entry) {
    lines.open(entry, kLine);
    lines.join(load, kLine, entry, 1);
    lines.ask(entry, 1, load);
  }
  void serve(std::uint32_t entry) { lines.serve_load(entry, kLine, 1); }
  void serve(Word& change) { lines.serve(change, LaneMask(1)); }
  void arrive(Word& load, std::uint32_t entry) {
    lines.arrive(entry, 1, true);
    tags.fill(kLine, 1);
    lines.collect(load, entry);
    lines.end(load, tags);
  }

  Memory memory;
  L1Tags tags{"lru", L1Shape{.lines = 4, .sets = 1}, 128};
  LiveLines lines{memory.accesses, 128, 32};
};

TEST_F(LiveLinesTest, ALoadThatOvertakesItsSmsStoreSeesIt) {
  memory.words[kLine] = 1;
  Word store(memory, Kind::store, kLine, 2), load(memory, Kind::load, kLine);
  lines.begin(store, false, tags);
  lines.begin(load, true, tags);
  miss(load, 0);
  serve(0);
  EXPECT_EQ(memory.words[kLine], 2u);
  arrive(load, 0);
  EXPECT_EQ(load.value(), 2u);
  serve(store);
  lines.end(store, tags);
}

TEST_F(LiveLinesTest, AStoreThatOvertakesItsSmsLoadIsNotSeen) {
  memory.words[kLine] = 1;
  Word load(memory, Kind::load, kLine), store(memory, Kind::store, kLine, 2);
  lines.begin(load, false, tags);
  lines.begin(store, false, tags);
  miss(load, 0);
  serve(store);
  serve(0);
  arrive(load, 0);
  EXPECT_EQ(load.value(), 1u);
  EXPECT_EQ(memory.words[kLine], 2u);
  lines.end(store, tags);
}

TEST_F(LiveLinesTest, AStoreBehindAMissIsSeenByLaterLoadsOnly) {
  memory.words[kLine] = 1;
  Word first(memory, Kind::load, kLine), store(memory, Kind::store, kLine, 2), second(memory, Kind::load, kLine);
  lines.begin(first, false, tags);
  miss(first, 0);
  lines.begin(store, false, tags);
  lines.begin(second, false, tags);
  lines.join(second, kLine, 0, 1);
  serve(0);
  lines.arrive(0, 1, true);
  tags.fill(kLine, 1);
  lines.collect(first, 0);
  lines.collect(second, 0);
  EXPECT_EQ(first.value(), 1u);
  EXPECT_EQ(second.value(), 2u);
  Word third(memory, Kind::load, kLine);
  lines.begin(third, false, tags);
  lines.hit(third, kLine, 1);
  EXPECT_EQ(third.value(), 2u);
}

TEST_F(LiveLinesTest, AHitHasTheLineAsItWasFilled) {
  memory.words[kLine] = 1;
  Word first(memory, Kind::load, kLine);
  lines.begin(first, false, tags);
  miss(first, 0);
  serve(0);
  arrive(first, 0);
  memory.words[kLine] = 7;  // another SM's store
  Word second(memory, Kind::load, kLine);
  lines.begin(second, false, tags);
  EXPECT_EQ(second.value(), 1u);
  lines.end(second, tags);
  tags.clear();
  lines.invalidate();
  Word third(memory, Kind::load, kLine);
  lines.begin(third, false, tags);
  miss(third, 1);
  serve(1);
  arrive(third, 1);
  EXPECT_EQ(third.value(), 7u);
}

TEST_F(LiveLinesTest, AnAtomicOperationTakesTheLineFromTheL1) {
  Word store(memory, Kind::store, kLine, 5), add(memory, Kind::atomic, kLine, 3), load(memory, Kind::load, kLine);
  lines.begin(store, false, tags);
  lines.begin(add, true, tags);
  lines.begin(load, false, tags);
  miss(load, 0);
  serve(0);  // before both
  arrive(load, 0);
  EXPECT_EQ(load.value(), 8u);
  EXPECT_EQ(memory.words[kLine], 8u);
}

TEST_F(LiveLinesTest, WavesOfAnAtomicOperationTakeOneLaneOfEachWord) {
  Word add(memory, Kind::atomic, kLine, 1);
  add.lanes = add.left = LaneMask(0b111);
  add.addresses[1] = kLine;
  add.addresses[2] = kLine + 4;
  EXPECT_EQ(LiveLines::lanes_of_request(add, kLine, 1, true).bits, 0b101u);
  EXPECT_EQ(LiveLines::lanes_of_request(add, kLine, 1, false).bits, 0b111u);
  EXPECT_EQ(LiveLines::lanes_of_request(add, kLine, 2, false).bits, 0u);
}

}  // namespace
}  // namespace sassim::arch
