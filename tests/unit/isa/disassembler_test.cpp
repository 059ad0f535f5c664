// SPDX-License-Identifier: Apache-2.0
// The disassembler is another program: what it does with a damaged cubin is not in our hands.
#include "sim/isa/disassembler.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "sim/isa/toolkit.h"

namespace sassim::isa {
namespace {

class Disassembler : public testing::Test {
 protected:
  // Not in TestFolder's place: no program may run from memory on some machines.
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    ::unsetenv("SASSIM_NVDISASM");
    ::unsetenv("SASSIM_NVDISASM_SECONDS");
    ::unsetenv("SASSIM_CUDA12");
  }
  /// A program of this name below the folder.
  std::string program(const std::string& name, const std::string& script) {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n" << script << '\n';
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  /// What disassemble() says when this script is the disassembler. Each cubin is disassembled once, so they differ.
  std::string error_with(const std::string& script, const char* seconds) {
    ::setenv("SASSIM_NVDISASM", program("nvdisasm", script).c_str(), 1);
    ::setenv("SASSIM_NVDISASM_SECONDS", seconds, 1);
    const std::vector<std::uint8_t> cubin(script.begin(), script.end());
    try {
      disassemble(cubin, "a.cubin");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  std::string nvdisasm() const { return folder_ / "nvdisasm"; }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("sassim-disassembler-" + std::to_string(::getpid()));
};

TEST_F(Disassembler, IsStoppedWhenItDoesNotEnd) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string error = error_with("exec sleep 1000", "1");
  EXPECT_TRUE(error.starts_with("a.cubin: " + nvdisasm() + " had not ended after 1 s and was stopped")) << error;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(Disassembler, IsStoppedWhenItPrintsWithoutEnd) {
  const std::string error = error_with("exec yes", "100");
  EXPECT_TRUE(error.starts_with("a.cubin: " + nvdisasm() + " printed over 16")) << error;
}

TEST_F(Disassembler, RefusalIsQuotedInOneLineThatATerminalCanShow) {
  EXPECT_EQ(error_with("printf 'fatal \\033[2J\\nmore\\n'; exit 1", "100"),
            "a.cubin: " + nvdisasm() + " refused it: fatal \\x1b[2J");
}

TEST_F(Disassembler, TimeIsANumberOfSeconds) {
  for (const char* wrong : {"0", "x", "1.5", "99999999999"})
    EXPECT_TRUE(error_with("exit 0", wrong).starts_with("SASSIM_NVDISASM_SECONDS: expected")) << wrong;
}

/// The header of a cubin of a toolkit: 118 for 11.8, 130 for 13.0.
std::vector<std::uint8_t> cubin_of(int toolkit) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_ABIVERSION] = toolkit < 130 ? 7 : 8;
  header.e_machine = 190;
  header.e_version = toolkit < 130 ? static_cast<Elf64_Word>(toolkit) : 1;
  std::vector<std::uint8_t> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

// CUDA 12's disassembler prints what 11.8's leaves out; programs of CUDA 11 keep the text that they had.
TEST_F(Disassembler, IsThatOfTheToolkitThatMadeTheCubin) {
  const std::string newer = program("bin/nvdisasm", "exit 0");
  ::setenv("SASSIM_CUDA12", folder_.c_str(), 1);
  const std::string older = "/usr/bin/nvdisasm";
  const bool both = std::filesystem::exists(older);
  for (const int toolkit : {118, 124, 130}) {
    const std::vector<std::string> programs = disassemblers_for(cubin_of(toolkit), "k");
    EXPECT_EQ(programs.size(), both ? 2u : 1u);
    EXPECT_EQ(programs.front(), both && toolkit == 118 ? older : newer) << toolkit;
  }
  ::setenv("SASSIM_NVDISASM", newer.c_str(), 1);
  EXPECT_EQ(disassemblers_for(cubin_of(118), "k"), std::vector{newer}) << "the user's choice is the only one";
}

TEST_F(Disassembler, FolderWithoutItIsNamed) {
  ::setenv("SASSIM_CUDA12", (folder_ / "nowhere").c_str(), 1);
  try {
    disassemblers_for(cubin_of(124), "k");
    FAIL();
  } catch (const NotSupported& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere', where bin/nvdisasm cannot be run"), std::string::npos);
  }
}

TEST_F(Disassembler, IsNamedByWhatItPrinted) {
  const std::string path = program("nvdisasm", "echo '.headerflags @\"EF_CUDA_SM75\"'");
  ::setenv("SASSIM_NVDISASM", path.c_str(), 1);
  disassemble(cubin_of(124), "k");
  EXPECT_TRUE(used_disassemblers().contains(path));
}

}  // namespace
}  // namespace sassim::isa
