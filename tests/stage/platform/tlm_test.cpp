// SPDX-License-Identifier: Apache-2.0
// GPUs as modules of a SystemC platform, and memories of the platform behind the channels.
#include <fmt/format.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <memory>
#include <systemc>

#include "arch/common/simulation_context.h"
#include "arch/gpu/memory_sockets.h"
#include "arch/gpu/system.h"
#include "sim/base/error.h"
#include "tests/stage/platform/kernels.h"

namespace sassim::arch::test {
namespace {

using sc_core::sc_time;

constexpr std::uint64_t kToSocket = 100;  ///< memory.dram.fixed_latency

config::GpuConfig outside(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), {"memory.dram.model=tlm", "memory.dram.fixed_latency=100"});
  return volta(std::move(overrides));
}

/// A target for all channels. Every access takes `latency`, and waits until the one before has ended if `one_by_one`.
class Memory : public sc_core::sc_module {
 public:
  Memory(sc_core::sc_module_name name, sc_time latency, bool one_by_one = false)
      : sc_module(name), socket("socket"), latency_(latency), one_by_one_(one_by_one) {
    socket.register_b_transport(this, &Memory::transport);
  }
  void bind(Gpu& gpu) {
    for (std::size_t i = 0; i < gpu.sockets().size(); ++i) gpu.sockets().socket(i).bind(socket);
  }
  tlm_utils::multi_passthrough_target_socket<Memory> socket;
  std::uint64_t read = 0, written = 0;
  std::uint64_t most_address = 0;
  bool in_order = true;
  bool refuses = false, waits = false;

 private:
  void transport(int, tlm::tlm_generic_payload& payload, sc_time& delay) {
    if (refuses) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (waits) sc_core::wait(latency_);
    const sc_time at = sc_core::sc_time_stamp() + delay;
    in_order = in_order && at >= last_;
    last_ = at;
    (payload.is_read() ? read : written) += payload.get_data_length();
    most_address = std::max<std::uint64_t>(most_address, payload.get_address() + payload.get_data_length());
    if (one_by_one_) {
      free_ = std::max(free_, at) + latency_;
      delay += free_ - at;
    } else {
      delay += latency_;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  sc_time latency_, last_, free_;
  bool one_by_one_;
};

/// A host that launches a kernel from its own thread, after some time.
class Host : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Host);
  Host(sc_core::sc_module_name name, Gpu& gpu, trace::BlockSource& source, RunOptions options, sc_time start)
      : sc_module(name), gpu_(gpu), source_(source), options_(std::move(options)), start_(start) {
    SC_THREAD(launch);
  }
  std::vector<KernelResult> results;
  std::vector<sc_time> began, ended;
  std::string error;
  int launches = 1;

 private:
  void launch() try {
    wait(start_);
    for (int i = 0; i < launches; ++i) {
      began.push_back(sc_core::sc_time_stamp());
      results.push_back(gpu_.run(source_, options_));
      ended.push_back(sc_core::sc_time_stamp());
    }
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  Gpu& gpu_;
  trace::BlockSource& source_;
  RunOptions options_;
  sc_time start_;
};

/// Runs `work` as the elaboration and simulation of a platform.
void in_platform(const std::function<void(System&)>& work) {
  SimulationContext context;
  context.use([&] {
    System system(System::Simulation::platform);
    work(system);
  });
}

sc_time nanoseconds(double value) { return {value, sc_core::SC_NS}; }

double time_of(Cycle cycles, const config::GpuConfig& config) {
  return static_cast<double>(cycles.value) / static_cast<double>(config.clock.sm);
}

TEST(Platform, AGpuIsAModuleWhoseLaunchesTakeSimulatedTime) {
  const SassKernel kernel = streaming();
  const auto source = kernel.source();
  const config::GpuConfig config = volta();
  Gpu alone(config);
  const KernelResult expected = alone.run(*source);
  in_platform([&](System& system) {
    Gpu gpu(system, config, "gpu");
    Host host("host", gpu, *source, {}, nanoseconds(3000));
    host.launches = 2;
    sc_core::sc_start();
    ASSERT_EQ(host.error, "");
    ASSERT_EQ(host.results.size(), 2u);
    for (const KernelResult& result : host.results) expect_equal(result, expected);
    EXPECT_EQ(host.began[0], nanoseconds(3000));
    const double took = time_of(expected.cycles, config);
    for (int i : {0, 1}) {
      EXPECT_GE((host.ended[i] - host.began[i]).to_seconds(), took - 1e-12);
      EXPECT_LT((host.ended[i] - host.began[i]).to_seconds(), took + 1e-6) << "up to an edge of all clocks";
    }
  });
}

TEST(Platform, TwoGpusOfAPlatformRunAtTheSameTime) {
  const SassKernel kernel = streaming();
  const auto source = kernel.source(), same = kernel.source();
  const config::GpuConfig config = volta(), slow = volta({"clock.sm=700MHz"});
  Gpu alone(config), slow_alone(slow);
  in_platform([&](System& system) {
    Gpu a(system, config, "a"), b(system, slow, "b");
    Host host_a("host_a", a, *source, {}, nanoseconds(10)), host_b("host_b", b, *same, {}, nanoseconds(20));
    sc_core::sc_start();
    ASSERT_EQ(host_a.error + host_b.error, "");
    expect_equal(host_a.results.at(0), alone.run(*source));
    expect_equal(host_b.results.at(0), slow_alone.run(*same));
    EXPECT_LT(host_b.began[0], host_a.ended[0]);
    EXPECT_LT(host_a.began[0], host_b.ended[0]);
  });
}

TEST(Platform, ALaunchNeedsARunningSimulation) {
  const SassKernel kernel = streaming(4);
  const auto source = kernel.source();
  in_platform([&](System& system) {
    Gpu gpu(system, volta(), "gpu");
    EXPECT_THROW(gpu.run(*source), UsageError);
    EXPECT_THROW(system.run({}), UsageError);
  });
}

/// Runs the kernel with a memory behind the sockets.
KernelResult with_memory(const SassKernel& kernel, const config::GpuConfig& config, sc_time latency, bool one_by_one,
                         RunOptions options = {}, const std::function<void(const Memory&)>& look = {}) {
  const auto source = kernel.source();
  KernelResult result;
  in_platform([&](System& system) {
    Gpu gpu(system, config, "gpu");
    Memory memory("memory", latency, one_by_one);
    memory.bind(gpu);
    Host host("host", gpu, *source, std::move(options), nanoseconds(1));
    sc_core::sc_start();
    EXPECT_EQ(host.error, "");
    if (host.error.empty()) result = std::move(host.results.at(0));
    if (look) look(memory);
  });
  return result;
}

TEST(Tlm, EveryByteOfTheChannelsPassesTheSockets) {
  // What a launch reads before it starts takes no time and passes no socket.
  const config::GpuConfig config = outside({"launch.code_prefetch=0", "launch.state_bytes=0"});
  const KernelResult result = with_memory(streaming(), config, nanoseconds(50), false, {}, [&](const Memory& memory) {
    EXPECT_GE(memory.read, 48u * 2 * 6 * 128);
    EXPECT_TRUE(memory.in_order) << "accesses of all channels come in the order of their times";
    EXPECT_GT(memory.most_address, 0u);
  });
  with_memory(streaming(), config, nanoseconds(50), false, {}, [&](const Memory& memory) {
    EXPECT_EQ(static_cast<double>(memory.read), result.metrics["dram__bytes_read.sum"]);
    EXPECT_EQ(static_cast<double>(memory.written), result.metrics["dram__bytes_write.sum"]);
  });
}

TEST(Tlm, AnAccessTakesTheWayToTheSocketAndTheTimeOfTheTarget) {
  const SassKernel load(R"(
  B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;
  B0-----:R-:W-:-:S05 EXIT ;
)");
  const auto source = load.source();
  const config::GpuConfig near = outside(), far = outside({"memory.dram.fixed_latency=600"});
  const double dram_cycle = 1e9 / static_cast<double>(near.clock.dram);  // in nanoseconds
  const auto cycles = [&](const config::GpuConfig& gpu, double dram_cycles) {
    return with_memory(load, gpu, nanoseconds(dram_cycles * dram_cycle), false).cycles;
  };
  // The model `fixed` with the same latency in all.
  const auto expected = [&](std::uint64_t latency) {
    Gpu fixed(volta({"memory.dram.model=fixed", fmt::format("memory.dram.fixed_latency={}", latency)}));
    return fixed.run(*source).cycles;
  };
  EXPECT_EQ(cycles(near, 0), expected(kToSocket));
  EXPECT_EQ(cycles(near, 999.5), expected(kToSocket + 1000)) << "up to a cycle of DRAM";
  EXPECT_EQ(cycles(far, 0), expected(600));
  EXPECT_GT(expected(600), expected(kToSocket) + 500);
}

TEST(Tlm, TheResultDependsNeitherOnEpochsNorOnThreads) {
  const config::GpuConfig config = outside();
  const auto run = [&](unsigned threads, std::uint64_t epoch) {
    RunOptions options;
    options.threads = threads;
    options.epoch = epoch;
    return with_memory(streaming(), config, nanoseconds(2), true, options);
  };
  const KernelResult expected = run(1, 0);
  expect_equal(run(3, 0), expected);
  expect_equal(run(1, 1), expected);
  expect_equal(run(2, 17), expected);
  const KernelResult free = with_memory(streaming(), config, nanoseconds(2), false);
  EXPECT_GT(expected.cycles, free.cycles + 100) << "accesses that wait for each other take longer";
}

TEST(Tlm, WhatATargetDoesWrongIsNamed) {
  const SassKernel kernel = streaming(4);
  const auto source = kernel.source();
  for (bool waits : {false, true})
    in_platform([&](System& system) {
      Gpu gpu(system, outside(), "gpu");
      Memory memory("memory", nanoseconds(5));
      (waits ? memory.waits : memory.refuses) = true;
      memory.bind(gpu);
      Host host("host", gpu, *source, {}, nanoseconds(1));
      sc_core::sc_start();
      EXPECT_NE(host.error.find("memory channel "), std::string::npos) << host.error;
      EXPECT_NE(host.error.find(waits ? "must not wait" : "TLM_ADDRESS_ERROR_RESPONSE"), std::string::npos)
          << host.error;
    });
}

TEST(Tlm, WithoutAPlatformNothingAnswers) {
  try {
    Gpu gpu(outside());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("SystemC platform"), std::string::npos) << error.what();
  }
  System system;
  Gpu gpu(system, volta(), "gpu");
  EXPECT_EQ(gpu.sockets().size(), 0u);
  EXPECT_THROW(gpu.sockets().socket(0), UsageError);
}

TEST(Tlm, TooShortAWayToTheSocketIsRefused) {
  try {
    outside({"memory.dram.fixed_latency=7"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("at least 8"), std::string::npos) << error.what();
  }
}

TEST(Tlm, ACheckpointIsRefused) {
  RunOptions options;
  options.checkpoint_every = 100;
  options.checkpoint = [](Cycle, std::string) {};
  const SassKernel kernel = streaming(4);
  const auto source = kernel.source();
  in_platform([&](System& system) {
    Gpu gpu(system, outside(), "gpu");
    Memory memory("memory", nanoseconds(5));
    memory.bind(gpu);
    Host host("host", gpu, *source, options, nanoseconds(1));
    sc_core::sc_start();
    EXPECT_NE(host.error.find("checkpoints are not possible with memory.dram.model tlm"), std::string::npos)
        << host.error;
  });
}

}  // namespace
}  // namespace sassim::arch::test
