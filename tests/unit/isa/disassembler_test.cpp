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
#include <iterator>

#include "sim/base/error.h"
#include "sim/isa/cubin.h"
#include "sim/isa/cubin_info.h"
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

// The headers of cubins of CUDA 11, 12 and 13, on an image that CUDA 11.8 made.
namespace sassim::isa {
namespace {

std::vector<std::uint8_t> image() {
  std::ifstream in(SASSIM_BINARY_DIR "/unpacked/seeds/cubin/add-90", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::uint8_t> with_header(std::uint8_t abi, std::uint32_t version, std::uint32_t flags) {
  std::vector<std::uint8_t> bytes = image();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_ident[EI_ABIVERSION] = abi;
  header.e_version = version;
  header.e_flags = flags;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TEST(Cubin, OfCuda13HasItsArchitectureInOtherBits) {
  EXPECT_EQ(toolkit_of(image()), 118);
  const std::vector<std::uint8_t> older = with_header(7, 124, 0x5a0d5a);  // sm_90a
  EXPECT_EQ(read_cubin(older, "k").sm, 90);
  EXPECT_EQ(toolkit_of(older), 124);
  const std::vector<std::uint8_t> newer = with_header(8, 1, 0x06004b04);
  EXPECT_EQ(read_cubin(newer, "k").sm, 75);
  EXPECT_EQ(toolkit_of(newer), 130);
}

TEST(Cubin, OfAnAbiThatNobodyHasSeenIsRefused) {
  try {
    read_cubin(with_header(9, 1, 0x06004b04), "k.cubin");
    FAIL();
  } catch (const NotSupported& error) {
    EXPECT_STREQ(error.what(), "k.cubin: cubins of ABI version 9 are not supported; compile with CUDA 11, 12 or 13");
  }
}

TEST(Cubin, WhatIsNoCubinHasNoToolkit) {
  EXPECT_EQ(toolkit_of({}), 0);
  EXPECT_EQ(toolkit_of(std::vector<std::uint8_t>(64, 'x')), 0);
}

TEST(CubinAttributes, UnknownOnesAreSkippedByTheirForm) {
  // An unknown one of each form, then the number of barriers, which CUDA 13 writes here.
  const std::vector<std::uint8_t> section = {1, 0xf0, 0, 0,              //
                                             2, 0xf1, 9, 0,              //
                                             3, 0x5f, 7, 7,              //
                                             4, 0xf2, 4, 0, 1, 2, 3, 4,  //
                                             2, 0x4c, 5, 0};
  CubinKernel kernel;
  kernel.barriers = 0;
  const std::vector<CubinAttribute> all = read_cubin_attributes(section, "here");
  for (const CubinAttribute& attribute : all) apply_kernel_attribute(attribute, kernel);
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(kernel.barriers, 5u);
}

}  // namespace
}  // namespace sassim::isa
