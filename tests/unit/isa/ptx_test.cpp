// SPDX-License-Identifier: Apache-2.0
// PTX is compiled by a program of the toolkit; here a script takes its place.
#include "sim/isa/ptx.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "sim/isa/ptx_cache.h"

namespace sassim::isa {
namespace {

class Ptx : public testing::Test {
 protected:
  void SetUp() override {
    program("nvdisasm", "exit 1");
    program("ptxas", "echo run >>" + (folder_ / "runs").string() + "; cat >/dev/null; printf '\\177ELF for %s' \"$2\"");
    ::setenv("SASSIM_CUDA12", folder_.c_str(), 1);
    ::setenv("SASSIM_PTX_CACHE", (folder_ / "kept/deeper").c_str(), 1);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    ::unsetenv("SASSIM_CUDA12");
    ::unsetenv("SASSIM_PTX_CACHE");
  }
  void program(const std::string& name, const std::string& script) {
    const auto path = folder_ / "bin" / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n" << script << '\n';
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  std::size_t runs() const {
    std::ifstream in(folder_ / "runs");
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("sassim-ptx-" + std::to_string(::getpid()));
};

TEST_F(Ptx, IsCompiledOnceForEachArchitecture) {
  const std::string text = ".version 8.4 once";
  const std::vector<std::uint8_t> made = compile_ptx(text, 75, "k");
  EXPECT_EQ(std::string(made.begin(), made.end()), "\177ELF for -arch=sm_75");
  EXPECT_EQ(compile_ptx(text + '\0' + "what follows it", 75, "k"), made);
  EXPECT_EQ(runs(), 1u);
  EXPECT_NE(compile_ptx(text, 90, "k"), made);
  EXPECT_EQ(runs(), 2u);
}

TEST_F(Ptx, IsKeptForOtherProcesses) {
  const std::string text = ".version 8.4 kept";
  const std::vector<std::uint8_t> made = compile_ptx(text, 75, "k");
  const KeptCubin kept(text, 75, find_ptxas());
  EXPECT_EQ(kept.read(), made);
  EXPECT_EQ(KeptCubin(text, 70, find_ptxas()).read(), std::nullopt) << "another target";
  EXPECT_EQ(KeptCubin(text + "!", 75, find_ptxas()).read(), std::nullopt) << "another text";
  program("ptxas", "exit 1");
  std::filesystem::last_write_time(find_ptxas(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(KeptCubin(text, 75, find_ptxas()).read(), std::nullopt) << "another compiler";
}

TEST_F(Ptx, KeptFileThatIsDamagedIsMadeAgain) {
  const std::string text = ".version 8.4 damaged";
  const KeptCubin kept(text, 75, find_ptxas());
  kept.keep(std::vector<std::uint8_t>{0x7f, 'E', 'L', 'F', 1, 2, 3});
  ASSERT_TRUE(kept.read());
  std::fstream(kept.path(), std::ios::in | std::ios::out | std::ios::binary).seekp(5).put('x');
  EXPECT_EQ(kept.read(), std::nullopt);
  const std::vector<std::uint8_t> made = compile_ptx(text, 75, "k");
  EXPECT_EQ(runs(), 1u);
  EXPECT_EQ(kept.read(), made);
  // Nothing is kept without a folder, or where it cannot be written.
  ::setenv("SASSIM_PTX_CACHE", "", 1);
  EXPECT_EQ(KeptCubin(text, 75, find_ptxas()).path(), "");
  ::setenv("SASSIM_PTX_CACHE", "/dev/null/no", 1);
  EXPECT_EQ(compile_ptx(".version 8.4 elsewhere", 75, "k"), made);
}

TEST_F(Ptx, RefusalIsQuotedInOneLine) {
  program("ptxas", "printf 'line 3: no \\033 such thing\\nmore\\n'; exit 1");
  try {
    compile_ptx(".version 8.4 refused", 75, "k");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), "k: " + find_ptxas() + " refused its PTX: line 3: no \\x1b such thing");
  }
}

}  // namespace
}  // namespace sassim::isa
