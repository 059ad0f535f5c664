// SPDX-License-Identifier: Apache-2.0
// Every instruction that the compiler makes of tests/corpus, for seven architectures: it parses, the table knows it,
// and what is decoded agrees with what the disassembler prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "sim/base/error.h"
#include "sim/isa/code_rules.h"
#include "sim/isa/cubin.h"
#include "sim/isa/disassembler.h"
#include "sim/isa/exact_immediates.h"
#include "sim/isa/opcode.h"
#include "sim/isa/short_listing.h"

namespace sassim::isa {
namespace {

namespace fs = std::filesystem;

std::vector<std::uint8_t> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Disassembly read_listing(fs::path cubin, const char* extension) {
  const auto text = read_file(cubin.replace_extension(extension));
  return parse_disassembly({reinterpret_cast<const char*>(text.data()), text.size()}, cubin.string());
}

class Corpus : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (*SASSIM_CUDA_MISSING != '\0') GTEST_SKIP() << "the corpus is not compiled: " << SASSIM_CUDA_MISSING;
    const std::string suffix = fmt::format(".sm_{}.cubin", GetParam());
    for (const auto& entry : fs::directory_iterator(SASSIM_CORPUS))
      if (entry.path().string().ends_with(suffix)) cubins_.push_back(entry.path());
    ASSERT_GE(cubins_.size(), GetParam() < 50 ? 4u : GetParam() < 70 ? 6u : 10u) << "in " << SASSIM_CORPUS;
    std::sort(cubins_.begin(), cubins_.end());
  }

  template <class Use>
  void each_instruction(Use use) {
    for (const fs::path& path : cubins_)
      for (const Function& function : read_listing(path, ".nvdisasm").functions)
        for (const Instruction& instruction : function.code) use(function, instruction);
  }

  const Architecture& target() const { return architecture(GetParam()); }

  std::vector<fs::path> cubins_;
};

TEST_P(Corpus, ParsesWithoutUnknownOpcodes) {
  std::set<std::string> kernels, opcodes;
  std::size_t instructions = 0, unknown = 0;
  each_instruction([&](const Function& function, const Instruction& instruction) {
    ++instructions;
    kernels.insert(function.name);
    opcodes.insert(instruction.opcode);
    if (find_opcode(instruction.opcode, target().set) != nullptr) return;
    ++unknown;
    ADD_FAILURE() << function.name << ": " << instruction.text();
  });
  fmt::print("sm_{}: {} instructions of {} functions parsed, {} mnemonics, {} unknown\n", GetParam(), instructions,
             kernels.size(), opcodes.size(), unknown);
  EXPECT_GE(kernels.size(), GetParam() < 50 ? 25u : 40u);
}

TEST_P(Corpus, ReuseBitsAgreeWithThePrintedOperands) {
  std::size_t reused = 0;
  each_instruction([&](const Function& function, const Instruction& instruction) {
    std::uint8_t printed = 0;
    for (const RegisterUse& use : decode(instruction, GetParam()).reads)
      if (use.reuse) printed |= static_cast<std::uint8_t>(1u << use.slot);
    std::size_t marks = 0;
    for (const Operand& operand : instruction.operands) marks += operand.reuse;
    reused += marks;
    EXPECT_EQ(printed, instruction.control.reuse) << function.name << ": " << instruction.text();
    EXPECT_EQ(marks, static_cast<std::size_t>(std::popcount(instruction.control.reuse))) << instruction.text();
  });
  if (code_rules(target()).counters)
    EXPECT_GT(reused, 100u);
  else
    EXPECT_EQ(reused, 0u) << "its control words have stall counts alone";
}

TEST_P(Corpus, FixedLatencyInstructionsReleaseNoCounterOnWriting) {
  each_instruction([&](const Function& function, const Instruction& instruction) {
    const Decoded decoded = decode(instruction, GetParam());
    if (decoded.latency == Latency::fixed && !decoded.writes.empty()) {
      EXPECT_EQ(instruction.control.write_counter, kNoCounter) << function.name << ": " << instruction.text();
    }
  });
}

TEST_P(Corpus, BranchTargetsAgreeWithTheEncoding) {
  each_instruction([&](const Function& function, const Instruction& instruction) {
    for (const Operand& operand : instruction.operands)
      if (operand.kind == OperandKind::label) {
        EXPECT_EQ(operand.value % target().code.instruction_bytes(), 0) << function.name << ": " << instruction.text();
        EXPECT_LE(operand.value, static_cast<std::int64_t>(target().code.bytes(function.code.size())))
            << instruction.text();
        EXPECT_GE(operand.value, 0) << instruction.text();
      }
  });
}

// What a kernel declares is the same on sm_86 and later, also where the section has the system's part in it.
TEST_P(Corpus, SharedMemoryIsWhatTheProgramDeclares) {
  if (GetParam() < 80) GTEST_SKIP() << "some programs have less to do on what has fewer features";
  std::size_t with_shared = 0;
  for (const fs::path& path : cubins_) {
    std::string other = path.string();
    other.replace(other.rfind(".sm_"), 6, ".sm_86");
    if (!fs::exists(other)) continue;  // not every program is made for every architecture
    std::map<std::string, std::uint32_t> declared;
    for (const CubinKernel& kernel : read_cubin(read_file(other), other).kernels)
      declared[kernel.name] = kernel.static_shared;
    for (const CubinKernel& kernel : read_cubin(read_file(path), path.string()).kernels) {
      if (!declared.contains(kernel.name)) continue;
      EXPECT_EQ(kernel.static_shared, declared[kernel.name]) << kernel.name;
      with_shared += kernel.static_shared > 0;
    }
  }
  EXPECT_GE(with_shared, 5u);
}

void expect_same(const Instruction& a, const Instruction& b) {
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
  EXPECT_EQ(a.opcode, b.opcode);
  EXPECT_EQ(a.modifiers, b.modifiers) << a.text();
  EXPECT_EQ(a.guard.index, b.guard.index) << a.text();
  EXPECT_EQ(a.guard.negate, b.guard.negate) << a.text();
  ASSERT_EQ(a.operands.size(), b.operands.size()) << a.text() << " and " << b.text();
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    const Operand &x = a.operands[i], &y = b.operands[i];
    EXPECT_EQ(x.kind, y.kind) << a.text();
    EXPECT_EQ(x.value, y.value) << a.text() << " and " << b.text();
    // Only what the linker fills in is printed by name in one listing and as a number in the other.
    if (x.text.find('@') == std::string::npos) {
      EXPECT_EQ(x.text, y.text) << a.text();
    }
  }
}

TEST_P(Corpus, BothDisassemblersSayTheSame) {
  std::size_t compared = 0;
  for (const fs::path& path : cubins_) {
    if (!fs::exists(fs::path(path).replace_extension(".cuobjdump"))) continue;
    const Disassembly ours = read_listing(path, ".nvdisasm"), other = read_listing(path, ".cuobjdump");
    EXPECT_EQ(ours.sm, GetParam());
    EXPECT_EQ(other.sm, GetParam());
    ASSERT_EQ(ours.functions.size(), other.functions.size());
    for (const Function& function : other.functions) {
      const Function* mine = ours.find(function.name);
      ASSERT_NE(mine, nullptr) << function.name;
      ASSERT_EQ(mine->code.size(), function.code.size());
      for (std::size_t i = 0; i < mine->code.size(); ++i) expect_same(mine->code[i], function.code[i]);
      compared += mine->code.size();
    }
  }
  EXPECT_GT(compared, GetParam() < 50 ? 300u : 700u);
}

TEST_P(Corpus, KeptListingsAreShortAndSayTheSame) {
  for (const fs::path& path : cubins_) {
    const auto text = read_file(fs::path(path).replace_extension(".nvdisasm"));
    const std::string_view listing{reinterpret_cast<const char*>(text.data()), text.size()};
    const std::string kept = shortened_listing(listing);
    EXPECT_LT(kept.size() * 4, listing.size()) << path;
    const Disassembly whole = parse_disassembly(listing, path.string());
    const Disassembly same = parse_disassembly(completed_listing(kept, read_file(path), path.string()), path.string());
    EXPECT_EQ(same.sm, whole.sm);
    ASSERT_EQ(same.functions.size(), whole.functions.size()) << path;
    for (std::size_t i = 0; i < whole.functions.size(); ++i) {
      EXPECT_EQ(same.functions[i].name, whole.functions[i].name);
      ASSERT_EQ(same.functions[i].code.size(), whole.functions[i].code.size()) << whole.functions[i].name;
      for (std::size_t at = 0; at < whole.functions[i].code.size(); ++at) {
        const Instruction &a = same.functions[i].code[at], &b = whole.functions[i].code[at];
        EXPECT_TRUE(a.pc == b.pc && a.low == b.low && a.high == b.high && a.text() == b.text()) << b.text();
      }
    }
    EXPECT_EQ(completed_listing(listing, {}, "whole"), listing);
    // Kepler's cubins have padding behind what is listed.
    if (code_rules(target()).counters) {
      EXPECT_THROW(completed_listing(kept + "NOP;\n", read_file(path), path.string()), InputError);
    }
  }
}

TEST_P(Corpus, TheDisassemblerIsRunOnce) {
  const auto bytes = read_file(cubins_.front());
  const auto first = disassemble(bytes, "corpus");
  EXPECT_EQ(first->functions.size(), read_listing(cubins_.front(), ".nvdisasm").functions.size());
  EXPECT_EQ(disassemble(bytes, "corpus again"), first) << "the same bytes, the same listing in memory";
}

// A printed number may be shorter than the one in the instruction.
TEST_P(Corpus, PrintedFloatsAreThoseOfTheEncoding) {
  each_instruction([&](const Function& function, const Instruction& instruction) {
    if (instruction.opcode != "FFMA" && instruction.opcode != "FADD" && instruction.opcode != "FMUL") return;
    for (const Operand& operand : instruction.operands)
      if (operand.kind == OperandKind::fimm) {
        const auto value = static_cast<float>(std::bit_cast<double>(operand.value));
        EXPECT_EQ(std::bit_cast<std::uint32_t>(value), encoded_immediate(instruction, target()))
            << function.name << ": " << instruction.text();
      }
  });
}

TEST_P(Corpus, CubinsSayWhatTheirKernelsNeed) {
  for (const fs::path& path : cubins_) {
    const auto bytes = read_file(path);
    const Cubin cubin = read_cubin(bytes, path.string());
    EXPECT_EQ(cubin.sm, GetParam());
    const Disassembly listing = read_listing(path, ".nvdisasm");
    ASSERT_EQ(cubin.kernels.size(), listing.functions.size());
    for (const CubinKernel& kernel : cubin.kernels) {
      const Function* function = listing.find(kernel.name);
      ASSERT_NE(function, nullptr) << kernel.name;
      const auto code = cubin.code(kernel);
      const CodeLayout layout = target().code;
      const std::uint64_t listed = layout.bytes(function->code.size());
      if (code_rules(target()).counters) {
        ASSERT_EQ(code.size(), listed) << kernel.name;
      } else {  // the end may be padding without a control word
        ASSERT_GE(code.size(), listed) << kernel.name;
        EXPECT_LE(code.size(), listed + layout.unit_bytes()) << kernel.name;
      }
      for (std::size_t i = 0; i < function->code.size(); ++i) {
        std::uint64_t low = 0, high = 0;
        std::memcpy(&low, code.data() + layout.pc(i), sizeof low);
        EXPECT_EQ(low, function->code[i].low);
        if (layout.group() != 0) continue;
        std::memcpy(&high, code.data() + layout.pc(i) + sizeof low, sizeof high);
        EXPECT_EQ(high, function->code[i].high);
      }
      EXPECT_TRUE(kernel.entry) << kernel.name;
      EXPECT_GE(kernel.registers, GetParam() < 70 ? 2u : 4u) << kernel.name;
      EXPECT_EQ(kernel.parameter_base, target().bank.parameters) << kernel.name;
      std::uint32_t end = 0;
      for (const KernelParameter& p : kernel.parameters) {
        EXPECT_GE(p.offset, end) << kernel.name;
        end = p.offset + p.size;
      }
      EXPECT_EQ(kernel.parameter_bytes, end) << kernel.name;
      unsigned highest = 0;
      for (const Instruction& instruction : function->code) {
        const Decoded decoded = decode(instruction, GetParam());
        for (const auto* uses : {&decoded.reads, &decoded.writes})
          for (const RegisterUse& use : *uses)
            if (!use.uniform) highest = std::max(highest, use.first + unsigned{use.count});
      }
      EXPECT_LE(highest, kernel.registers) << kernel.name << ": a fragment or pair is too wide";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sm, Corpus, ::testing::Values(35, 61, 70, 75, 80, 86, 90),
                         [](const auto& parameter) { return fmt::format("sm_{}", parameter.param); });

}  // namespace
}  // namespace sassim::isa
