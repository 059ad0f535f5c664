// SPDX-License-Identifier: Apache-2.0
// A result that is packed comes out again, and one that does not is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "sim/base/error.h"
#include "sim/bundle/difference.h"
#include "tests/e2e/bundle/bundles.h"

namespace sassim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Reproduce : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(make_bundle(file_).status, 0); }

  /// The same bundle with another result, or of another version.
  std::string altered(const std::string& from, const std::string& to, const std::string& version = kVersion) {
    const std::string unpacked = folder_ / "unpacked";
    std::filesystem::create_directory(unpacked);
    const bundle::Bundle bundle = bundle::unpack(file_, unpacked);
    std::string result = bytes_of(bundle.result.string());
    const std::size_t at = result.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    result.replace(at, from.size(), to);
    write_durably(bundle.result, result);
    bundle::BundleWriter(bundle.recipe).write(folder_ / "altered.sasb", bundle.result, version);
    return folder_ / "altered.sasb";
  }

  TestFolder folder_;
  std::string file_ = folder_ / "a.sasb";
};

TEST_F(Reproduce, IsIdenticalWithAnyNumberOfThreads) {
  for (const char* threads : {"1", "2"}) {
    const Outcome outcome = sassim_run("reproduce " + file_ + " --threads " + threads);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(": identical (2 kernels, "));
  }
}

TEST_F(Reproduce, NeedsTheBundleAlone) {
  const std::string trace = folder_ / "moved.sast";
  std::filesystem::copy(kBundledTrace, trace);
  ASSERT_EQ(sassim_run("bundle " + file_ + " " + trace + " --config t4").status, 0);
  std::filesystem::remove(trace);
  const Outcome outcome =
      run_command("cd / && SASSIM_CONFIGS=/nowhere " SASSIM_BINARY_DIR "/sassim reproduce " + file_);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(Reproduce, TheResultIsThatOfRun) {
  const std::string run = folder_ / "run.json", again = folder_ / "again.json";
  ASSERT_EQ(sassim_run("run " + kBundledTrace +
                       " " SASSIM_BINARY_DIR
                       "/traces/sm_75/scan_sums.sast --config t4 -o l1.size=64KiB --caches keep --json " +
                       run)
                .status,
            0);
  ASSERT_EQ(sassim_run("reproduce " + file_ + " --json " + again).status, 0);
  // A bundle is for other versions, too: what it says names no commit.
  EXPECT_EQ(std::regex_replace(bytes_of(run), std::regex("\"commit\": \"[0-9a-z-]+\",\n"), ""), bytes_of(again));
}

TEST_F(Reproduce, TheSameRunGivesTheSameBundle) {
  ASSERT_EQ(make_bundle(folder_ / "b.sasb", "--threads 2").status, 0);
  EXPECT_EQ(bytes_of(file_), bytes_of(folder_ / "b.sasb"));
}

TEST_F(Reproduce, TarAndZstdUnpackABundle) {
  const Outcome outcome =
      run_command("cd " + folder_.path().string() + " && zstd -dc a.sasb | tar -xf - && sha1sum < " + kBundledTrace +
                  " && sha1sum < traces/0.sast");
  if (outcome.status == 127) GTEST_SKIP() << "no zstd or tar here";
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.substr(0, 40), outcome.out.substr(outcome.out.find('\n') + 1, 40));
  EXPECT_EQ(sassim_run("config check " + folder_ / "config.yaml").status, 0);
}

TEST_F(Reproduce, AnAlteredMetricIsNamedWithBothValues) {
  const auto result = nlohmann::json::parse(bytes_of([&] {
    EXPECT_EQ(sassim_run("reproduce " + file_ + " --json " + (folder_ / "r.json")).status, 0);
    return folder_ / "r.json";
  }()));
  const std::string cycles = result["kernels"][0]["metrics"]["gpc__cycles_elapsed.max"].dump();
  const std::string name = "\"gpc__cycles_elapsed.max\":";
  const Outcome outcome = sassim_run("reproduce " + altered(name + cycles, name + "7"));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("first: kernel 0 ("),
                                 HasSubstr("gpc__cycles_elapsed.max: 7 in the bundle, " + cycles + " here\n"),
                                 HasSubstr("metrics: gpc__cycles_elapsed.max (1 kernel)\n")));
}

TEST_F(Reproduce, WhatIsNoMetricIsToldToo) {
  const Outcome outcome = sassim_run("reproduce " + altered("\"grid\":[", "\"grid\":[9,"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("besides: grid of kernel 0"));
  const Outcome bytes = sassim_run("reproduce " + altered("\"kernels\": [", "\"kernels\":  ["));
  EXPECT_EQ(bytes.status, 1);
  EXPECT_THAT(bytes.out, HasSubstr("all values agree, but their text differs"));
}

TEST_F(Reproduce, AnotherVersionIsSaidAndNotRefused) {
  const std::string ours = "\"version\": \"" + std::string(kVersion) + "\"";
  const Outcome outcome = sassim_run("reproduce " + altered(ours, "\"version\": \"0.0.7\"", "0.0.7"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("made by sassim 0.0.7; this is "), HasSubstr(": identical (")));
}

TEST_F(Reproduce, LeavesNothingBehind) {
  const std::string temporary = folder_ / "tmp";
  std::filesystem::create_directory(temporary);
  EXPECT_EQ(run_command("TMPDIR=" + temporary + " " SASSIM_BINARY_DIR "/sassim reproduce " + file_).status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

/// Two blocks: MOV, FADD of the moved register, EXIT.
std::string accel_sim_kernel(const char* name) {
  std::string text = std::string("-kernel name = ") + name +
                     "\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
                     "-binary version = 70\n-accelsim tracer version = 4\n\n#traces format = ...\n";
  for (const char* block : {"0,0,0", "1,0,0"})
    text += std::string("\n#BEGIN_TB\nthread block = ") + block +
            "\nwarp = 0\ninsts = 3\n0000 ffffffff 1 R1 MOV 0 0 0\n0010 ffffffff 1 R2 FADD 2 R1 R1 0 0\n"
            "0020 ffffffff 0 EXIT 0 0 0\n#END_TB\n";
  return text;
}

TEST_F(Reproduce, TakesAccelSimTraces) {
  const std::string traces = folder_ / "accel";
  std::filesystem::create_directory(traces);
  write_durably(traces + "/kernel-1.traceg", accel_sim_kernel("first"));
  write_durably(traces + "/kernel-2.traceg", accel_sim_kernel("second"));
  write_durably(traces + "/kernelslist.g", "MemcpyHtoD,0x0,4\nkernel-2.traceg\nkernel-1.traceg\n");
  ASSERT_EQ(run_command("gzip " + traces + "/kernel-1.traceg").status, 0);
  const Outcome made = sassim_run("bundle " + file_ + " " + traces + " --config v100");
  ASSERT_EQ(made.status, 0) << made.err;
  std::filesystem::remove_all(traces);
  const Outcome outcome = sassim_run("reproduce " + file_ + " --json " + (folder_ / "r.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const auto result = nlohmann::json::parse(bytes_of(folder_ / "r.json"));
  EXPECT_EQ(result["kernels"][0]["name"], "second");
  EXPECT_EQ(result["kernels"][1]["name"], "first");
  EXPECT_EQ(result["kernels"][1]["trace"], traces) << "as it was named";
}

TEST_F(Reproduce, AStopLeavesNothingBehind) {
  const std::string temporary = folder_ / "tmp", out = folder_ / "stopped.sasb";
  std::filesystem::create_directory(temporary);
  std::string traces;
  for (int i = 0; i < 200; ++i) traces += " " SASSIM_BINARY_DIR "/traces/sm_75/transpose_naive-large.sast";
  const Outcome outcome =
      run_command("TMPDIR=" + temporary + " timeout --preserve-status -s INT 1 " SASSIM_BINARY_DIR "/sassim bundle " +
                  out + traces + " --config t4");
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("stopped by SIGINT"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(Reproduce, ABundleIsNotWrittenOverItsTrace) {
  const std::string trace = folder_ / "t.sast";
  std::filesystem::copy(kBundledTrace, trace);
  EXPECT_NE(sassim_run("bundle " + trace + " " + trace + " --config t4").status, 0);
  EXPECT_EQ(bytes_of(trace), bytes_of(kBundledTrace));
}

TEST(BundleWriter, ATraceThatChangesWhileItIsSimulatedIsNoticed) {
  const TestFolder folder;
  write_durably(folder / "t.sast", "before");
  write_durably(folder / "r.json", "{}");
  const bundle::BundleWriter writer({.config = "", .traces = {bundle::find_trace(folder / "t.sast")}});
  write_durably(folder / "t.sast", "after!");
  EXPECT_THROW(writer.write(folder / "b.sasb", folder / "r.json"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "b.sasb"));
}

TEST(Difference, FirstIsTheFirstKernelWithAMetric) {
  const auto found = bundle::difference(
      R"({"config": 1, "kernels": [{"name": "a", "metrics": {"m": 1, "n": 2}}, {"name": "b", "metrics": {"m": 3}}]})",
      R"({"config": 2, "kernels": [{"name": "a", "metrics": {"m": 1, "n": 4}}, {"name": "b", "metrics": {"m": 5}}]})",
      "x");
  EXPECT_EQ(found.first, "kernel 0 (a), n: 2 in the bundle, 4 here");
  EXPECT_EQ(found.metrics, (std::vector<std::string>{"m (1 kernel)", "n (1 kernel)"}));
  EXPECT_EQ(found.others, std::vector<std::string>{"config"});
  EXPECT_THROW(bundle::difference("{", "{}", "x"), InputError);
}

}  // namespace
}  // namespace sassim
