// SPDX-License-Identifier: Apache-2.0
// A run on several processes has the reports and the errors of a run on one, in their order, and leaves no process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <stdexcept>
#include <thread>

#include "sim/base/error.h"
#include "sim/base/wait_graph.h"
#include "sim/config/loader.h"
#include "sim/replay/run.h"
#include "tests/support/sass_kernel.h"

namespace sassim::replay {
namespace {

using arch::test::SassKernel;
using testing::HasSubstr;

/// A kernel that does something when its first block is asked for.
class Source final : public trace::BlockSource {
 public:
  Source(std::uint32_t warps, std::function<void()> first)
      : kernel_("B------:R-:W-:-:S05 FFMA R4, R5, R6, R4 ;\nB------:R-:W-:-:S05 EXIT ;\n"), first_(std::move(first)) {
    source_ = kernel_.warps(warps).source();
  }
  const trace::KernelInfo& kernel() const override { return source_->kernel(); }
  std::shared_ptr<const trace::BlockTrace> block(BlockId id) override {
    if (first_) first_();
    return source_->block(id);
  }
  std::string hash() const override { return source_->hash(); }

 private:
  SassKernel kernel_;
  std::unique_ptr<trace::BlockSource> source_;
  std::function<void()> first_;
};

using Kernels = std::vector<std::shared_ptr<trace::BlockSource>>;

void sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

std::shared_ptr<Source> kernel(std::uint32_t warps, std::function<void()> first = {}) {
  return std::make_shared<Source>(warps, std::move(first));
}

const config::GpuConfig& gpu() {
  static const config::GpuConfig config =
      config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", {"sm.count=2"});
  return config;
}

struct Got {
  std::vector<report::KernelReport> reports;
  std::exception_ptr error;
};

Got got(const Kernels& kernels, unsigned jobs, const std::function<void(const JobsProgress&)>& look = {}) {
  Got got;
  const auto sink = [&](report::KernelReport report) { got.reports.push_back(std::move(report)); };
  try {
    if (jobs == 0)
      run(gpu(), kernels, {}, sink, nullptr, true);
    else
      run_jobs(gpu(), kernels, {}, sink, {jobs, true, look});
  } catch (...) {
    got.error = std::current_exception();
  }
  EXPECT_TRUE(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD) << "a process is left";
  return got;
}

TEST(Jobs, ReportsComeInOrderAndAreThoseOfOneProcess) {
  Kernels kernels = {kernel(1, sleep)};  // more of the others end meanwhile than may wait for it
  for (std::uint32_t i = 1; i < 80; ++i) kernels.push_back(kernel(1 + i % 7));
  const Got one = got(kernels, 0);
  ASSERT_EQ(one.reports.size(), kernels.size());
  for (const unsigned jobs : {1u, 2u, 5u}) EXPECT_EQ(got(kernels, jobs).reports, one.reports) << jobs;
}

TEST(Jobs, OfEqualKernelsTheFirstIsSimulated) {
  void* const shared =
      mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& simulated = *new (shared) std::atomic<int>(0);
  Kernels kernels;
  for (int i = 0; i < 12; ++i) kernels.push_back(kernel(1 + i % 2, [&] { ++simulated; }));
  const Got three = got(kernels, 3);
  ASSERT_EQ(three.reports.size(), kernels.size());
  EXPECT_EQ(simulated, 2);
  for (std::size_t i = 0; i < kernels.size(); ++i) EXPECT_EQ(three.reports[i].reused, i > 1);
  munmap(shared, sizeof(std::atomic<int>));
}

/// How an error looks from outside.
std::string told(const Got& got) try {
  if (!got.error) return "none";
  std::rethrow_exception(got.error);
} catch (const Stuck& stuck) {
  return "stuck: " + std::string(stuck.what()) + stuck.graph().dot();
} catch (const Error& error) {
  return std::to_string(static_cast<int>(error.status())) + ": " + error.what();
} catch (const std::bad_alloc&) {
  return "no memory";
} catch (const std::exception& error) {
  return error.what();
}

TEST(Jobs, AnErrorIsThatOfOneProcessBehindTheReportsBeforeIt) {
  WaitGraph graph;
  graph.waits(graph.node("a warp"), graph.node("a barrier"), "arrives never");
  graph.set_age(graph.node("a warp"), 7);
  graph.describe(graph.node("a barrier"), "of 3 warps");
  const std::vector<std::function<void()>> errors = {
      [] { throw InputError("a block is damaged"); }, [] { throw NotSupported("an opcode"); },
      [&] { throw Stuck("it waits", graph); }, [] { throw std::bad_alloc(); },
      [] { throw std::logic_error("traffic is lost"); }};
  for (const auto& error : errors) {
    const Kernels kernels = {kernel(1, sleep), kernel(2), kernel(3, error), kernel(4, error), kernel(5)};
    const Got one = got(kernels, 0), three = got(kernels, 3);
    EXPECT_NE(told(one), "none");
    EXPECT_EQ(told(three), told(one));
    EXPECT_EQ(three.reports, one.reports) << told(one);
  }
}

TEST(Jobs, AProcessThatIsKilledIsOneErrorInItsPlace) {
  const int self = getpid();
  const auto end = [&](int signal) {
    return [=] {
      if (getpid() == self) throw std::logic_error("it is no process of its own");
      signal == 0 ? _exit(7) : static_cast<void>(raise(signal));
    };
  };
  const std::string killed = "3: launch 2: the process that simulated it was ended by SIGKILL; if memory was short, ";
  const auto with = [&](int signal) { return Kernels{kernel(1, sleep), kernel(2), kernel(3, end(signal)), kernel(4)}; };
  const Got by_signal = got(with(SIGKILL), 2);
  EXPECT_THAT(told(by_signal), HasSubstr(killed));
  EXPECT_EQ(by_signal.reports, got({kernel(1), kernel(2)}, 0).reports);
  EXPECT_EQ(told(got(with(0), 2)), "6: launch 2: the process that simulated it was ended by itself, status 7");
}

TEST(Jobs, WhoLooksSeesTheWorkOfAllAndCanEndTheRun) {
  struct Stopped {};
  const Kernels kernels = {kernel(1, [] { std::this_thread::sleep_for(std::chrono::seconds(100)); }), kernel(32),
                           kernel(32)};
  std::uint64_t beside = 0;
  const Got stopped = got(kernels, 2, [&](const JobsProgress& now) {
    EXPECT_EQ(now.kernel, "");
    beside = now.beside;
    if (beside != 0) throw Stopped{};
  });
  EXPECT_THROW(std::rethrow_exception(stopped.error), Stopped);
}

}  // namespace
}  // namespace sassim::replay
