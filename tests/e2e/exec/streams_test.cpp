// SPDX-License-Identifier: Apache-2.0
// Kernels of several streams run side by side, as on the GPU that was measured; several GPUs in one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

/// What the microbenchmark of streams printed, by id.
std::map<std::string, double> measured(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::map<std::string, double> values;
  std::istringstream lines(outcome.out);
  for (std::string text; std::getline(lines, text);)
    if (const Json line = Json::parse(text, nullptr, false); line.is_object() && line.contains("value"))
      values[line.at("id").get<std::string>()] = line.at("value").get<double>();
  return values;
}

constexpr const char* kSmall = "--config h200 -o sm.count=6 -o launch.stream_wait=0 ";
constexpr const char* kCases = "streams cases=half,quarter,tail,priority work=2000 steps=2000 gate=40000";

TEST(ExecStreams, KernelsOfHalfTheGpuOverlapUnlessSomethingOrdersThem) {
  auto times = measured(exec(kSmall, kCases));
  const double one = times["streams.half.w2000.alone"];
  const auto ratio = [&](const std::string& id) { return times["streams." + id] / one; };
  EXPECT_NEAR(ratio("half.w2000.two_streams"), 1, 0.03 * 1);
  EXPECT_NEAR(ratio("half.w2000.one_stream"), 2, 0.03 * 2);
  EXPECT_NEAR(ratio("half.w2000.event_between"), 2, 0.03 * 2);
  EXPECT_NEAR(ratio("quarter.w2000.four_streams"), 1, 0.03 * 1);
  EXPECT_NEAR(ratio("quarter.w2000.one_stream"), 4, 0.03 * 4);
  EXPECT_NEAR(ratio("quarter.w2000.default_between_nonblocking"), 1, 0.03 * 1);
  EXPECT_NEAR(ratio("quarter.w2000.default_between_blocking"), 3, 0.03 * 3);
  EXPECT_LT(ratio("tail.w2000.two_streams"), ratio("tail.w2000.one_stream") - 0.8);
  EXPECT_LT(times["streams.priority.high.of_one_wave"], times["streams.priority.equal.of_one_wave"] / 2);
}

TEST(ExecStreams, WithSerialOneKernelRunsAtATime) {
  const Outcome outcome = exec(std::string(kSmall) + "--serial", "streams cases=half work=2000 gate=40000");
  auto times = measured(outcome);
  EXPECT_NEAR(times["streams.half.w2000.two_streams"], times["streams.half.w2000.one_stream"], 0.01);
  EXPECT_THAT(outcome.err, HasSubstr("ran one after the other (--serial)"));
}

TEST(ExecStreams, ResultsDoNotDependOnThreads) {
  const TestFolder folder;
  std::string first_json, first_out;
  for (const char* threads : {"1", "2", "7"}) {
    const std::string json = folder / (std::string(threads) + ".json");
    const Outcome outcome = exec(std::string(kSmall) + "--threads " + threads + " --json " + json,
                                 "streams cases=half,priority work=2000 steps=2000 gate=40000");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::ostringstream text;
    text << std::ifstream(json).rdbuf();
    if (first_json.empty()) {
      first_json = text.str(), first_out = outcome.out;
      EXPECT_THAT(first_json, HasSubstr("\"side_by_side\""));
      EXPECT_THAT(first_json, Not(HasSubstr("\"serialised\"")));
    }
    EXPECT_EQ(text.str(), first_json);
    EXPECT_EQ(outcome.out, first_out);
  }
}

// Each kernel has a bank of its own for its parameters; LDC reads it at an index that is in a register. The program
// compares all results with the host's.
TEST(ExecStreams, KernelsSideBySideReadTheirOwnConstants) {
  const TestFolder folder;
  const auto run = [&](const std::string& options) {
    const Outcome outcome = exec(std::string(kSmall) + options + " --json " + (folder / "out.json"), "constants");
    EXPECT_EQ(outcome.status, 0) << options << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("4 kernels, 0 wrong words\n")) << options;
    std::ifstream file(folder / "out.json");
    return Json::parse(file);
  };
  const Json together = run("--threads 1");
  EXPECT_TRUE(together.contains("side_by_side"));
  EXPECT_EQ(run("--threads 2"), together);
  EXPECT_TRUE(run("--live=always").contains("serialised")) << "live kernels run alone";
  EXPECT_FALSE(run("--serial").contains("side_by_side"));
}

TEST(ExecStreams, BranchesOfAGraphOverlapLikeStreams) {
  const std::string options =
      std::string(kSmall) + "-o launch.overhead_cycles=0 -o launch.event_cycles=0 -o launch.places=none ";
  const Outcome outcome = exec(options, "branches");
  EXPECT_THAT(outcome.out, Not(HasSubstr("instead of"))) << "a step ran before one that it depends on";
  auto times = measured(outcome);
  const double one = times["one"];
  EXPECT_NEAR(times["row"] / one, 6, 0.2);
  EXPECT_NEAR(times["fork"] / one, 4, 0.2);
  EXPECT_NEAR(times["fork.default"] / one, 4, 0.2);
  EXPECT_NEAR(times["child"] / one, 1, 0.1);
  auto serial = measured(exec(options + "--serial", "branches"));
  EXPECT_NEAR(serial["fork"] / one, 6, 0.2);
  EXPECT_NEAR(serial["child"] / one, 3, 0.2);
}

TEST(ExecStreams, FillsAndCopiesOnTheDeviceTakeTime) {
  const std::string all = "--config h200 -o launch.stream_wait=0 -o launch.copy_latency=0 ";
  const auto at = [&](const std::string& options) {
    return measured(exec(all + options, "streams cases=copy bytes=1048576 work=200 gate=4000"));
  };
  auto usual = at(""), twice = at("-o launch.cached_copy=1900GB/s -o launch.device_fill=2300GB/s");
  auto larger = at("-o launch.cached_copy_bytes=512KiB");  // than what stays in the L2
  const std::string most = "streams.copy.b1048576.";
  EXPECT_NEAR(usual[most + "on_device"], 1.75 + 1048576 / 3.8e6, 0.02);
  EXPECT_NEAR(larger[most + "on_device"], 1.75 + 1048576 / 2.13e6, 0.02);
  EXPECT_NEAR(usual[most + "fill"], 1.75 + 1048576 / 4.6e6, 0.02);
  EXPECT_NEAR(twice[most + "on_device"], 1.75 + 1048576 / 1.9e6, 0.02);
  EXPECT_NEAR(twice[most + "fill"], 1.75 + 1048576 / 2.3e6, 0.02);
}

TEST(ExecStreams, TwoHalvesTakeAsLongAsOnAnH200) {
  const Json kept = Json::parse(std::ifstream(SASSIM_BINARY_DIR "/unpacked/outputs/streams_h200.json")).at("values");
  const std::string id = "streams.half.w40000.two_streams";
  const double hardware = kept.at(id).at("median").get<double>();
  auto times = measured(exec("--config h200 --threads 2", "streams cases=half work=40000 gate=40000 only=two_streams"));
  EXPECT_NEAR(times[id] / hardware, 1, 0.1) << times[id] << " us here, " << hardware << " us there";
}

constexpr const char* kTwo = "--devices 2 --config v100 ";

TEST(ExecDevices, EachHasMemoryStreamsAndEventsOfItsOwnAndPeersAreReached) {
  const Outcome outcome = exec(std::string(kTwo) + "-o launch.copy_latency=1000 --functional", "devices");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 devices\n"
                                     "cudaSetDevice(count) cudaErrorInvalidDevice\n"
                                     "cudaDeviceCanAccessPeer(&can[0], 0, count) cudaErrorInvalidDevice\n"
                                     "device 0: 80 SMs, bus 0\n"
                                     "device 1: 80 SMs, bus 1\n"
                                     "current 1, memory of 0\n"
                                     "on_second is 5 i: yes\n"
                                     "on_first is 1 i: yes\n"
                                     "shared is 4 i: yes\n"
                                     "2 kernels on device 0\n"
                                     "peers: 1, itself: 0\n"
                                     "cudaDeviceDisablePeerAccess(1) cudaErrorPeerAccessNotEnabled\n"
                                     "cudaDeviceEnablePeerAccess(1, 0) cudaSuccess\n"
                                     "cudaDeviceEnablePeerAccess(1, 0) cudaErrorPeerAccessAlreadyEnabled\n"
                                     "on_first is 6 i: yes\n"
                                     "on_first is 5 i: yes\n"
                                     "cudaEventRecord(other, first) cudaErrorInvalidResourceHandle\n"
                                     "cudaGetLastError() cudaErrorInvalidResourceHandle\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("cudaEventElapsedTime(&milliseconds, begin, other) cudaErrorInvalidResourceHandle\n"
                        "on_first is 3 i: yes\n"
                        "on_first is 9 i: yes\n"
                        "with the driver: 0, 1\n"
                        "on_first is 9 i: yes\n"
                        "cudaFree(on_second) cudaErrorInvalidValue\n"
                        "cudaFree(on_first) cudaSuccess\n"));
  EXPECT_THAT(outcome.err, HasSubstr("there is no device 2, the first of 2 is device 0"));
}

TEST(ExecDevices, ACopyBetweenThemTakesAsLongAsTheSlowerOfTheTwoWays) {
  const std::string rates = "-o launch.copy_latency=0 -o launch.copy_to_device=10GB/s -o launch.copy_to_host=5GB/s ";
  const Outcome outcome = exec(kTwo + rates + "-o launch.event_cycles=0 --functional", "devices");
  const auto at = outcome.out.find("copied in ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_NEAR(std::stod(outcome.out.substr(at + 10)), 65536 * 4 / 5e3, 0.01);
}

TEST(ExecDevices, MemoryOfADeviceThatIsNoOpenPeerIsAFault) {
  const Outcome outcome = exec(std::string(kTwo) + "--functional --allow-faults", "devices forbidden");
  EXPECT_THAT(outcome.out, HasSubstr("cudaDeviceSynchronize() cudaErrorIllegalAddress"));
}

TEST(ExecDevices, EachIsTimedOnAGpuOfItsOwnConfiguration) {
  const TestFolder folder;
  const auto run = [&](const std::string& options) {
    const Outcome outcome =
        exec("--config v100 " + options + " --report none --json " + (folder / "out.json"), "devices");
    EXPECT_EQ(outcome.status, 0) << options << outcome.err;
    std::ifstream file(folder / "out.json");
    return Json::parse(file);
  };
  const auto cycles = [](const Json& result, int device) {
    for (const Json& kernel : result.at("kernels")) {
      const bool on_second = kernel.value("notes", Json::array()).dump().find("on device 1") != std::string::npos;
      if (on_second == (device == 1)) return kernel.at("metrics").at("gpc__cycles_elapsed.max").get<double>();
    }
    return 0.0;
  };
  const Json same = run("--devices 2 --threads 1"), other = run("--devices 3 --device-config v100,t4"),
             smaller = run("--devices 2 --device-config titan-v");
  EXPECT_EQ(run("--devices 2 --threads 2"), same);
  EXPECT_EQ(same.at("devices"), Json({"v100", "v100"}));
  EXPECT_EQ(other.at("devices"), Json({"v100", "v100", "t4"}));
  EXPECT_NEAR(cycles(same, 0), cycles(same, 1), 0.1 * cycles(same, 0)) << "their memory has other addresses";
  EXPECT_EQ(cycles(same, 0), cycles(smaller, 0));
  EXPECT_GT(cycles(smaller, 1), 0);
  EXPECT_NE(cycles(same, 1), cycles(smaller, 1));
}

TEST(ExecDevices, WrongNumbersOfThemAreUsageErrors) {
  const Outcome many = exec("--config v100 --devices 17", "devices");
  EXPECT_EQ(many.status, 2);
  const Outcome named = exec("--config v100 --device-config t4", "devices");
  EXPECT_EQ(named.status, 2);
  EXPECT_THAT(named.err, HasSubstr("--device-config names 1 GPUs for the devices from 1 on, but --devices makes 0"));
}

}  // namespace
}  // namespace sassim
