// SPDX-License-Identifier: Apache-2.0
// 64-bit instruction sets: products of halves, CC, and the stack of threads that have diverged.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "sim/base/error.h"
#include "sim/emu/core/emulator.h"
#include "sim/isa/architecture.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"
#include "tests/unit/emu/steps.h"

namespace sassim::emu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kSm = 61;

std::unique_ptr<Kernel> kernel_of(const std::string& code, int sm = kSm) {
  return make_kernel("k", sm, isa::assemble(code, "k.sass", isa::architecture(sm)), 32);
}

/// Each lane computes R6 and R7 of its words R0 and R1, and of R2 and R3.
std::vector<std::uint64_t> results(const std::string& code, const std::vector<std::uint32_t>& words, int sm = kSm) {
  const auto kernel = kernel_of(R"(
  S2R R12, SR_LANEID
  ISCADD R10.CC, R12, c[0x0][0x140], 0x4
  IADD.X R11, RZ, c[0x0][0x144]
  LD.E.128 R0, [R10]
  ISCADD R10.CC, R12, c[0x0][0x148], 0x3
  IADD.X R11, RZ, c[0x0][0x14c]
)" + code + R"(
  ST.E.64 [R10], R6
  EXIT
)",
                                sm);
  DeviceMemory memory;
  const std::uint64_t in = copy_in(memory, words), out = memory.allocate(256);
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.params = pack(in, out, std::uint64_t{0}, std::uint64_t{0});
  run(*kernel, launch, memory, {});
  return copy_out<std::uint64_t>(memory, out, 32);
}

/// Random words, of which many are at the limits.
std::vector<std::uint32_t> words_of_lanes() {
  std::mt19937 random(7);
  constexpr std::uint32_t kLimits[] = {0, 1, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffff0000, 0xffffffff};
  std::vector<std::uint32_t> words;
  for (int i = 0; i < 128; ++i)
    words.push_back(i % 3 == 0 ? kLimits[random() % 8] : static_cast<std::uint32_t>(random()));
  for (std::size_t lane = 0; lane < 32; lane += 4) words[4 * lane + 3] = words[4 * lane + 1];
  words[2] = words[0];  // and two that are equal
  return words;
}

template <class Expected>
void compare(const std::vector<std::uint64_t>& found, const std::vector<std::uint32_t>& w, Expected expected) {
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t a = w[4 * lane] | std::uint64_t{w[4 * lane + 1]} << 32;
    const std::uint64_t b = w[4 * lane + 2] | std::uint64_t{w[4 * lane + 3]} << 32;
    EXPECT_EQ(found[lane], expected(a, b)) << lane << ": " << std::hex << a << ", " << b;
  }
}

// Kepler's addresses in a surface of 200 by 40: without tiles, elements of 4 bytes in rows of 256 elements; and bytes
// in tiles of 64 by 16, five in a row.
TEST(Sass64, AddressesInSurfaces) {
  const auto code = [](std::uint32_t columns, std::uint32_t rows, std::uint32_t row) {
    return fmt::format(R"(
  MOV32I R4, {:#x}
  SUCLAMP.SD.R4 PT, R0, R0, R4, 0x0
  MOV32I R4, {:#x}
  SUCLAMP P1, R1, R1, R4, 0x0
  MOV32I R4, {:#x}
  IMADSP.SD R5, R1, R4, R0
  SUBFM P0, R6, R0, R1, R5
  MOV32I R4, 0x123
  SUEAU R7, R5, R6, R4
  LOP32I.AND R6, R6, 0xff
  @P0 LOP32I.OR R6, R6, 0x100
  @P1 LOP32I.OR R6, R6, 0x200
)",
                       columns, rows, row);
  };
  const auto words = words_of_lanes();
  const auto bounded = [](std::uint64_t coordinate, std::int64_t last) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(static_cast<std::int32_t>(coordinate), 0, last));
  };
  const auto expected = [&](std::uint64_t a, auto&& address) {
    const std::uint32_t x = bounded(a, 196), y = bounded(a >> 32, 39);  // 199 for accesses of four
    const bool outside_y = y != static_cast<std::uint32_t>(a >> 32),
               outside = outside_y || x != static_cast<std::uint32_t>(a);
    const std::uint64_t at = 0x12300 + address(x, y);
    return (at & 0xff) | (outside ? 0x100u : 0u) | (outside_y ? 0x200u : 0u) | at >> 8 << 32;
  };
  for (const std::uint32_t most : {0xffffffffu, 0xffu}) {
    std::vector<std::uint32_t> some = words;
    for (std::uint32_t& word : some) word &= most;
    compare(results(code(199 | 1u << 21 | 2u << 26, 39 | 1u << 21, 0x94000000u | 256), some, 35), some,
            [&](std::uint64_t a, std::uint64_t) {
              return expected(a, [](std::uint32_t x, std::uint32_t y) { return 4 * (256 * y + x); });
            });
    compare(results(code(199 | 6u << 22, 39 | 4u << 22 | 1u << 29, 0x88000000u | 5), some, 35), some,
            [&](std::uint64_t a, std::uint64_t) {
              return expected(a, [](std::uint32_t x, std::uint32_t y) {
                const std::uint32_t place =
                    x % 16 + y % 2 * 16 + y / 2 % 2 * 32 + x / 16 % 2 * 64 + y / 4 % 2 * 128 + x / 32 % 2 * 256;
                return (y / 16 * 5 + x / 64) * 1024 + y / 8 % 2 * 512 + place;
              });
            });
  }
}

// The sequences of the compiler for R0 * R2: the lower half, the upper half, and the upper half with signs.
TEST(Sass64, ProductsOfHalvesMakeProductsOfWords) {
  const auto words = words_of_lanes();
  const auto low = results(
      "  XMAD.MRG R4, R0, R2.H1, RZ\n  XMAD R6, R0, R2, RZ\n  XMAD.PSL.CBCC R6, R0.H1, R4.H1, R6\n"
      "  MOV R7, RZ\n",
      words);
  compare(low, words, [](std::uint64_t a, std::uint64_t b) { return static_cast<std::uint32_t>(a * b); });
  const auto high = results(
      "  XMAD R4, R0, R2, RZ\n  XMAD R5, R0, R2.H1, RZ\n  XMAD R8, R0.H1, R2.H1, RZ\n"
      "  XMAD.CHI R4, R0.H1, R2, R4\n  IADD3.RS R6, R4, R5, R8\n  MOV R7, RZ\n",
      words);
  compare(high, words, [](std::uint64_t a, std::uint64_t b) { return (a & 0xffffffff) * (b & 0xffffffff) >> 32; });
  const auto with_signs = results(
      "  XMAD R4, R0, R2, RZ\n  XMAD.U16.S16 R5, R0, R2.H1, RZ\n  XMAD.S16.S16.CSFU R8, R0.H1, R2.H1, RZ\n"
      "  XMAD.S16.U16.CHI R4, R0.H1, R2, R4\n  IADD3.RS R6, R4, R5, R8\n  MOV R7, RZ\n",
      words);
  compare(with_signs, words, [](std::uint64_t a, std::uint64_t b) {
    const std::int64_t product = std::int64_t{static_cast<std::int32_t>(a)} * static_cast<std::int32_t>(b);
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32);
  });
}

TEST(Sass64, CarriesGoThroughCc) {
  const auto words = words_of_lanes();
  compare(results("  IADD R6.CC, R0, R2\n  IADD.X R7, R1, R3\n", words), words, std::plus<std::uint64_t>());
  compare(results("  IADD R6.CC, R0, -R2\n  IADD.X R7, R1, -R3\n", words), words, std::minus<std::uint64_t>());
  compare(results("  IADD3 R6.CC, R0, R2, -R1\n  IADD3.X R7, R1, R3, -R0\n", words), words,
          [](std::uint64_t a, std::uint64_t b) { return a + b - (a << 32 | a >> 32); });
  compare(results("  LEA R6.CC, R0, R2, 0x5\n  LEA.HI.X R7, R0, R3, R1, 0x5\n", words), words,
          [](std::uint64_t a, std::uint64_t b) { return (a << 5) + b; });
}

TEST(Sass64, ComparesLongNumbersByCc) {
  const auto words = words_of_lanes();
  const auto truth = [&](const std::string& how) {
    return results("  IADD RZ.CC, R0, -R2\n  ISET." + how + ".X.AND R6, R1, R3, PT\n  MOV R7, RZ\n", words);
  };
  const auto yes = [](bool value) -> std::uint64_t { return value ? 0xffffffff : 0; };
  using U = std::uint64_t;
  const auto less = [](U a, U b) { return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b); };
  compare(truth("LT"), words, [&](U a, U b) { return yes(less(a, b)); });
  compare(truth("GE"), words, [&](U a, U b) { return yes(!less(a, b)); });
  compare(truth("GT"), words, [&](U a, U b) { return yes(less(b, a)); });
  compare(truth("LE.U32"), words, [&](U a, U b) { return yes(a <= b); });
  compare(truth("NE"), words, [&](U a, U b) { return yes(a != b); });
  compare(results("  IMNMX.U32.XHI R7.CC, R1, R3, PT\n  IMNMX.U32.XLO R6, R0, R2, PT\n", words), words,
          [](U a, U b) { return std::min(a, b); });
  compare(results("  IMNMX.XHI R7.CC, R1, R3, !PT\n  IMNMX.U32.XLO R6, R0, R2, !PT\n", words), words,
          [&](U a, U b) { return less(a, b) ? b : a; });
}

TEST(Sass64, ExtractsAndInsertsBits) {
  const auto words = words_of_lanes();
  compare(results("  BFE.U32 R6, R0, 0x914\n  BFE R7, R0, 0x914\n", words), words, [](std::uint64_t a, std::uint64_t) {
    const auto field = static_cast<std::uint32_t>(a) >> 20 & 0x1ff;
    const auto with_sign = static_cast<std::uint32_t>(static_cast<std::int32_t>(field << 23) >> 23);
    return field | std::uint64_t{with_sign} << 32;
  });
  compare(results("  BFI R6, R0, 0x808, R2\n  MOV R7, RZ\n", words), words,
          [](std::uint64_t a, std::uint64_t b) { return (b & 0xffff00ff) | (a & 0xff) << 8; });
}

using U = std::uint64_t;
U pair_of(std::uint32_t low, std::uint32_t high) { return low | U{high} << 32; }
std::uint32_t all_if(bool value) { return value ? 0xffffffff : 0; }

TEST(Sass64, TestsOfCcAreComparisons) {
  const auto words = words_of_lanes();
  const auto both = [&](const char* first, const char* second) {
    return results(
        fmt::format("  IADD RZ.CC, R0, -R2\n  CSET.{}.AND R6, CC, PT\n  CSET.{}.AND R7, CC, PT\n", first, second),
        words);
  };
  const auto a32 = [](U x) { return static_cast<std::uint32_t>(x); };
  const auto s32 = [](U x) { return static_cast<std::int32_t>(x); };
  compare(both("LO", "HI"), words, [&](U a, U b) { return pair_of(all_if(a32(a) < a32(b)), all_if(a32(a) > a32(b))); });
  compare(both("LS", "NE"), words,
          [&](U a, U b) { return pair_of(all_if(a32(a) <= a32(b)), all_if(a32(a) != a32(b))); });
  compare(both("LT", "GE"), words,
          [&](U a, U b) { return pair_of(all_if(s32(a) < s32(b)), all_if(s32(a) >= s32(b))); });
  compare(both("LE", "GT"), words,
          [&](U a, U b) { return pair_of(all_if(s32(a) <= s32(b)), all_if(s32(a) > s32(b))); });
}

TEST(Sass64, SumsSaturateAddOneAndShift) {
  const auto words = words_of_lanes();
  compare(results("  IADD.SAT R6, R0, R2\n  IADD.PO R7, R0, R2\n", words), words, [](U a, U b) {
    const std::int64_t sum = std::int64_t{static_cast<std::int32_t>(a)} + static_cast<std::int32_t>(b);
    const auto kept = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    return pair_of(static_cast<std::uint32_t>(kept), static_cast<std::uint32_t>(a + b + 1));
  });
  compare(results("  IADD3.LS R6, R0, R2, R1\n  XMAD.CLO R7, R0, R2, R1\n", words), words, [](U a, U b) {
    const auto c = static_cast<std::uint32_t>(a >> 32);
    return pair_of((static_cast<std::uint32_t>(a + b) << 16) + c,
                   static_cast<std::uint32_t>((a & 0xffff) * (b & 0xffff)) + (c & 0xffff));
  });
}

TEST(Sass64, LogicAndChoices) {
  const auto words = words_of_lanes();
  compare(results("  LOP.XOR R6, R0, R2\n  LOP.PASS_B R7, R0, R2\n", words), words,
          [](U a, U b) { return pair_of(static_cast<std::uint32_t>(a ^ b), static_cast<std::uint32_t>(b)); });
  compare(results("  LOP.XOR.Z P0, RZ, R0, R2\n  SEL R6, R1, RZ, P0\n  ICMP.GE R7, R0, R2, R1\n", words), words,
          [](U a, U b) {
            const bool same = static_cast<std::uint32_t>(a) == static_cast<std::uint32_t>(b);
            return pair_of(same ? static_cast<std::uint32_t>(a >> 32) : 0, static_cast<std::uint32_t>(a >> 63 ? b : a));
          });
}

TEST(Sass64, FieldsAndShiftsBeyondTheWord) {
  const auto words = words_of_lanes();
  compare(results("  BFE R6, R0, 0x828\n  BFI R7, R0, 0x820, R2\n", words), words,
          [](U a, U b) { return pair_of(all_if((a >> 31 & 1) != 0), static_cast<std::uint32_t>(b)); });
  compare(results("  BFE.U32 R6, R0, RZ\n  MOV32I R4, 0x21\n  SHL R7, R0, R4\n", words), words,
          [](U, U) { return U{0}; });
  compare(results("  MOV32I R4, 0x24\n  SHL.W R6, R0, R4\n  SHR R7, R0, 0x4\n", words), words, [](U a, U) {
    return pair_of(static_cast<std::uint32_t>(a << 4), static_cast<std::uint32_t>(static_cast<std::int32_t>(a) >> 4));
  });
}

TEST(Sass64, OtherFormsOfShiftsAndProducts) {
  const auto words = words_of_lanes();
  compare(results("  SHF.L.W R6, R0, 0x8, R1\n  BFE.U32.BREV R7, R0, 0x2000\n", words), words, [](U a, U) {
    std::uint32_t reversed = 0;
    for (int i = 0; i < 32; ++i) reversed |= static_cast<std::uint32_t>(a >> i & 1) << (31 - i);
    return pair_of(static_cast<std::uint32_t>(a << 8 >> 32), reversed);
  });
  compare(results("  XMAD R6.CC, R0, R2, R1\n  XMAD.X R7, R0.H1, R2.H1, R3\n", words), words, [](U a, U b) {
    const U low = (a & 0xffff) * (b & 0xffff) + (a >> 32);
    return pair_of(static_cast<std::uint32_t>(low),
                   static_cast<std::uint32_t>((a >> 16 & 0xffff) * (b >> 16 & 0xffff) + (b >> 32) + (low >> 32)));
  });
  compare(results("  VSHL.U32.U32.W R6, R0, R2, RZ\n  VADD.MIN R7, R0, R2, R1\n", words), words, [](U a, U b) {
    const auto least = std::min(static_cast<std::int32_t>(a + b), static_cast<std::int32_t>(a >> 32));
    return pair_of(static_cast<std::uint32_t>(a) << (b & 31), static_cast<std::uint32_t>(least));
  });
}

TEST(Sass64, PackedBytesAndHalves) {
  const auto words = words_of_lanes();
  const auto each = [](U a, U b, int bits, auto work) {
    std::uint32_t packed = 0;
    for (int at = 0; at < 32; at += bits) {
      const auto x = static_cast<std::uint32_t>(a) << (32 - bits - at), y = static_cast<std::uint32_t>(b)
                                                                            << (32 - bits - at);
      const std::int64_t result =
          work(static_cast<std::int32_t>(x) >> (32 - bits), static_cast<std::int32_t>(y) >> (32 - bits));
      packed |= (static_cast<std::uint32_t>(result) & ((1u << bits) - 1)) << at;
    }
    return packed;
  };
  compare(results("  VADD4.UD.U8.U8 R6, R0, -R2, RZ\n  VADD2.SAT R7, R0, R2, RZ\n", words), words, [&](U a, U b) {
    return pair_of(each(a, b, 8, [](int x, int y) { return x - y; }),
                   each(a, b, 16, [](int x, int y) { return std::clamp(x + y, -0x8000, 0x7fff); }));
  });
  compare(results("  VABSDIFF2.SD.SAT R6, R0, RZ, RZ\n  VABSDIFF4.U8.U8.ACC R7, R0, R2, R1\n", words), words,
          [&](U a, U b) {
            auto sum = static_cast<std::uint32_t>(a >> 32);
            for (int at = 0; at < 32; at += 8)
              sum += static_cast<std::uint32_t>(
                  std::abs(static_cast<int>(a >> at & 255) - static_cast<int>(b >> at & 255)));
            return pair_of(each(a, 0, 16, [](int x, int) { return std::min(std::abs(x), 0x7fff); }), sum);
          });
  compare(results("  VMNMX4.UD.U8.U8.MX R6, R0, R2, RZ\n  VSET2.LT R7, R0, R2, RZ\n", words), words, [&](U a, U b) {
    return pair_of(each(a, b, 8, [](int x, int y) { return std::max(x & 255, y & 255); }),
                   each(a, b, 16, [](int x, int y) { return x < y ? 1 : 0; }));
  });
  compare(results("  VMNMX2 R6, R0, R2, RZ\n  VADD4.AVRG R7, R0, R2, RZ\n", words), words, [&](U a, U b) {
    return pair_of(each(a, b, 16, [](int x, int y) { return std::min(x, y); }),
                   each(a, b, 8, [](int x, int y) { return (x + y + (x + y >= 0 ? 1 : 0)) >> 1; }));
  });
  EXPECT_THROW(results("  VADD4.UD.U8.U8 R6, R0, R2, R1\n", words), NotSupported) << "merged with a register";
}

TEST(Sass64, PredicatesAndSigns) {
  const auto words = words_of_lanes();
  compare(results("  ISETP.LT.AND P0, PT, R0, R2, PT\n  PSETP.AND.AND P1, P2, P0, PT, PT\n  SEL R6, R1, RZ, P1\n"
                  "  SEL R7, R1, RZ, P2\n",
                  words),
          words, [](U a, U b) {
            const bool less = static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
            const auto c = static_cast<std::uint32_t>(a >> 32);
            return pair_of(less ? c : 0, less ? 0 : c);
          });
  compare(results("  I2I.S32.S32 RZ.CC, R0\n  CSETP.SFT.AND P0, PT, CC, PT\n  SEL R6, R1, RZ, P0\n"
                  "  IADD RZ.CC, R0, -R2\n  CSETP.HS.AND P0, PT, CC, PT\n  SEL R7, R1, RZ, P0\n",
                  words),
          words, [](U a, U b) {
            const auto c = static_cast<std::uint32_t>(a >> 32);
            const bool same_or_higher = static_cast<std::uint32_t>(a) >= static_cast<std::uint32_t>(b);
            return pair_of((a >> 31 & 1) != 0 ? c : 0, same_or_higher ? c : 0);
          });
  compare(results("  I2I.S32.S32 RZ.CC, R0\n  CSETP.LT.AND P0, PT, CC, PT\n  SEL R6, R1, RZ, P0\n"
                  "  MOV32I R4, 0x7fc00000\n  F2I.S32.F32.TRUNC R7, R4\n",
                  words),
          words, [](U a, U) { return (a >> 31 & 1) != 0 ? a >> 32 : 0; });
}

TEST(Sass64, ASignBelongsToTheNumberBeforeItSaturates) {
  const auto words = words_of_lanes();
  compare(results("  I2I.S32.S32.SAT R6, -R0\n  I2I.S32.S32.SAT R7, |R1|\n", words), words, [](U a, U) {
    const std::int64_t minus = -std::int64_t{static_cast<std::int32_t>(a)};
    const std::int64_t size = std::abs(std::int64_t{static_cast<std::int32_t>(a >> 32)});
    return pair_of(static_cast<std::uint32_t>(std::min<std::int64_t>(minus, INT32_MAX)),
                   static_cast<std::uint32_t>(std::min<std::int64_t>(size, INT32_MAX)));
  });
}

TEST(Sass64, ComparesFloatingPointNumbers) {
  const auto words = words_of_lanes();
  const auto single = [](U x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x)); };
  const auto wide = [](U x) { return std::bit_cast<double>(x); };
  compare(results("  FCMP.GE R6, R0, R2, R1\n  FSET.BF.GT.AND R7, R0, R2, PT\n", words), words, [&](U a, U b) {
    return pair_of(static_cast<std::uint32_t>(single(a >> 32) >= 0 ? a : b), single(a) > single(b) ? 0x3f800000 : 0);
  });
  compare(results("  FCMP R6, R0, R2, R1\n  FCMP.LEU R7, R0, R2, R1\n", words), words, [&](U a, U b) {
    const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
    return pair_of(single(a >> 32) > 0 ? x : y, single(a >> 32) > 0 ? y : x);
  });
  compare(results("  DMNMX R6, R0, R2, PT\n", words), words, [&](U a, U b) {
    return wide(a) != wide(a) ? b : wide(b) != wide(b) || wide(a) < wide(b) ? a : b;
  });
  compare(results("  DSET.LT.AND R6, R0, R2, PT\n  MOV R7, RZ\n", words), words,
          [&](U a, U b) { return U{all_if(wide(a) < wide(b))}; });
}

TEST(Sass64, AFormThatWouldLoseCcIsNotSupported) {
  EXPECT_THROW(results("  FADD R6.CC, R0, R2\n", words_of_lanes()), NotSupported);
}

/// The masks with which one warp comes to instruction `index`.
std::vector<std::uint32_t> masks(std::uint32_t index, const std::string& code, int sm = kSm) {
  const auto kernel = kernel_of(code, sm);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.params = pack(std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0});
  Steps steps;
  run(*kernel, launch, memory, {.recorder = &steps});
  return masks_at(steps, index);
}

/// The first eight threads go to `low` and there do as it says; the others wait for them.
std::string branch(const std::string& low) {
  return R"(
  S2R R0, SR_LANEID
  SSY join
  ISETP.LT.AND P0, PT, R0, 0x8, PT
  @P0 BRA low
  SYNC
low:
  )" + low +
         R"(
join:
  EXIT
)";
}

TEST(Sass64, SidesOfABranchMeetBehindSync) {
  EXPECT_THAT(masks(4, branch("SYNC")), ElementsAre(0xffffff00u)) << "the threads that fall through run first";
  EXPECT_THAT(masks(5, branch("SYNC")), ElementsAre(0x000000ffu));
  EXPECT_THAT(masks(6, branch("SYNC")), ElementsAre(0xffffffffu));
}

TEST(Sass64, ThreadsThatHaveEndedDoNotMeetTheOthers) {
  EXPECT_THAT(masks(6, branch("EXIT")), ElementsAre(0xffffff00u));
}

// Lane n leaves the loop after n turns, from within a branch whose other side goes on.
TEST(Sass64, ThreadsThatBreakWaitBehindTheLoop) {
  constexpr const char* kLoop = R"(
  S2R R0, SR_LANEID
  MOV R1, RZ
  PBK after
turn:
  SSY both
  ISETP.EQ.AND P0, PT, R0, R1, PT
  @!P0 BRA other
  BRK
other:
  SYNC
both:
  IADD32I R1, R1, 0x1
  BRA turn
after:
  EXIT
)";
  const auto turns = masks(8, kLoop);
  ASSERT_EQ(turns.size(), 31u);
  EXPECT_EQ(turns.front(), 0xfffffffeu);
  EXPECT_EQ(turns.back(), 0x80000000u);
  EXPECT_THAT(masks(10, kLoop), ElementsAre(0xffffffffu));
}

TEST(Sass64, AllThreadsContinueBehindACallOfSome) {
  constexpr const char* kCall = R"(
  S2R R0, SR_LANEID
  ISETP.LT.AND P0, PT, R0, 0x4, PT
  @P0 CAL function
  EXIT
function:
  ISETP.LT.AND P1, PT, R0, 0x2, PT
  @P1 RET
  RET
)";
  EXPECT_THAT(masks(4, kCall), ElementsAre(0xfu));
  EXPECT_THAT(masks(6, kCall), ElementsAre(0xcu));
  EXPECT_THAT(masks(3, kCall), ElementsAre(0xffffffffu));
}

TEST(Sass64, AWarpArrivesAtABarrierAsAWhole) {
  constexpr const char* kBarrier = R"(
  S2R R0, SR_LANEID
  SSY join
  ISETP.LT.AND P0, PT, R0, 0x8, PT
  @P0 BRA low
  BAR.SYNC 0x0
low:
  SYNC
join:
  EXIT
)";
  EXPECT_THAT(masks(4, kBarrier), ElementsAre(0xffffff00u));
  EXPECT_THAT(masks(6, kBarrier), ElementsAre(0xffffffffu));
}

// The lane that gets the lock waits for the others, which wait for the lock: hardware with a stack hangs here.
TEST(Sass64, ALockBetweenLanesOfAWarpEndsWithTheCircle) {
  const auto kernel = kernel_of(R"(
  SSY locked
again:
  MOV R2, c[0x0][0x140]
  MOV R3, c[0x0][0x144]
  MOV R4, RZ
  MOV32I R5, 0x1
  ATOM.E.CAS R0, [R2], R4, R5
  ISETP.NE.AND P0, PT, R0, RZ, PT
  @P0 BRA again
  SYNC
locked:
  EXIT
)");
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.watchdog = 100;
  launch.params =
      pack(copy_in(memory, std::vector<std::uint32_t>{0}), std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0});
  try {
    run(*kernel, launch, memory, {});
    FAIL() << "it ended";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("wait for each other in a circle"));
    EXPECT_THAT(error.what(), HasSubstr("waits on the stack of its warp for"));
  }
}

constexpr int kKepler = 35;

// The sequences of CUDA 11.8's compiler for sm_35.
TEST(Kepler, MultipliesWordsAndAddsWithCarries) {
  const auto words = words_of_lanes();
  compare(results("  IMUL R6, R0, R2\n  IMUL.U32.U32.HI R7, R0, R2\n", words, kKepler), words,
          [](std::uint64_t a, std::uint64_t b) { return (a & 0xffffffff) * (b & 0xffffffff); });
  compare(
      results("  MOV R4, R1\n  IMAD.U32.U32 R6.CC, R0, R2, R3\n  IMAD.U32.U32.HI.X R7, R0, R2, R4\n", words, kKepler),
      words, [](std::uint64_t a, std::uint64_t b) {
        return (a & 0xffffffff) * (b & 0xffffffff) + (b >> 32 | (a >> 32 << 32));
      });
  compare(results("  IMAD.U32.U32 R6.CC, -R0, R2, R3\n  IMAD.HI R7, R0, R2, -R1\n", words, kKepler), words,
          [](std::uint64_t a, std::uint64_t b) {
            const auto low = static_cast<std::uint32_t>((b >> 32) - a * b);
            const std::int64_t wide = std::int64_t{static_cast<std::int32_t>(a)} * static_cast<std::int32_t>(b);
            return low | (static_cast<std::uint64_t>(wide) / (std::uint64_t{1} << 32) - (a >> 32)) << 32;
          });
  // A product of 0 borrows nothing from the upper word.
  compare(results("  IMAD.U32.U32 R6.CC, -R0, R2, R3\n  IADD.X R7, -R1, R2\n", words, kKepler), words,
          [](std::uint64_t a, std::uint64_t b) {
            const std::uint64_t low = static_cast<std::uint32_t>((a & 0xffffffff) * (b & 0xffffffff)), from = b >> 32;
            const auto high = static_cast<std::uint32_t>(b - (a >> 32) - (from < low ? 1 : 0));
            return static_cast<std::uint32_t>(from - low) | std::uint64_t{high} << 32;
          });
  compare(results("  IMAD.U32.U32 R6.CC, -R0, R2, R3\n  IMAD.U32.U32.HI.X R7, -R0, R2, R1\n", words, kKepler), words,
          [](std::uint64_t a, std::uint64_t b) {
            return (b >> 32 | (a >> 32 << 32)) - (a & 0xffffffff) * (b & 0xffffffff);
          });
  compare(results("  ISUB R6.CC, R0, R2\n  ISUB.X R7, R1, R3\n", words, kKepler), words, std::minus<std::uint64_t>());
  compare(results("  POPC R6, R0, R2\n  ISAD.U32 R7, R0, R2, R1\n", words, kKepler), words,
          [](std::uint64_t a, std::uint64_t b) {
            const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
            const std::uint32_t sad = (x < y ? y - x : x - y) + static_cast<std::uint32_t>(a >> 32);
            return static_cast<std::uint32_t>(std::popcount(x & y)) | std::uint64_t{sad} << 32;
          });
}

// An instruction that ends with .S is executed before its threads wait.
TEST(Kepler, TheSuffixSyncsBehindAnInstruction) {
  constexpr const char* kSuffix = R"(
  S2R R0, SR_LANEID
  SSY join
  ISETP.LT.AND P0, PT, R0, 0x8, PT
  @P0 NOP.S
  ISETP.LT.AND P1, PT, R0, 0x10, PT
  @P1 NOP.S
  IADD32I.S R0, R0, 0x20
join:
  ISETP.GE.AND P2, PT, R0, 0x20, PT
  @P2 BRA added
  EXIT
added:
  EXIT
)";
  EXPECT_THAT(masks(4, kSuffix, kKepler), ElementsAre(0xffffff00u));
  EXPECT_THAT(masks(6, kSuffix, kKepler), ElementsAre(0xffff0000u));
  EXPECT_THAT(masks(7, kSuffix, kKepler), ElementsAre(0xffffffffu));
  EXPECT_THAT(masks(10, kSuffix, kKepler), ElementsAre(0xffff0000u)) << "the sum was written";
  EXPECT_THROW(masks(0, kSuffix), NotSupported) << "on later architectures the suffix has no meaning";
}

// All threads add to one word: one gets the lock, the others try again.
TEST(Kepler, ReadOnlyLoadsHavePhasesOfTheTexturePath) {
  constexpr const char* kLoads =
      "  ISCADD R8.CC, R12, c[0x0][0x140], 0x4\n  IADD.X R9, RZ, c[0x0][0x144]\n"
      "  LDG.E.T R6, [R8]\n  LDG.E.P R7, [R8+0x8]\n  TEXDEPBAR 0x0\n";
  const auto words = words_of_lanes();
  compare(results(kLoads, words, kKepler), words,
          [](std::uint64_t a, std::uint64_t b) { return (a & 0xffffffff) | b << 32; });
  EXPECT_THROW(results(kLoads, words), NotSupported) << "later architectures have no phases";
}
TEST(Kepler, LocksOrderThreadsThatAddToOneWord) {
  const auto kernel = kernel_of(R"(
  S2R R0, SR_LANEID
  LOP32I.AND R5, R0, 0x4
  SSY done
again:
  LDSLK P1, R2, [R5]
  @P1 IADD32I R2, R2, 0x1
  PSETP.AND.AND P2, PT, !PT, PT, PT
  @P1 STSCUL P2, [R5], R2
  @!P2 BRA again
  NOP.S
done:
  LDS R6, [R5]
  ISCADD R10.CC, R0, c[0x0][0x140], 0x2
  IADD.X R11, RZ, c[0x0][0x144]
  ST.E [R10], R6
  EXIT
)",
                                kKepler);
  DeviceMemory memory;
  const std::uint64_t out = memory.allocate(128);
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.dynamic_shared = 64;
  launch.params = pack(out, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0});
  run(*kernel, launch, memory, {});
  EXPECT_EQ(copy_out<std::uint32_t>(memory, out, 32), std::vector<std::uint32_t>(32, 16));
}

// PTX ISA, "Scalar Video Instructions".
TEST(Sass64, VideoInstructionsWorkOnPartsOfRegisters) {
  const auto words = words_of_lanes();
  const auto pair = [](std::int64_t low, std::int64_t high) {
    return static_cast<std::uint32_t>(low) | std::uint64_t{static_cast<std::uint32_t>(high)} << 32;
  };
  const auto half = [](std::uint64_t x, int n) { return std::int64_t{static_cast<std::int16_t>(x >> 16 * n)}; };
  compare(results("  VADD.UD.U8.S16.SAT R6, R0.B1, R2.H1, RZ\n  VADD.S16.S16.ACC R7, R0, -R2.H1, R1\n", words), words,
          [&](std::uint64_t a, std::uint64_t b) {
            const auto sum = static_cast<std::int64_t>(a >> 8 & 0xff) + half(b, 1);
            return pair(std::max<std::int64_t>(sum, 0), half(a, 0) - half(b, 1) + static_cast<std::int64_t>(a >> 32));
          });
  compare(results("  VMAD.S16.S16.SHR_7 R6, R0, R2.H1, -R1\n  VMAD.U16.U16.PO R7, R0.H1, R2, R3\n", words), words,
          [&](std::uint64_t a, std::uint64_t b) {
            const std::int64_t c = static_cast<std::int32_t>(a >> 32);
            const std::uint64_t product = (a >> 16 & 0xffff) * (b & 0xffff) + (b >> 32) + 1;
            return pair((half(a, 0) * half(b, 1) - c) >> 7, static_cast<std::int64_t>(product));
          });
  compare(results("  VMNMX.S16.S16.MX R6, R0, R2.H1, RZ\n  VADD.MRG_16H R7, R0, R2, R1\n", words), words,
          [&](std::uint64_t a, std::uint64_t b) {
            return pair(std::max(half(a, 0), half(b, 1)),
                        static_cast<std::int64_t>((a >> 32 & 0xffff) | ((a + b) << 16 & 0xffff0000)));
          });
  compare(results("  VSET.GE.U32.U32.ACC R6, R0, R2, R1\n  VSHR.S32.U8.W R7, R0, R2.B1, RZ\n", words), words,
          [&](std::uint64_t a, std::uint64_t b) {
            const bool yes = static_cast<std::uint32_t>(a) >= static_cast<std::uint32_t>(b);
            return pair(static_cast<std::int64_t>(a >> 32) + yes, static_cast<std::int32_t>(a) >> (b >> 8 & 31));
          });
}

/// Of two textures of 4 x 2 texels with a smaller level of 2 x 1: 100 times the number, 50 at the smaller level, 10 y,
/// x.
Texture numbered(DeviceMemory& memory, float number) {
  const auto image = [&](std::uint32_t width, std::uint32_t height, float first) {
    std::vector<float> texels;
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) texels.push_back(100 * number + first + static_cast<float>(10 * y + x));
    emu::Image made;
    made.address = copy_in(memory, texels);
    made.pitch = width * 4;
    made.width = width;
    made.height = height;
    return made;
  };
  Texture made;
  made.image = image(4, 2, 0);
  made.dimensions = 2;
  made.smaller = {image(2, 1, 50)};
  made.most_level = 1;
  return made;
}

/// What the code reads to R6, where R0 to R3 are a lane's object, x, y and level; the parameter at 0x148 is object 2.
std::vector<float> texels(const std::string& code, int sm) {
  DeviceMemory memory;
  Textures textures;
  for (const float number : {1.0f, 2.0f}) textures.add(numbered(memory, number));
  const auto kernel = kernel_of(R"(
  S2R R10, SR_LANEID
  LOP.AND R0, R10, 0x1
  IADD R0, R0, 0x1
  SHR.U32 R1, R10, 0x1
  LOP.AND R1, R1, 0x3
  I2F.F32.U32 R1, R1
  SHR.U32 R2, R10, 0x3
  LOP.AND R2, R2, 0x1
  I2F.F32.U32 R2, R2
  SHR.U32 R3, R10, 0x4
  I2F.F32.U32 R3, R3
)" + code + R"(
  ISCADD R10.CC, R10, c[0x0][0x140], 0x2
  IADD.X R11, RZ, c[0x0][0x144]
  ST.E [R10], R6
  EXIT
)",
                                sm);
  const std::uint64_t out = memory.allocate(128);
  LaunchConfig launch{.grid = {1}, .block = {32}, .textures = &textures};
  launch.params = pack(out, std::uint64_t{2}, std::uint64_t{0}, std::uint64_t{0});
  run(*kernel, launch, memory, {});
  return copy_out<float>(memory, out, 32);
}

/// `own`: each lane has its object. `levels`: and its level.
std::vector<float> texels_expected(bool own, bool levels) {
  std::vector<float> values;
  for (int lane = 0; lane < 32; ++lane) {
    const bool small = levels && lane >= 16;
    const int x = lane / 2 % 4, y = lane / 8 % 2, number = own ? lane % 2 + 1 : 2;
    values.push_back(static_cast<float>(100 * number + (small ? 50 + std::min(x, 1) : 10 * y + x)));
  }
  return values;
}

TEST(Sass64, TexturesHaveTheObjectInTheSecondGroupAndTheLevelBehindIt) {
  constexpr const char* kGroup = "  MOV R4, R0\n  MOV R5, R3\n";
  EXPECT_EQ(texels("  TEX.LL.P R6, R1, R3, 0x52, 2D, 0x1\n", 52), texels_expected(false, true));
  EXPECT_EQ(texels(std::string(kGroup) + "  TEX.B.P R6, R1, R4, 0x0, 2D, 0x1\n", 52), texels_expected(true, false));
  EXPECT_EQ(texels(std::string(kGroup) + "  TEX.B.LL.P R6, R1, R4, 0x0, 2D, 0x1\n", 52), texels_expected(true, true));
}

TEST(Kepler, TexturesHaveTheObjectTheCoordinatesAndTheLevelInOneRow) {
  EXPECT_EQ(texels("  TEX.LL.P R6, R1, 0x52, 2D, 0x1\n", 37), texels_expected(false, true));
  EXPECT_EQ(texels("  TEX.B.P R6, R0, 0x0, 2D, 0x1\n", 37), texels_expected(true, false));
  EXPECT_EQ(texels("  TEX.B.LL.P R6, R0, 0x0, 2D, 0x1\n", 37), texels_expected(true, true));
  // Five words: the level begins the second group.
  EXPECT_EQ(texels("  MOV R4, R3\n  MOV R3, RZ\n  TEX.B.LL.P R6, R0, R4, 0x0, 3D, 0x1\n", 37),
            texels_expected(true, true));
}

TEST(Sass64, TheObjectPrecedesCoordinatesWithDerivatives) {
  for (const int sm : {37, 52})
    EXPECT_EQ(
        texels("  MOV R4, RZ\n  MOV R5, RZ\n  MOV R6, RZ\n  MOV R7, RZ\n  TXD.B.P R6, R0, R4, 0x0, 2D, 0x1\n", sm),
        texels_expected(true, false));
}

TEST(Sass64, ASyncWithoutItsPlaceIsAFault) { EXPECT_THROW(masks(0, "  SYNC\n  EXIT\n"), DeviceFault); }

}  // namespace
}  // namespace sassim::emu
