// SPDX-License-Identifier: Apache-2.0
// Spaces, bounds, alignment, and what a recorder sees of them.
#include <gtest/gtest.h>

#include "sim/emu/core/emulator.h"
#include "sim/emu/memory/address_space.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

FaultKind fault_of(const std::string& text, const std::vector<std::uint8_t>& params, DeviceMemory& memory,
                   std::uint32_t shared = 0, bool strict = false) {
  const auto kernel = make_kernel("kernel", 70, isa::assemble(text), static_cast<std::uint32_t>(params.size()));
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.params = params;
  launch.dynamic_shared = shared;
  launch.strict_memory = strict;
  try {
    run(*kernel, launch, memory);
  } catch (const DeviceFault& fault) {
    return fault.kind();
  }
  ADD_FAILURE() << "no fault";
  return FaultKind::trap;
}

TEST(DeviceMemory, FindsAllocationsExactly) {
  DeviceMemory memory(1 << 20);
  const std::uint64_t a = memory.allocate(100), b = memory.allocate(100);
  EXPECT_NE(memory.find(a + 99), nullptr);
  EXPECT_EQ(memory.find(a + 100), nullptr);
  EXPECT_EQ(memory.find(a + 97, 4), nullptr);
  EXPECT_EQ(memory.find(b)->address, b);
  EXPECT_EQ(memory.allocate(2 << 20), 0u) << "beyond the capacity";
  EXPECT_TRUE(memory.free(a));
  EXPECT_FALSE(memory.free(a));
  EXPECT_EQ(memory.find(a), nullptr);
  int host[4] = {};
  memory.map_host(host, sizeof host);
  const auto place = reinterpret_cast<std::uint64_t>(host);
  EXPECT_EQ(memory.find(place, 16), nullptr) << "the GPU has an address of its own for it";
  EXPECT_EQ(memory.host(memory.translate(place + 4), 12), reinterpret_cast<std::byte*>(host + 1));
  EXPECT_TRUE(memory.unmap_host(host));
  EXPECT_FALSE(memory.unmap_host(host));
  EXPECT_EQ(memory.translate(place), place);
  memory.map_host(host, sizeof host, HostPlace::fixed);
  EXPECT_NE(memory.find(place, 16), nullptr);
  memory.reset();
  EXPECT_EQ(memory.find(place, 16), nullptr);
  EXPECT_EQ(memory.find(b), nullptr);
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_EQ(memory.allocate(100), a) << "as in a new object";
}

// A heap's small pieces lie elsewhere in every run; the system moves other memory by whole pages.
TEST(HostPieces, KeepWhatIsTheSameInEveryRun) {
  const auto address = [](std::uint64_t host, HostPlace place) { return HostPieces().add(host, 100, place).address; };
  EXPECT_EQ(address(0x1230, HostPlace::in_heap), address(0x45670, HostPlace::in_heap));
  EXPECT_EQ(address(0x1234, HostPlace::in_heap) - address(0x1230, HostPlace::in_heap), 4u);
  EXPECT_EQ(address(0x1230, HostPlace::in_page), address(0x45230, HostPlace::in_page));
  EXPECT_EQ(address(0x1230, HostPlace::in_page) - address(0x1000, HostPlace::in_page), 0x230u);
}

TEST(HostPieces, ASpanHasTheSameAddressesAsEachPlaceAlone) {
  HostPieces pieces;
  pieces.add(0x10000, 0x1000, HostPlace::in_page);
  pieces.add(0x40000, 0x1000, HostPlace::in_page);
  pieces.add_alias(0x40800, 0x100, 0x7000000);  // within a piece
  for (const std::uint64_t begin : {0x0ull, 0x10000ull, 0x10fffull, 0x20000ull, 0x40000ull, 0x40800ull, 0x40900ull}) {
    const HostPieces::Span span = pieces.span_at(begin);
    ASSERT_TRUE(span.holds(begin)) << begin;
    for (std::uint64_t address = begin; address < begin + 0x40000; address += 0x80)
      EXPECT_TRUE(!span.holds(address) || address + span.shift == pieces.translate(address)) << begin << ' ' << address;
  }
  EXPECT_EQ(HostPieces().span_at(5).shift, 0u);
}

// sm_80 has loads that give zero, and read nothing, where a predicate is false (cuBLAS's single-precision products).
TEST(Load, GivesZeroWhereItsPredicateIsFalse) {
  const std::string code = R"(
  S2R R0, SR_TID.X
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  IMAD.WIDE R2, R0, 0x8, R2
  MOV R4, 0x7
  MOV R5, 0x8
  ISETP.LT.AND P0, PT, R0, 0x4, PT
  @!P0 MOV R3, 0x7fff
  LDG.E.64.CONSTANT R4, [R2.64], P0
  MOV R6, c[0x0][0x168]
  MOV R7, c[0x0][0x16c]
  IMAD.WIDE R6, R0, 0x8, R6
  STG.E.64 [R6.64], R4
  EXIT
)";
  DeviceMemory memory;
  const std::vector<std::uint32_t> values(8, 5);
  const std::uint64_t in = copy_in(memory, values), out = memory.allocate(64);
  const auto kernel = make_kernel("kernel", 80, isa::assemble(code), 16);
  LaunchConfig launch{.grid = {1}, .block = {8}};
  launch.params = pack(in, out);
  run(*kernel, launch, memory);
  const std::vector<std::uint32_t> got = copy_out<std::uint32_t>(memory, out, 16);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(got[i], i < 8 ? 5u : 0u) << i;
}

// As an H200's cudaMalloc gives them out (h200/launches.md#allocations).
TEST(DeviceMemory, SmallPiecesLieSideBySide) {
  DeviceMemory memory(std::uint64_t{1} << 30);
  const std::uint64_t first = memory.allocate(262144);
  for (const auto& [bytes, offset] : {std::pair{1024u, 0x40000u},
                                      {4u, 0x40400u},
                                      {100u, 0x40600u},
                                      {1024u, 0x40800u},
                                      {4194304u, 0x200000u},
                                      {1024u, 0x40c00u},
                                      {1048576u, 0x41000u}})
    EXPECT_EQ(memory.allocate(bytes), first + offset) << bytes;
  EXPECT_NE(memory.allocate(0), memory.allocate(0));
  DeviceMemory other(std::uint64_t{1} << 30);
  other.allocate(4194304);
  EXPECT_EQ(other.allocate(1024) % (2 << 20), 0u) << "a page of its own";
}

TEST(DeviceMemory, CodeBeginsWhereItIsToldTo) {
  DeviceMemory here, there(std::uint64_t{1} << 30, 0x30000);
  const std::uint64_t first = there.reserve_code(100);
  EXPECT_EQ(first - here.reserve_code(100), 0x20000u);
  EXPECT_EQ(there.reserve_code(16) - first, 128u) << "functions begin at multiples of 128";
}

TEST(DeviceMemory, GivesFreedAddressesOutAgain) {
  DeviceMemory memory(std::uint64_t{1} << 30);
  const std::uint64_t a = memory.allocate(1 << 20), b = memory.allocate(1000), c = memory.allocate(3 << 20);
  EXPECT_EQ(c % (2 << 20), 0u) << "large pieces begin a page";
  EXPECT_NE(b % (2 << 20), 0u) << "small ones share one";
  memory.free(a);
  EXPECT_EQ(memory.allocate(1 << 20), a);
  memory.free(a);
  memory.free(b);  // neighbours become one gap
  const std::uint64_t both = memory.allocate((1 << 20) - 4096 + 600);
  EXPECT_EQ(both, a);
  EXPECT_EQ(memory.find(both)->bytes, (1u << 20) - 4096 + 600);
  const std::uint64_t rest = memory.allocate(1 << 19);
  EXPECT_TRUE(rest > both && rest < c) << "what is left before c";
  memory.free(c);
  EXPECT_EQ(memory.allocate(3 << 20), c);
  EXPECT_EQ(memory.find(both + (1 << 20) - 4096 + 600), nullptr) << "between two pieces lies nothing";
}

TEST(Memory, FaultsAreTold) {
  DeviceMemory memory;
  const std::uint64_t data = memory.allocate(64);
  const std::string base = "  MOV R2, c[0x0][0x160]\n  MOV R3, c[0x0][0x164]\n";
  EXPECT_EQ(fault_of(base + "  LDG.E.SYS R4, [R2+0x2]\n  EXIT\n", pack(data), memory), FaultKind::misaligned_address);
  EXPECT_EQ(fault_of(base + "  LDG.E.SYS R4, [R2+0x40]\n  EXIT\n", pack(data), memory, 0, true),
            FaultKind::illegal_address);
  EXPECT_EQ(fault_of(base + "  LDG.E.SYS R4, [R2]\n  EXIT\n", pack(data + (2 << 20)), memory),
            FaultKind::illegal_address);
  EXPECT_EQ(fault_of("  LDS R4, [0x80]\n  EXIT\n", {}, memory, 64), FaultKind::shared_out_of_bounds)
      << "64 bytes asked for, 128 given";
  EXPECT_EQ(fault_of("  MOV R1, c[0x0][0x28]\n  STL [R1], R1\n  EXIT\n", {}, memory), FaultKind::stack_overflow);
  EXPECT_EQ(fault_of("  BPT.TRAP 0x1\n", {}, memory), FaultKind::trap);
  EXPECT_EQ(fault_of("  NOP\n", {}, memory), FaultKind::invalid_pc) << "ran past the end";
}

class LastAccess : public Recorder {
 public:
  void step(BlockId, std::uint32_t, const trace::Step& step) override {
    if (step.has_addresses) last = step;
  }
  trace::Step last;
};

struct AllSteps : Recorder {
  void step(BlockId, std::uint32_t, const trace::Step& step) override { steps.push_back(step); }
  std::vector<trace::Step> steps;
};

TEST(Memory, GenericAddressesAreRecordedInTheirOwnSpace) {
  const auto kernel = make_kernel("generic", 70, isa::assemble(R"(
  S2R R0, SR_LANEID
  SHF.L.U32 R0, R0, 0x3, RZ
  IADD3 R2, P0, R0, c[0x0][0x18], RZ
  IADD3.X R3, RZ, c[0x0][0x1c], RZ, P0, !PT
  ST.E.64.SYS [R2], R2
  EXIT
)"),
                                  0);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.dynamic_shared = 256;
  LastAccess access;
  run(*kernel, launch, memory, {.recorder = &access});
  EXPECT_EQ(access.last.space, isa::Space::shared);
  EXPECT_EQ(access.last.addresses[0], 0u);
  EXPECT_EQ(access.last.addresses[31], 31u * 8);
}

TEST(Memory, TheLaunchSaysWhatVirtualConfigHolds) {
  const auto kernel = make_kernel("virtual", 90, isa::assemble(R"(
  S2R R0, SR_VIRTCFG
  MOV R2, c[0x0][0x210]
  MOV R3, c[0x0][0x214]
  STG.E.SYS [R2], R0
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t data = memory.allocate(4);
  LaunchConfig launch{.grid = {1}, .block = {1}};
  launch.params = pack(data);
  launch.virtual_config = 0x1234;
  run(*kernel, launch, memory);
  EXPECT_EQ(copy_out<std::uint32_t>(memory, data, 1)[0], 0x1234u);
}

TEST(Memory, ABarrierFromARegisterIsRecorded) {
  const auto kernel = make_kernel("named", 70, isa::assemble(R"(
  ISETP.NE.AND P0, PT, RZ, RZ, PT
  MOV R2, 0x200003
  @P0 BAR.SYNC 0x1
  BAR.SYNC R2, R2
  EXIT
)"),
                                  0);
  AllSteps all;
  DeviceMemory memory;
  run(*kernel, {.grid = {1}, .block = {32}}, memory, {.recorder = &all});
  ASSERT_EQ(all.steps.size(), 5u);
  EXPECT_TRUE(all.steps[2].lanes.none()) << "its guard is false: nobody arrives";
  EXPECT_EQ(all.steps[2].active, LaneMask::all());
  EXPECT_FALSE(all.steps[3].has_addresses);
  const auto barrier = all.steps[3].detail.block_barrier();
  ASSERT_TRUE(barrier);
  EXPECT_EQ(barrier->number, 3u);
  EXPECT_EQ(barrier->threads, 32u);
  EXPECT_TRUE(all.steps[4].detail.none());
}

// c[0x0][0x160] is the address of the results; words of 8 follow, of which each lane reads its own.
TEST(Memory, LanesReadTheirOwnConstants) {
  const std::string own = R"(
  S2R R0, SR_LANEID
  SHF.L.U32 R1, R0, 0x3, RZ
  LDC R4, c[0x0][R1+0x168]
  LDC.U8 R5, c[0x0][R0+0x168]
  LDC.64 R6, c[0x0][RZ+0x170]
  IMAD.SHL.U32 R1, R0, 0x10, RZ
  IADD3 R2, P0, R1, c[0x0][0x160], RZ
  IADD3.X R3, RZ, c[0x0][0x164], RZ, P0, !PT
  STG.E.128.SYS [R2], R4
  EXIT
)";
  DeviceMemory memory;
  std::vector<std::uint64_t> params{copy_in(memory, std::vector<std::uint32_t>(128))};
  for (std::uint64_t i = 0; i < 32; ++i) params.push_back((100 + i) << 32 | (i * 0x01010101 + 7));
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.params.resize(8 * params.size());
  std::memcpy(launch.params.data(), params.data(), launch.params.size());
  const auto kernel = make_kernel("own", 70, isa::assemble(own), static_cast<std::uint32_t>(launch.params.size()));
  run(*kernel, launch, memory);
  const auto got = copy_out<std::uint32_t>(memory, params[0], 128);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[4 * lane], static_cast<std::uint32_t>(params[1 + lane]));
    EXPECT_EQ(got[4 * lane + 1], params[1 + lane / 8] >> (lane % 8 * 8) & 0xff);
    EXPECT_EQ(got[4 * lane + 2] | std::uint64_t{got[4 * lane + 3]} << 32, params[2]);
  }
  // One lane alone is not aligned.
  const std::string crooked =
      "  S2R R0, SR_LANEID\n  IMNMX R0, R0, 0x1e, !PT\n  IMAD R1, R0, 0x3, RZ\n"
      "  IADD3 R1, R1, -0x5a, RZ\n  LDC R4, c[0x0][R1+0x160]\n  EXIT\n";
  EXPECT_EQ(fault_of(crooked, launch.params, memory), FaultKind::misaligned_address);
}

// The code alone does not tell what a ULDC reads through a register.
TEST(Memory, AConstantThroughAUniformRegisterIsRecordedWithItsAddress) {
  const auto kernel = make_kernel("indexed", 90, isa::assemble(R"(
  UMOV UR4, 0x40
  ULDC UR5, c[0x0][0x210]
  ULDC UR6, c[0x3][UR4+0x8]
  EXIT
)"),
                                  0);
  AllSteps all;
  DeviceMemory memory;
  run(*kernel, {.grid = {1}, .block = {32}}, memory, {.recorder = &all});
  ASSERT_EQ(all.steps.size(), 4u);
  EXPECT_FALSE(all.steps[1].has_addresses);
  ASSERT_TRUE(all.steps[2].has_addresses);
  EXPECT_EQ(all.steps[2].addresses[0], 3ull << 32 | 0x48u);
}

TEST(Memory, ACopyIsRecordedOfTheLanesThatRead) {
  const auto kernel = make_kernel("some", 90, isa::assemble(R"(
  S2R R0, SR_LANEID
  SHF.L.U32 R4, R0, 0x4, RZ
  IADD3 R2, P0, R4, c[0x0][0x210], RZ
  IADD3.X R3, RZ, c[0x0][0x214], RZ, P0, !PT
  ISETP.LT.AND P0, PT, R0, 0x3, PT
  LDGSTS.E.BYPASS.128.ZFILL [R4], [R2.64], P0
  EXIT
)"),
                                  0);
  AllSteps all;
  DeviceMemory memory;
  const std::uint64_t data = memory.allocate(512);
  run(*kernel, {.grid = {1}, .block = {32}, .dynamic_shared = 512, .params = pack(data)}, memory, {.recorder = &all});
  ASSERT_EQ(all.steps.size(), 7u);
  EXPECT_EQ(all.steps[5].active, LaneMask::all());
  EXPECT_EQ(all.steps[5].lanes, LaneMask(7)) << "the others write zeros and read nothing";
  EXPECT_EQ(all.steps[5].addresses[2], data + 32);
}

// With and without ZFILL, which is about the low bits of the source's address: cp.async with a true `ignore-src` is
// compiled without it.
TEST(Memory, ACopyWritesZerosWhereItsPredicateIsFalse) {
  for (const char* copy : {"LDGSTS.E [R4], [R2.64], P0", "LDGSTS.E.ZFILL [R4], [R2.64], P0",
                           "LDGSTS.E.LTC128B [R4], [R2.64], P0", "LDGSTS.E [R4], [R2.64], !P1"}) {
    const auto kernel = make_kernel("some", 90, isa::assemble(std::string(R"(
  S2R R0, SR_LANEID
  SHF.L.U32 R4, R0, 0x2, RZ
  IADD3 R2, P0, R4, c[0x0][0x210], RZ
  IADD3.X R3, RZ, c[0x0][0x214], RZ, P0, !PT
  ISETP.LT.AND P0, P1, R0, 0x3, PT
  MOV R6, 0x63
  STS [R4], R6
  )") + copy + R"(
  LDGDEPBAR
  DEPBAR.LE SB0, 0x0
  LDS R6, [R4]
  STG.E [R2.64], R6
  EXIT
)"),
                                    8);
    DeviceMemory memory;
    const std::uint64_t data = copy_in(memory, std::vector<std::uint32_t>(32, 7));
    LaunchConfig launch{.grid = {1}, .block = {32}};
    launch.params = pack(data);
    launch.dynamic_shared = 128;
    run(*kernel, launch, memory);
    const auto got = copy_out<std::uint32_t>(memory, data, 32);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], i < 3 ? 7u : 0u) << copy << ", lane " << i;
  }
}

TEST(Memory, ACopyPastTheL1IsRecordedWithWhereItGoes) {
  for (const auto& [offset, further] : {std::pair{"0x0", 0u}, {"0x10", 1u}, {"0xf0", 15u}, {"0x100", 0u}}) {
    const auto kernel = make_kernel("copy", 90, isa::assemble(std::string(R"(
  S2R R0, SR_LANEID
  SHF.L.U32 R4, R0, 0x4, RZ
  IADD3 R2, P0, R4, c[0x0][0x210], RZ
  IADD3.X R3, RZ, c[0x0][0x214], RZ, P0, !PT
  LDGSTS.E.BYPASS.128 [R4+)") + offset + R"(], [R2.64]
  LDGSTS.E.128 [R4+)" + offset + R"(], [R2.64]
  EXIT
)"),
                                    8);
    DeviceMemory memory;
    const std::uint64_t data = memory.allocate(512);
    LaunchConfig launch{.grid = {1}, .block = {32}};
    launch.params = pack(data);
    launch.dynamic_shared = 1024;
    AllSteps all;
    run(*kernel, launch, memory, {.recorder = &all});
    ASSERT_EQ(all.steps.size(), 7u);
    EXPECT_EQ(all.steps[4].addresses[3], data + 48);
    EXPECT_EQ(all.steps[4].detail.copy_shifts(LaneMask::all())[3], further) << offset;
    EXPECT_EQ(all.steps[5].addresses[3], data + 48);
    EXPECT_TRUE(all.steps[5].detail.none()) << "through the L1 it does not matter";
  }
}

TEST(Memory, AtomicsGoLaneByLane) {
  const auto kernel = make_kernel("atomics", 70, isa::assemble(R"(
  S2R R0, SR_LANEID
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  MOV R5, 0x1
  ATOMG.E.ADD.STRONG.GPU PT, R6, [R2], R5
  MOV R8, 0x4
  IMAD.WIDE R2, R0, R8, R2
  STG.E.SYS [R2+0x4], R6
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t data = memory.allocate(33 * 4);
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.params = pack(data);
  run(*kernel, launch, memory);
  const auto values = copy_out<std::uint32_t>(memory, data, 33);
  EXPECT_EQ(values[0], 32u);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(values[1 + i], i);
}

// --- time
// ---------------------------------------------------------------------------------------------------------------

class Later : public ClockSource {
 public:
  std::uint64_t read(const TimeRead& read) override { return 1000 * (read.ordinal + 1); }
};

constexpr const char* kClocks = R"(
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  CS2R R4, SR_CLOCKLO
  NOP
  CS2R R6, SR_CLOCKLO
  IADD3 R4, R6, -R4, RZ
  STG.E.SYS [R2], R4
  EXIT
)";

TEST(Clock, CountsInstructionsUntilSomebodyKnowsBetter) {
  const auto kernel = make_kernel("clock", 70, isa::assemble(kClocks), 8);
  DeviceMemory memory;
  const std::uint64_t out = memory.allocate(4);
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.params = pack(out);
  const RunResult first = run(*kernel, launch, memory);
  EXPECT_EQ(copy_out<std::uint32_t>(memory, out, 1)[0], 2u);
  EXPECT_EQ(first.time_reads, 2u);
  Later later;
  run(*kernel, launch, memory, {.clock = &later});
  EXPECT_EQ(copy_out<std::uint32_t>(memory, out, 1)[0], 1000u);
}

TEST(Clock, ALoopThatFollowsItEnds) {
  const auto kernel = make_kernel("waits", 70, isa::assemble(R"(
loop:
  CS2R.32 R4, SR_CLOCKLO
  ISETP.LT.U32.AND P0, PT, R4, 0x32, PT
  @P0 BRA loop
  EXIT
)"),
                                  0);
  DeviceMemory memory;
  EXPECT_EQ(run(*kernel, {.grid = {1}, .block = {32}}, memory).warp_instructions, 3u * 18 + 1);
}

}  // namespace
}  // namespace sassim::emu
