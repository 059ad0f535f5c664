// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/program.h"

namespace sassim {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::string hash_in(const std::string& text) {
  const auto start = text.find("hash ");
  return start == std::string::npos ? "no hash in: " + text : text.substr(start + 5, 16);
}

/// Writes a configuration into a fresh folder.
std::string file_with(const std::string& text) {
  const auto path =
      std::filesystem::path(::testing::TempDir()) / ("sassim_bad_" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(path) << text;
  return path.string();
}

TEST(Program, Version) {
  const Outcome outcome = sassim_run("--version");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, StartsWith("sassim " SASSIM_VERSION));
  EXPECT_THAT(outcome.out, MatchesRegex("sassim [0-9.]+( \\([0-9a-z-]+\\))?\n(.|\n)*"));
}

TEST(Program, HelpIsNoError) {
  for (const char* arguments : {"--help", "config --help", "config show --help"}) {
    const Outcome outcome = sassim_run(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments;
    EXPECT_THAT(outcome.out, HasSubstr("Usage: sassim")) << arguments;
  }
}

TEST(Program, WrongUsageIsStatus2WithOneLine) {
  for (const char* arguments : {"config", "config chek", "frobnicate", "--frob", "config show", "config show t4 --frob",
                                "config explain", "config show t4 -o l1.size"}) {
    const Outcome outcome = sassim_run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << "\n" << outcome.err;
  }
  EXPECT_THAT(sassim_run("config chek").err, HasSubstr("unknown command 'sassim config chek' (did you mean 'check'?)"));
  EXPECT_EQ(sassim_run("").status, 2);
}

// The driver does not know the SMs, the L2 and the bus; with them the file is written, and says where each value is
// from.
TEST(ConfigCommand, NewWritesAChipOrSaysWhatIsMissing) {
  const std::string folder = ::testing::TempDir() + "/sassim_new_" + std::to_string(::getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/smi.txt")
      << "    Product Name : NVIDIA A16\n    FB Memory Usage\n        Total : 15356 MiB\n"
         "    Max Clocks\n        SM : 1755 MHz\n";
  const std::string command = "config new a16 --out " + folder + "/a16.yaml --from " + folder + "/smi.txt";
  const Outcome missing = sassim_run(command + " </dev/null");
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("--sms: number of SMs (deviceQuery (multiprocessors)"));
  EXPECT_THAT(missing.err, HasSubstr("random_chase"));
  const std::string sheet = command + " --arch sm_86 --sms 10 --bandwidth 200GB/s --bus 128 --l2 2MiB";
  const Outcome written = sassim_run(sheet);
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_THAT(written.out, HasSubstr("documented: nvidia-smi -q: Max Clocks, SM"));
  EXPECT_THAT(written.out,
              MatchesRegex("(.|\n)*of all its values: [0-9]+ documented, [0-9]+ measured, [0-9]+ carried over(.|\n)*"));
  EXPECT_EQ(sassim_run("config check " + folder + "/a16.yaml").status, 0);
  EXPECT_THAT(sassim_run(sheet).err, HasSubstr("exists already"));
  std::filesystem::remove_all(folder);
}

TEST(ConfigCommand, ListNamesTheGpus) {
  const Outcome outcome = sassim_run("config list");
  EXPECT_EQ(outcome.status, 0);
  for (const char* name : {"t4 ", "v100 ", "v100-sxm2 ", "h200 ", "titan-v ", "rtx2080ti "})
    EXPECT_THAT(outcome.out, HasSubstr(name));
  EXPECT_THAT(outcome.out, HasSubstr("40 SMs at 1590MHz, DRAM 320 GB/s"));
}

TEST(ConfigCommand, ShowIsAConfigurationOfTheSameHash) {
  for (const char* name : {"t4", "v100", "v100-sxm2", "h200"}) {
    const std::string direct = hash_in(sassim_run(std::string("config check ") + name).out);
    EXPECT_EQ(hash_in(sassim_run(std::string("config show ") + name + " | sassim config check -").out), direct);
    EXPECT_EQ(hash_in(sassim_run(std::string("config show --sources ") + name + " | sassim config check -").out),
              direct);
  }
}

TEST(ConfigCommand, OverridesReachShow) {
  const Outcome outcome = sassim_run("config show --config v100 -o l2.size=3MiB -o sm.count=7");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("    size: 3MiB\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  count: 7\n"));
}

TEST(ConfigCommand, JsonIsJson) {
  const Outcome outcome = sassim_run(
      "config show t4 --json | python3 -c 'import json,sys; "
      "print(json.load(sys.stdin)[\"resolved\"][\"sm\"][\"count\"])'");
  EXPECT_EQ(outcome.out, "40\n");
}

TEST(ConfigCommand, BadInputIsStatus3AndNamesThePlace) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& bad :
       {Case{"sm:\n  l1:\n    hit_lantency: 3\n",
             ":3:5: unknown key 'hit_lantency' in sm.l1 (did you mean 'hit_latency'?)"},
        Case{"sm:\n  count: 4\n  count: 5\n", ":3:3: key 'count' appears twice; the first is in line 2"},
        Case{"sm:\n  count: 0\n", ":2:10: sm.count: 0 is out of range; allowed: 1..1024"},
        Case{"sm: {pipes: {ops: {load: {pipe: l2}}}}\n",
             ":1:33: sm.pipes.ops.load.pipe: unknown name 'l2' (did you mean 'l1'?); known: l1"},
        Case{
            "sm: {pipes: {ops: {shuffle: {pipe: memory}}}}\n",
            "unknown name 'memory'; known: fma, alu, fp16, fp64, xu, tensor, uniform, branch, mio, adu, none, shuffle"},
        Case{"memory: {dram: {refresh: bank_pair}}\n",
             ":1:26: memory.dram.refresh: unknown name 'bank_pair' (did you mean 'bank_pairs'?); known: all_bank"},
        Case{"clock: {sm: 12KiB}\n", ":1:13: clock.sm: '12KiB' has the unit 'KiB'"},
        Case{"base: nowhere.yaml\n", ":1:7: base: there is no file"}, Case{"sm: {", "not YAML"}}) {
    const std::string file = file_with(bad.text);
    for (const std::string command : {"config check ", "config show "}) {
      const Outcome outcome = sassim_run(command + file);
      EXPECT_EQ(outcome.status, 3) << bad.text;
      EXPECT_EQ(outcome.out, "") << bad.text;
      EXPECT_THAT(outcome.err, HasSubstr(bad.message));
    }
  }
  EXPECT_EQ(sassim_run("config show t5").status, 3);
  EXPECT_THAT(sassim_run("config show t5").err, HasSubstr("unknown configuration 't5'"));
  EXPECT_EQ(sassim_run("config show t4 -o l1.sise=3").status, 3);
}

TEST(ConfigCommand, CheckGoesOnAfterABadFile) {
  const Outcome outcome = sassim_run("config check " + file_with("sm: {count: x}") + " t4");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.out, HasSubstr("ok, t4"));
}

TEST(ConfigCommand, DiffPrintsKeyAndBothValues) {
  const Outcome outcome = sassim_run("config diff v100 v100 -o l2.size=12MiB");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "memory.l2.size  6MiB  12MiB\n");
}

TEST(ConfigCommand, ExplainSaysMeaningRangeAndSource) {
  const Outcome outcome = sassim_run("config explain l1.hit_latency --config t4");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, StartsWith("sm.l1.hit_latency\n"));
  EXPECT_THAT(outcome.out, HasSubstr("1..10000 cycles"));
  EXPECT_THAT(outcome.out, HasSubstr("T4 report section 4.1"));
  EXPECT_THAT(outcome.out, HasSubstr("t4: 30  measured: T4 report section 4.1"));
  EXPECT_THAT(outcome.out, HasSubstr("configs/generations/turing.yaml:"));
  EXPECT_THAT(sassim_run("config explain memory.dram.refresh").out,
              HasSubstr("values:  one of all_bank, bank_pairs, none, per_bank\n"));
  EXPECT_THAT(sassim_run("config explain --all").out, HasSubstr("memory.dram.tRFC "));
  EXPECT_THAT(sassim_run("config explain crossbar").out, HasSubstr("memory.crossbar.flit"));
}

TEST(ConfigCommand, ExplainSaysWhyAGpuLacksAMechanism) {
  const Outcome outcome = sassim_run("config explain memory.halves");
  EXPECT_THAT(outcome.out, HasSubstr("\n  t4: none  absent: one L2; a T4 shows one latency for it"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  h200: yes  measured: "));
  EXPECT_THAT(sassim_run("config explain halves.latency").out, HasSubstr("\n  v100: none  absent: "));
}

TEST(ConfigCommand, AChangedGpuHasANameOfItsOwn) {
  EXPECT_THAT(sassim_run("config show v100 -o clock.sm=1132MHz").out, StartsWith("name: \"v100+clock.sm=1132MHz\"\n"));
  EXPECT_THAT(sassim_run("config show v100").out, StartsWith("name: \"v100\"\n"));
}

TEST(ConfigCommand, FoldersOfTheEnvironmentComeFirst) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / ("sassim_configs_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.yaml") << "base: v100\nsample: none\nsm: {count: 3}\n";
  setenv("SASSIM_CONFIGS", folder.c_str(), 1);
  EXPECT_THAT(sassim_run("config show mine").out, HasSubstr("  count: 3\n"));
  EXPECT_THAT(sassim_run("config list").out, HasSubstr("mine "));
  unsetenv("SASSIM_CONFIGS");
}

// A program on its own, without the files that are installed with it.
TEST(ConfigCommand, ListsNeedConfigurations) {
  namespace fs = std::filesystem;
  const auto folder = fs::path(::testing::TempDir()) / ("sassim_alone_" + std::to_string(::getpid()));
  fs::create_directories(folder / "bin");
  fs::copy_file(SASSIM_BINARY_DIR "/sassim", folder / "bin/sassim");
  for (const char* command : {"config list", "metrics"}) {
    const Outcome outcome = run_command((folder / "bin/sassim ").string() + command);
    EXPECT_EQ(outcome.status, 3) << command;
    EXPECT_THAT(outcome.err, HasSubstr("no configurations found in ")) << command;
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace sassim
