// SPDX-License-Identifier: Apache-2.0
// Reuse cache, read ports and write port of a processing block's register file.
#include "arch/sm/issue/register_file.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

struct Read {
  std::uint8_t reg;
  bool reuse = false;
};

/// Reads in the slots a, b, c; two banks.
StaticInstruction reading(std::initializer_list<Read> registers) {
  StaticInstruction instruction;
  for (const Read& read : registers)
    instruction.registers.add(read.reg, static_cast<std::uint8_t>(read.reg % 2), instruction.registers.count,
                              read.reuse);
  return instruction;
}

std::vector<int> misses(ReuseCache& cache, std::uint32_t warp, std::initializer_list<Read> registers,
                        bool flags_count = true) {
  const BankReads missed = cache.read(warp, reading(registers), flags_count);
  std::vector<int> banks;
  missed.each(
      [&](std::uint32_t bank, std::uint32_t reads) { banks.insert(banks.end(), reads, static_cast<int>(bank)); });
  return banks;
}

using Banks = std::vector<int>;

TEST(ReuseCache, HoldsAnOperandOfTheSameWarpRegisterAndSlot) {
  ReuseCache cache(true);
  EXPECT_EQ(misses(cache, 0, {{2, true}, {5}}), (Banks{0, 1}));
  EXPECT_EQ(misses(cache, 0, {{2, true}, {5}}), (Banks{1})) << "kept: it was flagged again";
  EXPECT_EQ(misses(cache, 0, {{2}, {5}}), (Banks{1}));
  EXPECT_EQ(misses(cache, 0, {{2}}), (Banks{0})) << "the last read was not flagged";
}

TEST(ReuseCache, AnotherSlotOrBankLeavesAnOperandAlone) {
  ReuseCache cache(true);
  misses(cache, 0, {{2, true}});
  EXPECT_EQ(misses(cache, 0, {{7}, {2}}), (Banks{0, 1})) << "R2 is in slot a, not in b";
  EXPECT_EQ(misses(cache, 0, {{2}}), (Banks{}));
  misses(cache, 0, {{2, true}});
  EXPECT_EQ(misses(cache, 0, {{4}}), (Banks{0}));
  EXPECT_EQ(misses(cache, 0, {{2}}), (Banks{0})) << "R4 took its place: same bank, same slot";
}

TEST(ReuseCache, OtherWarpsMissAndEmptyItWhereConfigured) {
  for (const bool lost : {true, false}) {
    ReuseCache cache(lost);
    misses(cache, 0, {{2, true}});
    EXPECT_EQ(misses(cache, 1, {{3}}), (Banks{1}));
    EXPECT_EQ(misses(cache, 0, {{2}}), lost ? (Banks{0}) : (Banks{}));
    misses(cache, 0, {{2, true}});
    EXPECT_EQ(misses(cache, 1, {{2}}), (Banks{0})) << "of another warp";
  }
}

TEST(ReuseCache, FlagsThatDoNotCountKeepNothing) {
  ReuseCache cache(true);
  misses(cache, 0, {{2, true}}, false);
  EXPECT_EQ(misses(cache, 0, {{2, true}}), (Banks{0}));
  EXPECT_EQ(misses(cache, 0, {{2, true}}, false), (Banks{})) << "what is held may still be read";
  EXPECT_EQ(misses(cache, 0, {{2}}), (Banks{0}));
}

TEST(ReuseCache, ARegisterInTwoSlotsIsReadOnce) {
  ReuseCache cache(true);
  EXPECT_EQ(misses(cache, 0, {{8}, {15}, {8}}), (Banks{0, 1}));
}

config::RegisterFile file(std::uint32_t window = 3, std::uint32_t ports = 1) {
  config::RegisterFile config;
  config.read_window = window;
  config.read_ports = ports;
  return config;
}

TEST(RegisterFile, ReadsOfOneBankFillTheWindowAndHoldTheNext) {
  RegisterFile registers(file());
  const auto three = reading({{2}, {4}, {6}}), odd = reading({{3}, {5}}), one = reading({{8}});
  EXPECT_EQ(registers.allocate(WarpIndex(0), three, Cycle(10)), Cycle(10));
  EXPECT_EQ(registers.allocate(WarpIndex(0), odd, Cycle(11)), Cycle(11)) << "the other bank is free";
  EXPECT_EQ(registers.allocate(WarpIndex(0), one, Cycle(12)), Cycle(12)) << "of its window, 13 to 15, cycle 14 is free";
  EXPECT_EQ(registers.allocate(WarpIndex(0), three, Cycle(13)), Cycle(14)) << "15 to 17";
  EXPECT_EQ(registers.allocate(WarpIndex(0), three, Cycle(14)), Cycle(17));
  EXPECT_EQ(registers.reads(), 12u);
  EXPECT_EQ(registers.port_stalls(), 1u + 3u);
}

TEST(RegisterFile, MoreReadsThanTheWindowStretchItAndKeepOthersOut) {
  RegisterFile registers(file(2));
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({{2}, {4}, {6}}), Cycle(10)), Cycle(10));
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({{3}}), Cycle(12)), Cycle(13))
      << "three cycles alone, whatever the bank";
}

TEST(RegisterFile, OperandsOfTwoRegistersHoldUpWhatComesBehind) {
  for (const Resource resource : {Resource::fp64, Resource::fma}) {
    RegisterFile registers(file());
    StaticInstruction pairs = reading({{2}, {3}, {4}, {5}, {6}, {7}});  // three of each bank
    pairs.resource = resource;
    EXPECT_EQ(registers.allocate(WarpIndex(0), pairs, Cycle(10)), Cycle(10));
    StaticInstruction next = reading({{8}});
    next.resource = resource;
    EXPECT_EQ(registers.allocate(WarpIndex(0), next, Cycle(12)), resource == Resource::fp64 ? Cycle(13) : Cycle(12));
  }
}

TEST(RegisterFile, TwoPortsReadTwice) {
  RegisterFile one(file(2, 1)), two(file(2, 2));
  const auto four = reading({{2}, {4}});
  for (RegisterFile* registers : {&one, &two}) registers->allocate(WarpIndex(0), four, Cycle(10));
  EXPECT_EQ(one.allocate(WarpIndex(0), four, Cycle(11)), Cycle(12));
  EXPECT_EQ(two.allocate(WarpIndex(0), four, Cycle(11)), Cycle(11));
}

TEST(RegisterFile, OperandsInTheReuseCacheNeedNoPort) {
  RegisterFile registers(file());
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({{2, true}, {4, true}, {6, true}}), Cycle(10)), Cycle(10));
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({{2}, {4}, {6}}), Cycle(11)), Cycle(11));
  EXPECT_EQ(registers.reuse_hits(), 3u);
}

TEST(RegisterFile, AfterAYieldReuseBitsDoNothingWhereConfigured) {
  for (const bool after_yield : {true, false}) {
    config::RegisterFile config = file();
    config.reuse_after_yield = after_yield;
    RegisterFile registers(config);
    auto yields = reading({{3}});
    yields.issue.yields = true;
    registers.allocate(WarpIndex(0), yields, Cycle(0));
    registers.allocate(WarpIndex(0), reading({{2, true}}), Cycle(10));
    registers.allocate(WarpIndex(0), reading({{2, true}}), Cycle(20));
    EXPECT_EQ(registers.reuse_hits(), after_yield ? 1u : 0u);
    registers.allocate(WarpIndex(0), reading({{2}}), Cycle(30));
    EXPECT_EQ(registers.reuse_hits(), after_yield ? 2u : 1u) << "the one after it counts again";
  }
}

TEST(RegisterFile, AVariableLatencyReadTakesItsBankFromWhatFollows) {
  config::RegisterFile config = file();
  config.queued_reads.delay = 3;
  RegisterFile registers(config);
  // A store of R4 through R2 reads two even registers: what comes three cycles later and reads an even one waits for
  // two, as FFMA behind such a STS on an H200; what reads odd ones or none goes on.
  registers.read_later(WarpIndex(0), reading({{2}, {4}}), Cycle(10));
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({{6}}), Cycle(12)), Cycle(12));
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({}), Cycle(13)), Cycle(13));
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({{5}}), Cycle(13)), Cycle(13));
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({{6}}), Cycle(13)), Cycle(15));
  EXPECT_EQ(registers.waited_for_queued(), 2u);
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({{6}}), Cycle(16)), Cycle(16));
  EXPECT_EQ(registers.waited_for_queued(), 0u);
  auto load = reading({{4}});
  load.registers.aside = true;
  registers.read_later(WarpIndex(0), load, Cycle(20));
  EXPECT_EQ(registers.allocate(WarpIndex(0), reading({{6}}), Cycle(23)), Cycle(23));
}

TEST(RegisterFile, AVariableLatencyReadTouchesTheReuseCacheOnly) {
  RegisterFile registers(file());
  registers.allocate(WarpIndex(0), reading({{2, true}}), Cycle(10));
  registers.read_later(WarpIndex(0), reading({{4}}), Cycle(19));
  registers.allocate(WarpIndex(0), reading({{2}}), Cycle(20));
  EXPECT_EQ(registers.reuse_hits(), 0u);
  EXPECT_EQ(registers.reads(), 2u);
}

TEST(RegisterFile, ALoadMeetsAFixedLatencyResultOnItsBankAndCycle) {
  RegisterFile registers(file());
  registers.write(0b01, Cycle(20));
  EXPECT_FALSE(registers.write_conflict(0b01, Cycle(19)));
  EXPECT_TRUE(registers.write_conflict(0b01, Cycle(20)));
  EXPECT_FALSE(registers.write_conflict(0b10, Cycle(20)));
  EXPECT_FALSE(registers.write_conflict(0b01, Cycle(21)));
  registers.write(0b10, Cycle(20));
  EXPECT_TRUE(registers.write_conflict(0b01, Cycle(20))) << "two results in one cycle";
}

TEST(RegisterFile, RefusesWhatItCannotHold) {
  config::RegisterFile banks = file(), ports = file(), window = file();
  banks.banks = 5;
  ports.read_ports = 0;
  window.read_window = 17;
  for (const config::RegisterFile& config : {banks, ports, window}) EXPECT_THROW(RegisterFile{config}, InputError);
}

}  // namespace
}  // namespace sassim::arch
