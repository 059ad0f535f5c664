// SPDX-License-Identifier: Apache-2.0
// Several GPUs in one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

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
