// SPDX-License-Identifier: Apache-2.0
// Streams with a device that runs kernels side by side: what waits for what, and when.
#include <gtest/gtest.h>

#include <map>

#include "sim/cuda/timeline.h"

namespace sassim::cuda {
namespace {

constexpr Picoseconds kKernel{1000};

/// Every kernel takes the same time, however many run.
class EvenDevice final : public KernelDevice {
 public:
  void start(std::uint64_t kernel, int priority, Picoseconds at) override {
    starts[kernel] = at;
    priorities[kernel] = priority;
    ends_.emplace(at + kKernel, kernel);
  }
  std::optional<Ended> advance(std::optional<Picoseconds> until) override {
    if (ends_.empty() || (until && ends_.begin()->first > *until)) return {};
    const auto [at, kernel] = *ends_.begin();
    ends_.erase(ends_.begin());
    return Ended{kernel, at};
  }
  std::uint64_t writes() const override { return written; }
  void apply_writes(std::uint64_t number) override { applied = number; }
  void host_waits(Picoseconds until, bool nothing_left) override {
    waited_until = until;
    idle = nothing_left;
  }

  std::map<std::uint64_t, Picoseconds> starts;
  std::map<std::uint64_t, int> priorities;
  std::uint64_t written = 0, applied = 0;
  Picoseconds waited_until;
  bool idle = false;

 private:
  std::multimap<Picoseconds, std::uint64_t> ends_;
};

struct SideBySideTest : testing::Test {
  Timeline timeline{{},
                    {.latency = Picoseconds{10},
                     .to_device = 1e12,
                     .to_host = 5e11,
                     .in_device_latency = Picoseconds{40},
                     .in_device = 1e12,
                     .fill = 2e12}};
  EvenDevice device;
  Stream a, b, blocking;

  SideBySideTest() {
    timeline.use(&device);
    a = timeline.create_stream(false, 0);
    b = timeline.create_stream(false, -1);
    blocking = timeline.create_stream(true, 0);
  }
  Picoseconds start_of(std::uint64_t kernel) {
    timeline.settle();
    return device.starts.at(kernel);
  }
};

TEST_F(SideBySideTest, WithoutACreatedStreamNothingIsDeferred) {
  Timeline plain;
  plain.use(&device);
  EXPECT_FALSE(plain.defers());
  plain.create_stream(true, 0);
  EXPECT_TRUE(plain.defers());
}

TEST_F(SideBySideTest, OneStreamRunsInOrder) {
  timeline.run_kernel(a, 1);
  timeline.run_kernel(a, 2);
  EXPECT_EQ(timeline.end(), kKernel * 2);
  EXPECT_EQ(device.starts.at(2), kKernel);
}

TEST_F(SideBySideTest, ACallThatWaitsForTheDefaultStreamWaitsForBlockingStreams) {
  timeline.run_kernel(a, 1);  // whose stream does not wait for the default stream
  timeline.run_kernel(blocking, 2);
  timeline.run_kernel(blocking, 3);
  EXPECT_EQ(timeline.end_of({}), kKernel * 2);
  const Stream destroyed = timeline.create_stream(true, 0);
  for (int i = 0; i < 3; ++i) timeline.run_kernel(destroyed, static_cast<std::uint64_t>(4 + i));
  timeline.destroy(destroyed);
  EXPECT_EQ(timeline.end_of({}), kKernel * 3);
}

TEST_F(SideBySideTest, TheDeviceHearsWhatTheHostWaitsFor) {
  timeline.run_kernel(a, 1);
  timeline.run_kernel(b, 2);
  timeline.run_kernel(b, 3);
  timeline.wait_on_host(timeline.end_of(a));
  EXPECT_EQ(device.waited_until, kKernel);
  EXPECT_FALSE(device.idle) << "stream b has more to do";
  timeline.wait_on_host(timeline.end_of(b));
  EXPECT_EQ(device.waited_until, kKernel * 2);
  EXPECT_TRUE(device.idle);
}

TEST_F(SideBySideTest, TwoStreamsDoNotWaitForEachOther) {
  timeline.run_kernel(a, 1);
  timeline.run_kernel(b, 2);
  EXPECT_EQ(timeline.end(), kKernel);
  EXPECT_EQ(device.priorities.at(2), -1);
}

TEST_F(SideBySideTest, AnEventOrdersTwoStreams) {
  const Event event = timeline.create_event(true);
  timeline.run_kernel(a, 1);
  timeline.record(*timeline.find(event), a);
  timeline.wait(b, *timeline.find(event));
  timeline.run_kernel(b, 2);
  EXPECT_EQ(start_of(2), kKernel);
  EXPECT_EQ(timeline.time_of(*timeline.find(event)), kKernel);
}

TEST_F(SideBySideTest, AnEventThatIsRecordedAgainHasTheLaterTime) {
  const Event event = timeline.create_event(true);
  timeline.run_kernel(a, 1);
  timeline.record(*timeline.find(event), a);
  timeline.wait(b, *timeline.find(event));
  timeline.run_kernel(a, 2);
  timeline.record(*timeline.find(event), a);
  timeline.run_kernel(b, 3);
  EXPECT_EQ(start_of(3), kKernel) << "who waits, waits for the first record";
  EXPECT_EQ(timeline.time_of(*timeline.find(event)), kKernel * 2);
}

TEST_F(SideBySideTest, TheDefaultStreamAndBlockingStreamsWaitForEachOther) {
  timeline.run_kernel(blocking, 1);
  timeline.run_kernel(a, 2);
  timeline.run_kernel(Stream{}, 3);
  timeline.run_kernel(a, 4);
  timeline.run_kernel(blocking, 5);
  EXPECT_EQ(start_of(3), kKernel);
  EXPECT_EQ(device.starts.at(4), kKernel) << "behind kernel 2 alone";
  EXPECT_EQ(device.starts.at(5), kKernel * 2);
}

TEST_F(SideBySideTest, TheDefaultStreamWaitsForAStreamThatIsGone) {
  timeline.run_kernel(blocking, 1);
  timeline.destroy(blocking);
  timeline.run_kernel(Stream{}, 2);
  EXPECT_EQ(start_of(2), kKernel);
}

TEST_F(SideBySideTest, AWaitForOneStreamLeavesOthersToRun) {
  timeline.run_kernel(a, 1);
  timeline.run_kernel(b, 2);
  timeline.run_kernel(b, 3);
  timeline.wait_on_host(timeline.end_of(a));
  EXPECT_FALSE(device.starts.contains(4));
  timeline.run_kernel(a, 4);
  EXPECT_EQ(start_of(4), kKernel) << "beside kernel 3";
  EXPECT_EQ(timeline.end(), kKernel * 2);
}

TEST_F(SideBySideTest, CopiesOfOneDirectionFollowEachOther) {
  timeline.copy(a, Engine::to_device, 100);
  timeline.copy(b, Engine::to_device, 100);
  EXPECT_EQ(timeline.end(), Picoseconds{220});
}

TEST_F(SideBySideTest, CopiesOfBothDirectionsAndKernelsRunSideBySide) {
  timeline.copy(a, Engine::to_device, 90);
  timeline.copy(b, Engine::to_host, 90);
  EXPECT_EQ(timeline.end_of(a), Picoseconds{100});
  EXPECT_EQ(timeline.end_of(b), Picoseconds{190}) << "half the bandwidth";
  timeline.run_kernel(a, 1);
  timeline.run_kernel(b, 2);
  EXPECT_EQ(start_of(1), Picoseconds{100});
  EXPECT_EQ(device.starts.at(2), Picoseconds{190});
}

TEST_F(SideBySideTest, CopiesAndFillsInTheDeviceFollowEachOtherBesideCopiesOfTheHost) {
  timeline.copy(a, Engine::in_device, 100);
  timeline.fill(b, 100);
  timeline.copy(blocking, Engine::to_device, 90);
  EXPECT_EQ(timeline.end_of(blocking), Picoseconds{100});
  EXPECT_EQ(timeline.end_of(a), Picoseconds{140});
  EXPECT_EQ(timeline.end_of(b), Picoseconds{230}) << "twice the bandwidth, behind the copy";
}

TEST_F(SideBySideTest, WorkThatRunsAloneHoldsLaterKernelsBack) {
  timeline.run_kernel(a, 1);
  timeline.settle();
  timeline.run(b, kKernel);  // a live kernel
  timeline.run_kernel(a, 2);
  EXPECT_EQ(start_of(2), kKernel * 2);
}

TEST_F(SideBySideTest, CachesHearOfCopiesThatWereSubmittedBefore) {
  device.written = 3;
  timeline.run_kernel(a, 1);
  device.written = 5;
  timeline.settle();
  EXPECT_EQ(device.applied, 3u);
}

TEST(CopyTimes, ADefaultStreamWaitsForItsCopies) {
  Timeline timeline({}, {.latency = Picoseconds{10}, .to_device = 1e12});
  timeline.copy(Stream{}, Engine::to_device, 90);
  timeline.copy(Stream{}, Engine::to_host, 90);
  EXPECT_EQ(timeline.end(), Picoseconds{100}) << "no bandwidth was set for the other direction";
  EXPECT_EQ(timeline.run(Stream{}, kKernel), Picoseconds{1100});
}

TEST(CopyTimes, FillsInADefaultStreamDelayItsKernels) {
  Timeline timeline({}, {.latency = {}, .in_device_latency = Picoseconds{40}, .fill = 1e12});
  timeline.fill(Stream{}, 90);
  timeline.copy(Stream{}, Engine::in_device, 90);
  EXPECT_EQ(timeline.run(Stream{}, kKernel), Picoseconds{1130}) << "no bandwidth was set for copies";
}

TEST(CopyTimes, CopiesThatFitTheCacheHaveABandwidthOfTheirOwn) {
  const CopyCosts costs{.latency = {},
                        .in_device_latency = Picoseconds{40},
                        .in_device = 1e12,
                        .in_cache = 2e12,
                        .cache_bytes = 100,
                        .fill = 1e12};
  EXPECT_EQ(costs.copy(Engine::in_device, 100), Picoseconds{90});
  EXPECT_EQ(costs.copy(Engine::in_device, 101), Picoseconds{141});
  EXPECT_EQ(costs.filling(100), Picoseconds{140}) << "not fills";
}

TEST(CopyTimes, TheSidesDecideTheEngine) {
  EXPECT_EQ(engine_between(true, true), Engine::in_device);
  EXPECT_EQ(engine_between(true, false), Engine::to_device);
  EXPECT_EQ(engine_between(false, true), Engine::to_host);
  EXPECT_EQ(engine_between(false, false), Engine::none);
}

}  // namespace
}  // namespace sassim::cuda
