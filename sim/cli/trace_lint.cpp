// SPDX-License-Identifier: Apache-2.0
// sassim trace lint: prints what is wrong with traces (sim/trace/doctor.h)
#include <algorithm>

#include "sim/base/printable.h"
#include "sim/cli/config_options.h"
#include "sim/cli/standard_streams.h"
#include "sim/cli/trace_actions.h"
#include "sim/trace/doctor.h"
#include "sim/trace/open.h"

namespace sassim::cli {
namespace {

/// Latencies of matrix instructions depend on the shape and are interpolated by the pipes' configuration; they are not
/// checked here.
bool is_matrix(isa::OpClass op) {
  return op == isa::OpClass::hmma || op == isa::OpClass::imma || op == isa::OpClass::dmma || op == isa::OpClass::gmma;
}

trace::LintOptions lint_options(const TraceLintOptions& options) {
  trace::LintOptions lint;
  lint.blocks = options.blocks;
  lint.max_steps = options.max_steps;
  if (options.config.empty()) return lint;
  const config::GpuConfig gpu = ConfigOptions{options.config, options.overrides}.load();
  lint.arch = gpu.arch;
  lint.latency = [ops = gpu.sm.pipes.ops](const isa::Decoded& decoded) {
    return is_matrix(decoded.op) ? 0u : ops[static_cast<std::size_t>(decoded.op)].latency;
  };
  return lint;
}

}  // namespace

ExitStatus trace_lint(const TraceLintOptions& options) {
  const trace::LintOptions lint = lint_options(options);
  std::uint64_t findings = 0, kernels = 0;
  for (const std::string& path : options.traces)
    for (auto& source : trace::open(path)) {
      ++kernels;
      const trace::LintResult result = trace::lint(*source, lint);
      for (const trace::Finding& finding : result.findings) {
        show("{}: {}: {}\n", path, printable(source->kernel().name), printable(finding.text()));
        ++findings;
      }
      if (!result.complete)
        show("{}: {}: only the first {} warp instructions were looked at; --max-steps N looks at more\n", path,
             printable(source->kernel().name), lint.max_steps);
      source.reset();
    }
  show("{} kernels, {} findings{}\n", kernels, findings,
       options.config.empty() ? " (dependences were not checked: that needs --config)" : "");
  return findings ? ExitStatus::check_failed : ExitStatus::done;
}

}  // namespace sassim::cli
