// SPDX-License-Identifier: Apache-2.0
// `exec --live`: kernels whose path depends on time are executed when they are timed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

nlohmann::json kernels(const fs::path& file) { return nlohmann::json::parse(content(file))["kernels"]; }

double cycles(const nlohmann::json& kernel) { return kernel["metrics"]["gpc__cycles_elapsed.max"]; }

TEST(ExecLive, LocksFlagsQueuesAndClocksAreRight) {
  for (const char* config : {"v100", "h200"}) {
    const Outcome outcome = exec(std::string("--config ") + config, "live");
    EXPECT_EQ(outcome.status, 0) << config << "\n" << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out.find("WRONG"), std::string::npos) << config;
    EXPECT_NE(outcome.out.find("(live)"), std::string::npos) << config;
  }
}

// There nothing happens between a request and its reply.
TEST(ExecLive, StoresTakeEffectBeforeTheirRepliesWithAMemoryOfFixedLatencyToo) {
  for (const char* latency : {"1", "400"}) {
    const Outcome outcome =
        exec(std::string("--config h200 -o memory.model=fixed -o memory.fixed_latency=") + latency, "live");
    EXPECT_EQ(outcome.status, 0) << latency << "\n" << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out.find("WRONG"), std::string::npos) << latency;
    EXPECT_NE(outcome.out.find("(live)"), std::string::npos) << latency;
  }
}

TEST(ExecLive, WithoutItThePathsAreThoseOfAPlainOrder) {
  for (const char* mode : {"--live=never", "--functional"}) {
    const Outcome outcome = exec(std::string("--config v100 ") + mode, "live");
    EXPECT_EQ(outcome.status, 0) << mode << "\n" << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out.find("WRONG"), std::string::npos) << mode;
    EXPECT_EQ(outcome.out.find("(live)"), std::string::npos) << mode;
    EXPECT_EQ(outcome.out.find("its path was not timed") != std::string::npos, mode == std::string("--live=never"));
  }
}

// Not only where the code says so: the blocks of `chain` have plain loads and stores.
TEST(ExecLive, BlocksThatSeeEachOthersStoresAreToldToo) {
  const Outcome outcome = exec("--config v100 --live=never", "live chain");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("its path was not timed"), std::string::npos) << outcome.out;
  const Outcome apart = exec("--config v100 --live=never", "misbehave nothing");
  EXPECT_EQ(apart.out.find("its path was not timed"), std::string::npos) << apart.out;
}

// They run in the plain order, because memory would be given out in the order of time.
TEST(ExecLive, KernelsWithMallocAreNotLiveUnlessAsked) {
  const Outcome outcome = exec("--config v100", "live heap");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("(with malloc or free in the kernel)"), std::string::npos) << outcome.out;
  EXPECT_EQ(exec("--config v100 --live=always", "live heap").status, 4);
}

TEST(ExecLive, IsTheSameForAnyNumberOfThreads) {
  const TestFolder folder;
  std::string first;
  for (const int threads : {1, 2, 7}) {
    const fs::path json = folder.path() / (std::to_string(threads) + ".json");
    const Outcome outcome = exec(
        "--config v100 --live=always --threads " + std::to_string(threads) + " --json " + json.string(), "live queue");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    if (first.empty()) first = content(json);
    EXPECT_EQ(content(json), first) << threads << " threads";
  }
}

TEST(ExecLive, ItsTraceTakesTheSameCycles) {
  const TestFolder folder;
  const fs::path live = folder.path() / "live.json", replayed = folder.path() / "replayed.json";
  const fs::path traces = folder.path() / "traces";
  ASSERT_EQ(
      exec("--config v100 --caches cold --live=always --save-traces " + traces.string() + " --json " + live.string(),
           "live lock")
          .status,
      0);
  const std::string trace = fs::directory_iterator(traces)->path().string();
  const std::string command = SASSIM_BINARY_DIR "/sassim run " + trace + " --config ";
  ASSERT_EQ(run_command(command + "v100 --json " + replayed.string()).status, 0);
  EXPECT_EQ(cycles(kernels(replayed)[0]), cycles(kernels(live)[0]));
  EXPECT_EQ(kernels(replayed)[0]["metrics"], kernels(live)[0]["metrics"]);
  const Outcome elsewhere = run_command(command + "titan-v");
  EXPECT_EQ(elsewhere.status, 0);
  EXPECT_NE(elsewhere.out.find("determined the paths of its warps: v100"), std::string::npos) << elsewhere.out;
  EXPECT_EQ(run_command(command + "v100").out.find("determined the paths"), std::string::npos);
}

}  // namespace
}  // namespace sassim
