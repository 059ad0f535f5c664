// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/emu/core/semantics.h"

namespace sassim::emu {
namespace {

TEST(OpcodeTable, DocumentIsCurrent) {
  const std::string path = SASSIM_SOURCE_DIR "/docs/opcodes.md";
  if (std::getenv("SASSIM_UPDATE")) std::ofstream(path) << opcode_table_markdown();
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), opcode_table_markdown()) << "run this test with SASSIM_UPDATE=1";
}

TEST(OpcodeTable, NamesEachOpcodeOnce) {
  std::set<std::pair<isa::InstructionSet, std::string_view>> seen;
  for (std::span<const Semantics> family : all_semantics())
    for (const Semantics& row : family) EXPECT_TRUE(seen.insert({row.set, row.mnemonic}).second) << row.mnemonic;
}

TEST(OpcodeTable, NamesArchitecturesThatExist) {
  for (std::span<const Semantics> family : all_semantics())
    for (const Semantics& row : family) EXPECT_NE(isa::find_architecture(row.first_sm), nullptr) << row.mnemonic;
}

}  // namespace
}  // namespace sassim::emu
