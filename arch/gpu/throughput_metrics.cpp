// SPDX-License-Identifier: Apache-2.0
// How busy issue, the pipes and the memory stage of the SMs were: sm__throughput and the metrics beside it.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "arch/gpu/gpu_metrics.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

struct PipeUse {
  PipeUse(config::PipeConfig config::Pipes::*of, const char* name)
      : config(of),
        use(fmt::format("sm__pipe_{}_cycles_active.avg.pct_of_peak_sustained_elapsed", name), "%",
            "cycles in which the pipe was busy as a share of the elapsed cycles"),
        busy(fmt::format("sassim__pipe_{}_cycles_busy.sum", name)) {}

  config::PipeConfig config::Pipes::*config;
  stats::Derived use;
  stats::CounterName busy;
};

const struct UseMetrics {
  stats::Derived issue{"sm__issue_active.avg.pct_of_peak_sustained_elapsed", "%",
                       "cycles in which a processing block issued as a share of the elapsed cycles"};
  PipeUse pipes[9] = {
      {&config::Pipes::fma, "fma"},         {&config::Pipes::alu, "alu"},    {&config::Pipes::fp16, "fp16"},
      {&config::Pipes::fp64, "fp64"},       {&config::Pipes::xu, "xu"},      {&config::Pipes::tensor, "tensor"},
      {&config::Pipes::uniform, "uniform"}, {&config::Pipes::branch, "cbu"}, {&config::Pipes::adu, "adu"}};
  stats::Derived memory_stage{"sm__mio_inst_issued.avg.pct_of_peak_sustained_elapsed", "%",
                              "cycles in which the entry of the SM's memory stage was busy as a share of the elapsed "
                              "cycles"};
  stats::Throughput busiest{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%",
                            "busy cycles of the busiest of issue, pipes and the memory stage as a share of the elapsed "
                            "cycles",
                            parts()};
  stats::CounterName issue_slots{"sassim__issue_slots_selected.sum"},
      stage_busy{"sassim__memory_stage_busy_cycles.sum"};

  std::vector<stats::Counter> parts() const {
    std::vector<stats::Counter> all{issue};
    for (const PipeUse& pipe : pipes) all.push_back(pipe.use);
    all.push_back(memory_stage);
    return all;
  }
} kUse;

}  // namespace

void report_throughput(const KernelRun& run, stats::CounterValues& m) {
  const config::Pipes& pipes = run.config.sm.pipes;
  const auto sms = static_cast<double>(run.sms.size());
  const auto cycles = static_cast<double>(run.cycles.value);
  const double blocks = run.config.sm.processing_blocks;
  const auto set = [&](const stats::Derived& use, double busy, double units) {
    m.set(use, cycles == 0 ? 0 : std::min(100.0, 100 * busy / (sms * units * cycles)));
  };
  set(kUse.issue, m[kUse.issue_slots], blocks);
  for (const PipeUse& pipe : kUse.pipes) set(pipe.use, m[pipe.busy], (pipes.*pipe.config).shared_by_sm ? 1 : blocks);
  set(kUse.memory_stage, m[kUse.stage_busy], 1);
  m.set(kUse.busiest);
}

}  // namespace sassim::arch
