// SPDX-License-Identifier: Apache-2.0
// The disassembler is another program: what it does with a damaged cubin is not in our hands.
#include "sim/isa/disassembler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/base/error.h"

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
  }
  /// What disassemble() says when this script is the disassembler. Each cubin is disassembled once, so they differ.
  std::string error_with(const std::string& script, const char* seconds) {
    const auto path = folder_ / "nvdisasm";
    std::ofstream(path) << "#!/bin/sh\n" << script << '\n';
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    ::setenv("SASSIM_NVDISASM", path.c_str(), 1);
    ::setenv("SASSIM_NVDISASM_SECONDS", seconds, 1);
    const std::vector<std::uint8_t> cubin(script.begin(), script.end());
    try {
      disassemble(cubin, "a.cubin");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("sassim-disassembler-" + std::to_string(::getpid()));
};

TEST_F(Disassembler, IsStoppedWhenItDoesNotEnd) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string error = error_with("exec sleep 1000", "1");
  EXPECT_TRUE(error.starts_with("a.cubin: nvdisasm had not ended after 1 s and was stopped")) << error;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(Disassembler, IsStoppedWhenItPrintsWithoutEnd) {
  const std::string error = error_with("exec yes", "100");
  EXPECT_TRUE(error.starts_with("a.cubin: nvdisasm printed over 16")) << error;
}

TEST_F(Disassembler, RefusalIsQuotedInOneLineThatATerminalCanShow) {
  EXPECT_EQ(error_with("printf 'fatal \\033[2J\\nmore\\n'; exit 1", "100"),
            "a.cubin: nvdisasm refused it: fatal \\x1b[2J");
}

TEST_F(Disassembler, TimeIsANumberOfSeconds) {
  for (const char* wrong : {"0", "x", "1.5", "99999999999"})
    EXPECT_TRUE(error_with("exit 0", wrong).starts_with("SASSIM_NVDISASM_SECONDS: expected")) << wrong;
}

}  // namespace
}  // namespace sassim::isa
