// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/timeline.h"

#include <gtest/gtest.h>

namespace sassim::cuda {
namespace {

constexpr Picoseconds kWork{1000};

TEST(Timeline, OneStreamRunsInOrder) {
  Timeline timeline;
  const Stream stream = timeline.create_stream(false, 0);
  EXPECT_EQ(timeline.run(stream, kWork), kWork);
  EXPECT_EQ(timeline.run(stream, kWork), kWork * 2);
  EXPECT_EQ(timeline.end(), kWork * 2);
}

TEST(Timeline, TheDeviceRunsOneKernelAtATime) {
  Timeline timeline;
  const Stream a = timeline.create_stream(false, 0), b = timeline.create_stream(false, 0);
  timeline.run(a, kWork);
  EXPECT_EQ(timeline.run(b, kWork), kWork * 2);
}

TEST(Timeline, AnEventTellsWhenItsStreamGotThere) {
  Timeline timeline;
  const Stream busy = timeline.create_stream(false, 0), idle = timeline.create_stream(false, 0);
  const Event start = timeline.create_event(true), end = timeline.create_event(true);
  timeline.record(*timeline.find(start), busy);
  timeline.run(busy, kWork);
  timeline.record(*timeline.find(end), busy);
  EXPECT_EQ(timeline.find(end)->time - timeline.find(start)->time, kWork);

  const Event elsewhere = timeline.create_event(true);
  timeline.record(*timeline.find(elsewhere), idle);
  EXPECT_EQ(timeline.find(elsewhere)->time, Picoseconds{0}) << "an idle stream is not held up by another's work";
  timeline.wait(idle, *timeline.find(end));
  timeline.record(*timeline.find(elsewhere), idle);
  EXPECT_EQ(timeline.find(elsewhere)->time, kWork);
}

TEST(Timeline, TheLegacyStreamWaitsForBlockingStreamsOnly) {
  Timeline timeline;
  const Stream blocking = timeline.create_stream(true, 0), free = timeline.create_stream(false, 0);
  timeline.run(blocking, kWork);
  timeline.run(free, kWork);
  const Event event = timeline.create_event(true);
  timeline.record(*timeline.find(event), nullptr);
  EXPECT_EQ(timeline.find(event)->time, kWork) << "after `blocking`, not after `free`";
}

constexpr HostCosts kCosts{.launch = Picoseconds{300}, .record = Picoseconds{20}};

TEST(Timeline, NoKernelStartsBeforeTheHostHasSubmittedIt) {
  Timeline timeline(kCosts);
  const Event start = timeline.create_event(true), end = timeline.create_event(true);
  timeline.record(*timeline.find(start), nullptr);
  timeline.submit();
  timeline.run(nullptr, kWork);
  timeline.record(*timeline.find(end), nullptr);
  EXPECT_EQ(timeline.find(end)->time - timeline.find(start)->time, kCosts.launch + kWork);
}

TEST(Timeline, ShortKernelsWaitForTheHostAndLongOnesForEachOther) {
  const auto time_of = [](Picoseconds duration) {
    Timeline timeline(kCosts);
    for (int i = 0; i < 4; ++i) {
      timeline.submit();
      timeline.run(nullptr, duration);
    }
    return timeline.end();
  };
  EXPECT_EQ(time_of(Picoseconds{299}), kCosts.launch * 4 + Picoseconds{299});
  EXPECT_EQ(time_of(kWork), kCosts.launch + kWork * 4);
}

TEST(Timeline, AnEventThatTheHostRecordsLateIsLate) {
  Timeline timeline(kCosts);
  const Event first = timeline.create_event(true), second = timeline.create_event(true);
  timeline.record(*timeline.find(first), nullptr);
  timeline.record(*timeline.find(second), nullptr);
  EXPECT_EQ(timeline.find(second)->time - timeline.find(first)->time, kCosts.record);
}

TEST(Timeline, AHostThatWaitedSubmitsLater) {
  Timeline timeline(kCosts);
  timeline.submit();
  timeline.run(nullptr, kWork);
  timeline.wait_on_host(timeline.end());
  timeline.submit();
  EXPECT_EQ(timeline.run(nullptr, kWork), kCosts.launch * 2 + kWork * 2);
}

TEST(Timeline, DestroyedHandlesAreUnknown) {
  Timeline timeline;
  const Stream stream = timeline.create_stream(true, 0);
  EXPECT_TRUE(timeline.destroy(stream));
  EXPECT_FALSE(timeline.destroy(stream));
  EXPECT_EQ(timeline.find(stream), nullptr);
  EXPECT_NE(timeline.find(kLegacyStream), nullptr);
}

}  // namespace
}  // namespace sassim::cuda
