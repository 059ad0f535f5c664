// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_gpu.h"

#include <stdexcept>

#include "sim/config/loader.h"
#include "tests/support/fixed_port.h"
#include "tests/support/fixed_units.h"

namespace sassim::arch::test {

namespace {

using isa::OpClass;

void set(config::GpuConfig& c, OpClass op, const char* pipe, std::uint32_t latency, std::uint32_t interval = 0) {
  c.sm.pipes.ops[static_cast<std::size_t>(op)] = {pipe, latency, interval};
}

struct Log final : PipelineObserver {
  std::vector<SmRun::Issue> issues;
  void issued(const WarpName& warp, std::uint32_t line, Cycle issue, Cycle result) override {
    issues.push_back({warp.warp, line, warp.block.value, issue.value, result.value});
  }
};

}  // namespace

config::GpuConfig volta() {
  config::GpuConfig c;
  c.sm.issue.stall_quirks.yield_zero = 45;
  c.sm.issue.stall_quirks.longest = 11;
  c.sm.issue.stall_quirks.beyond = 2;
  c.name = "test-volta";
  c.sm.count = 1;
  c.sm.front_end.perfect = true;
  c.sm.occupancy.carveouts = {0, 98304};
  auto& p = c.sm.pipes;
  p.fma.lanes = p.alu.lanes = p.fp16.lanes = 16;
  p.fp64.lanes = 8;
  p.xu = {4, false, 4};
  p.uniform.lanes = p.branch.lanes = 16;
  for (std::size_t i = 0; i < p.ops.size(); ++i)
    if (!leaves_block(c.sm, static_cast<OpClass>(i))) p.ops[i] = {"alu", 4, 0};
  for (OpClass op : {OpClass::fp32, OpClass::imad}) set(c, op, "fma", op == OpClass::imad ? 5 : 4);
  for (OpClass op : {OpClass::fp16, OpClass::fp16_mma}) set(c, op, "fp16", 6);
  set(c, OpClass::fp64, "fp64", 8);
  set(c, OpClass::fp64_fma, "fp64", 8);
  set(c, OpClass::mufu, "xu", 14);
  set(c, OpClass::branch, "branch", 1, 1);
  set(c, OpClass::convergence, "branch", 1, 1);
  set(c, OpClass::barrier, "mio", 10);
  set(c, OpClass::shuffle, "mio", 23);
  set(c, OpClass::s2r, "mio", 20);
  set(c, OpClass::membar, "none", 1);
  for (OpClass op : {OpClass::nop, OpClass::depbar, OpClass::cs2r}) set(c, op, "none", 1);
  return c;
}

config::GpuConfig ampere() {
  config::GpuConfig c = volta();
  c.name = "test-ampere";
  c.arch = 86;
  c.sm.pipes.fma.lanes = c.sm.pipes.alu.lanes = 32;
  set(c, OpClass::fp16, "fp16", 5);
  return c;
}

config::GpuConfig without_code_misses(const std::string& name) {
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/" + name + ".yaml", {"sm.front_end.perfect=true"});
}

std::vector<std::uint64_t> SmRun::clock_of(std::uint32_t warp) const {
  std::vector<std::uint64_t> values;
  for (const ClockRead& read : clocks)
    if (read.warp == warp) values.push_back(read.cycle.value);
  return values;
}

std::vector<std::uint64_t> SmRun::issues_of(std::uint32_t warp, std::uint32_t line) const {
  std::vector<std::uint64_t> found;
  for (const Issue& issue : issues)
    if (issue.warp == warp && issue.line == line) found.push_back(issue.cycle);
  return found;
}

std::uint64_t SmRun::warp_reason(StallReason reason) const {
  std::uint64_t sum = 0;
  for (const LineStalls& line : lines) sum += line.cycles[index(reason)];
  return sum;
}

namespace {

SmRun run_on(Sm& sm, const config::GpuConfig& config, trace::BlockSource& source, bool record, Cycle limit) {
  const StaticCode code(source.kernel(), config);
  const auto blocks = static_cast<std::uint32_t>(source.block_count());
  Log log;
  sm.start_kernel({&code, Cycle(0), blocks, source.kernel().shared_bytes(), false, record ? &log : nullptr}, Cycle(0));
  for (std::uint32_t b = 0; b < blocks; ++b) sm.place(source.block(BlockId(b)), BlockId(b), Cycle(0));

  SmRun run;
  while (sm.completions().size() < blocks) {
    const Cycle next = sm.next_event();
    if (next > limit) {
      WaitGraph graph;
      sm.describe_waits(graph);
      throw Stuck("the SM is stuck:\n" + graph.text(20), graph);
    }
    sm.advance(next + 1);
  }
  for (const Sm::Completion& completion : sm.completions()) run.cycles = std::max(run.cycles, completion.time);
  sm.finish(run.cycles);
  run.issued = sm.issued();
  run.issues = std::move(log.issues);
  run.clocks = sm.clock_reads();
  sm.stalls().add_to(run.lines);
  for (std::size_t i = 0; i < sm.processing_blocks(); ++i) {
    run.slots.push_back(sm.processing_block(i).slots().cycles());
    run.warp_cycles += sm.processing_block(i).accounts().warp_cycles_until(run.cycles);
  }
  stats::CounterValues values;
  sm.report(values, run.cycles);
  run.metrics = values.metrics();
  return run;
}

}  // namespace

SmRun run_sm(const config::GpuConfig& config, const SassKernel& kernel, Cycle limit) {
  const auto source = kernel.source();
  return run_sm(config, *source, true, limit);
}

SmRun run_sm(const config::GpuConfig& given, trace::BlockSource& source, bool record, Cycle limit) {
  const config::GpuConfig config = with_fixed_units(given);
  FixedPort port(config.memory.fixed_latency);
  Sm sm(config, SmId(0), port);
  return run_on(sm, config, source, record, limit);
}

SmRun run_sm_with_memory(const config::GpuConfig& config, const SassKernel& kernel) {
  const auto source = kernel.source();
  FixedPort port(config.memory.fixed_latency);
  Sm sm(config, SmId(0), port);
  return run_on(sm, config, *source, true, Cycle(100'000'000));
}

}  // namespace sassim::arch::test
