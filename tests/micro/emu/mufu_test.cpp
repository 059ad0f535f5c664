// SPDX-License-Identifier: Apache-2.0
// How far MUFU is from the hardware was measured over all inputs as the hardware's distance from the exact value
// rounded to nearest (mufu_h200.json in validation/measured/h200-instructions.tar.xz). That is the emulator's distance
// too if the emulator gives that value: here for every 4096th input, computed in another precision.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numbers>

#include "sim/emu/core/emulator.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

constexpr std::uint32_t kInputs = 1u << 20, kStep = 4096, kOffset = 0x555;

using Wide = long double;
constexpr Wide kTurn = 2 * std::numbers::pi_v<Wide>;

/// The sine of a number of turns; exact at the quarters.
Wide sine(Wide turns) {
  if (turns == 0) return turns;
  if (turns < 0) return -sine(-turns) + 0;
  Wide turn = turns - std::floor(turns);
  if (turn >= 0.5L) return -sine(turn - 0.5L) + 0;
  if (turn > 0.25L) turn = 0.5L - turn;
  return turn > 0.125L ? std::cos(kTurn * (0.25L - turn)) : std::sin(kTurn * turn);
}

struct Function {
  const char* name;
  Wide (*exact)(Wide);
};
constexpr Function kFunctions[] = {
    {"RCP", [](Wide x) { return 1 / x; }},
    {"RSQ", [](Wide x) { return 1 / std::sqrt(x); }},
    {"SQRT", [](Wide x) { return std::sqrt(x); }},
    {"EX2", [](Wide x) { return std::exp2(x); }},
    {"LG2", [](Wide x) { return std::log2(x); }},
    {"SIN", sine},
    {"COS", [](Wide x) { return sine(std::abs(x) - std::floor(std::abs(x)) + 0.25L); }},
    {"TANH", [](Wide x) { return std::tanh(x); }},
};

std::vector<std::uint32_t> emulated(const std::string& function) {
  const auto kernel = make_kernel("mufu", 70, isa::assemble(R"(
  S2R R0, SR_TID.X
  S2R R1, SR_CTAID.X
  IMAD R0, R1, 0x100, R0
  MOV R7, 0x555
  IMAD R2, R0, 0x1000, R7
  MUFU.)" + function + R"( R3, R2
  MOV R4, c[0x0][0x160]
  MOV R5, c[0x0][0x164]
  MOV R6, 0x4
  IMAD.WIDE R4, R0, R6, R4
  STG.E.SYS [R4], R3
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t out = memory.allocate(kInputs * 4);
  LaunchConfig launch{.grid = {kInputs / 256}, .block = {256}};
  launch.params = pack(out);
  run(*kernel, launch, memory);
  return copy_out<std::uint32_t>(memory, out, kInputs);
}

bool is_subnormal(std::uint32_t bits) { return (bits & 0x7f800000u) == 0 && (bits & 0x7fffffffu) != 0; }

/// The exact value rounded to nearest. NaN has one form; subnormals are zeros. TANH of a small number is that number.
std::uint32_t rounded(const Function& function, std::uint32_t input) {
  const bool flushes = std::string_view(function.name) != "TANH";
  if (!flushes && (input & 0x7fffffffu) <= 0x3b800000u) return input;
  if (is_subnormal(input)) input &= 0x80000000u;
  const auto value = static_cast<float>(function.exact(static_cast<Wide>(std::bit_cast<float>(input))));
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return 0x7fffffffu;
  return flushes && is_subnormal(bits) ? bits & 0x80000000u : bits;
}

class Mufu : public testing::TestWithParam<Function> {};

TEST_P(Mufu, IsTheExactValueRoundedToNearest) {
  const std::vector<std::uint32_t> got = emulated(GetParam().name);
  std::uint32_t different = 0, far = 0, example = 0;
  for (std::uint32_t i = 0; i < kInputs; ++i) {
    const std::uint32_t input = i * kStep + kOffset, wanted = rounded(GetParam(), input);
    if (got[i] == wanted) continue;
    ++different;
    const std::uint32_t distance = got[i] > wanted ? got[i] - wanted : wanted - got[i];
    if (distance > 1) ++far, example = input;
  }
  // The emulator computes in double precision: a value within 2^-28 of the middle of two floats may go the other way.
  EXPECT_LE(different, kInputs >> 18);
  EXPECT_EQ(far, 0u) << std::hex << "input 0x" << example;
}

INSTANTIATE_TEST_SUITE_P(Functions, Mufu, testing::ValuesIn(kFunctions),
                         [](const auto& test) { return std::string(test.param.name); });

// MUFU of 16-bit numbers, all inputs, against the words that an H200 gave (mufu16_h200.bin in
// validation/measured/h200-instructions.tar.xz: 65536 16-bit results of each function, in the order below). The bounds
// are those of docs/opcodes.md.

constexpr std::uint32_t kAllInputs = 1u << 16;

struct Function16 {
  const char* name;
  std::size_t place;  ///< in the file
  std::uint32_t infinity;
  std::uint32_t most_different;  ///< inputs whose result is one unit away
};
constexpr Function16 kFunctions16[] = {{"TANH.F16", 0, 0x7c00, 322},
                                       {"EX2.F16", 1, 0x7c00, 1},
                                       {"TANH.BF16", 2, 0x7f80, 36},
                                       {"EX2.BF16", 3, 0x7f80, 199}};

std::vector<std::uint16_t> of_the_gpu(std::size_t place) {
  std::ifstream file(SASSIM_BINARY_DIR "/unpacked/instructions/mufu16_h200.bin", std::ios::binary);
  std::vector<std::uint16_t> words(kAllInputs);
  file.seekg(static_cast<std::streamoff>(place * kAllInputs * 2));
  file.read(reinterpret_cast<char*>(words.data()), kAllInputs * 2);
  EXPECT_TRUE(file.good());
  return words;
}

/// Lower halves: the function of the thread's number; upper halves: that of the upper half of a register that holds it.
std::vector<std::uint32_t> emulated16(const std::string& function) {
  const auto kernel = make_kernel("mufu", 90, isa::assemble(R"(
  S2R R0, SR_TID.X
  S2R R1, SR_CTAID.X
  IMAD R0, R1, 0x100, R0
  IMAD R2, R0, 0x10001, RZ
  MUFU.)" + function + R"( R3, R2
  MUFU.)" + function + R"( R7, R2.H1
  PRMT R3, R3, 0x5410, R7
  MOV R4, c[0x0][0x210]
  MOV R5, c[0x0][0x214]
  MOV R6, 0x4
  IMAD.WIDE R4, R0, R6, R4
  STG.E [R4], R3
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t out = memory.allocate(kAllInputs * 4);
  LaunchConfig launch{.grid = {kAllInputs / 256}, .block = {256}};
  launch.params = pack(out);
  run(*kernel, launch, memory);
  return copy_out<std::uint32_t>(memory, out, kAllInputs);
}

class Mufu16 : public testing::TestWithParam<Function16> {};

TEST_P(Mufu16, IsAtMostOneUnitFromTheH200) {
  const std::vector<std::uint16_t> wanted = of_the_gpu(GetParam().place);
  const std::vector<std::uint32_t> got = emulated16(GetParam().name);
  std::uint32_t different = 0;
  for (std::uint32_t i = 0; i < kAllInputs; ++i) {
    const int a = static_cast<int>(got[i] & 0xffff), b = wanted[i];
    ASSERT_EQ(static_cast<int>(got[i] >> 16), a) << std::hex << "the upper half of an operand, input 0x" << i;
    if (a == b) continue;
    ++different;
    // Neighbours of one sign, neither of them NaN.
    ASSERT_TRUE(std::abs(a - b) == 1 && (a & 0x7fff) <= static_cast<int>(GetParam().infinity) &&
                (b & 0x7fff) <= static_cast<int>(GetParam().infinity))
        << std::hex << "input 0x" << i << ": 0x" << a << ", the GPU gives 0x" << b;
  }
  EXPECT_LE(different, GetParam().most_different);
  RecordProperty("different", static_cast<int>(different));
}

INSTANTIATE_TEST_SUITE_P(Functions, Mufu16, testing::ValuesIn(kFunctions16), [](const auto& test) {
  std::string name = test.param.name;
  name.replace(name.find('.'), 1, "_");
  return name;
});

}  // namespace
}  // namespace sassim::emu
