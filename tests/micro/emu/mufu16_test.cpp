// SPDX-License-Identifier: Apache-2.0
// MUFU of 16-bit numbers, all inputs, against the words that an H200 gave (mufu16_h200.bin in
// validation/measured/h200-instructions.tar.xz: 65536 16-bit results of each function, in the order below). The bounds
// are those of docs/opcodes.md.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "sim/emu/core/emulator.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

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
