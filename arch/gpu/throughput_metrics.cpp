// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/throughput_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

void report_throughput(const KernelRun& run, stats::MetricSet& m) {
  const config::Pipes& p = run.config.sm.pipes;
  const struct {
    const char* name;
    bool shared_by_sm;
  } pipes[] = {{"fma", p.fma.shared_by_sm},         {"alu", p.alu.shared_by_sm},    {"fp16", p.fp16.shared_by_sm},
               {"fp64", p.fp64.shared_by_sm},       {"xu", p.xu.shared_by_sm},      {"tensor", p.tensor.shared_by_sm},
               {"uniform", p.uniform.shared_by_sm}, {"cbu", p.branch.shared_by_sm}, {"adu", p.adu.shared_by_sm}};
  const auto sms = static_cast<double>(run.sms.size());
  const auto cycles = static_cast<double>(run.cycles.value);
  const double blocks = run.config.sm.processing_blocks;
  std::vector<std::string> parts;
  const auto part = [&](std::string name, const char* meaning, double busy, double units) {
    m.set(name, "%", meaning, cycles == 0 ? 0 : std::min(100.0, 100 * busy / (sms * units * cycles)));
    parts.push_back(std::move(name));
  };
  part("sm__issue_active.avg.pct_of_peak_sustained_elapsed",
       "cycles in which a processing block issued as a share of the elapsed cycles", m["smsp__inst_executed.sum"],
       blocks);
  for (const auto& pipe : pipes)
    part(fmt::format("sm__pipe_{}_cycles_active.avg.pct_of_peak_sustained_elapsed", pipe.name),
         "cycles in which the pipe was busy as a share of the elapsed cycles",
         m[fmt::format("sassim__pipe_{}_cycles_busy.sum", pipe.name)], pipe.shared_by_sm ? 1 : blocks);
  part("sm__mio_inst_issued.avg.pct_of_peak_sustained_elapsed",
       "cycles in which the entry of the SM's memory stage was busy as a share of the elapsed cycles",
       m["sassim__memory_stage_busy_cycles.sum"], 1);
  m.largest("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%",
            "busy cycles of the busiest of issue, pipes and the memory stage as a share of the elapsed cycles",
            std::move(parts));
}

}  // namespace sassim::arch
