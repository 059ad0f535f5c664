// SPDX-License-Identifier: Apache-2.0
// Writes the VCD file of `--vcd`: what one SM and its processing blocks do in each cycle of a window.
#include "arch/gpu/signal_dump.h"

#include <fmt/format.h>
#include <sysc/tracing/sc_tracing_ids.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <systemc>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

constexpr std::string_view kVcdSuffix = ".vcd";

std::string without_vcd_suffix(const std::string& path) {
  if (!path.ends_with(kVcdSuffix) || path.size() == kVcdSuffix.size())
    throw UsageError("--vcd {}: the name of the file must end in .vcd", path);
  return path.substr(0, path.size() - kVcdSuffix.size());
}

/// The name for SystemC, which appends the suffix. The contents get the requested name when they are complete.
std::string unfinished_dump(const std::string& path) { return without_vcd_suffix(path) + ".part"; }

std::string without_date(const std::string& text) {
  const std::size_t date = text.find("$date"), end = text.find("$end", date);
  if (date == std::string::npos || end == std::string::npos) return text;
  return text.substr(0, date) + text.substr(text.find_first_not_of(" \r\n", end + 4));
}

}  // namespace

struct SignalDump::Impl {
  /// The signals of one processing block.
  struct BlockSignals {
    bool issue = false;
    std::uint32_t warp = 0, pc = 0;  ///< of the instruction that issued last
    std::uint32_t warps = 0, memory_queue = 0, memory_in_flight = 0;
  };

  SignalFile file;
  sc_core::sc_trace_file* trace = nullptr;
  isa::CodeLayout layout;  ///< of the running kernel
  std::uint32_t blocks = 0, warps = 0;
  std::vector<BlockSignals> parts;
  std::array<std::uint32_t, kStallReasons> reasons{};

  void declare(const std::string& sm) {
    const auto name = [&](const std::string& signal) { return sm + "." + signal; };
    sc_core::sc_trace(trace, blocks, name("blocks"), 8);
    sc_core::sc_trace(trace, warps, name("warps"), 8);
    for (std::size_t r = 0; r < kStallReasons; ++r) {
      const StallReason reason = static_cast<StallReason>(r);
      if (reason != StallReason::selected && reason != StallReason::no_warp)
        sc_core::sc_trace(trace, reasons[r], name(fmt::format("waiting.{}", stall_name(reason))), 8);
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto of_part = [&](const char* signal) { return name(fmt::format("processing_block{}.{}", p, signal)); };
      BlockSignals& part = parts[p];
      sc_core::sc_trace(trace, part.issue, of_part("issue"));
      sc_core::sc_trace(trace, part.warp, of_part("issued_warp"), 8);
      sc_core::sc_trace(trace, part.pc, of_part("issued_pc"), 32);
      sc_core::sc_trace(trace, part.warps, of_part("warps"), 8);
      sc_core::sc_trace(trace, part.memory_queue, of_part("memory_queue"), 8);
      sc_core::sc_trace(trace, part.memory_in_flight, of_part("memory_in_flight"), 16);
    }
  }
};

SignalDump::SignalDump(const SignalFile& file, const config::GpuConfig& config) : impl_(std::make_unique<Impl>()) {
  impl_->file = file;
  if (file.sm.value >= config.sm.count)
    throw UsageError("--vcd-sm {}: '{}' has the SMs 0 to {}", file.sm.value, config.name, config.sm.count - 1);
  impl_->parts.resize(config.sm.processing_blocks);
  // Standard output belongs to the report, and to the program.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_TRACING_TIMESCALE_UNIT_, sc_core::SC_DO_NOTHING);
  impl_->trace = sc_core::sc_create_vcd_trace_file(unfinished_dump(file.path).c_str());
  impl_->trace->set_time_unit(1, sc_core::SC_PS);
  impl_->declare(fmt::format("gpu.sm{}", file.sm.value));
}

SignalDump::~SignalDump() {
  const std::string part = unfinished_dump(impl_->file.path) + std::string(kVcdSuffix);
  sc_core::sc_close_vcd_trace_file(impl_->trace);
  try {
    if (const auto text = read_whole_file(part)) write_durably(impl_->file.path, without_date(*text));
  } catch (const Error& error) {
    fmt::print(stderr, "sassim: {}\n", error.what());
  }
  std::remove(part.c_str());
}

bool SignalDump::shows(Cycle at) const { return at >= impl_->file.from && at < impl_->file.until; }

void SignalDump::kernel_started(const trace::KernelInfo& kernel, Cycle) { impl_->layout = kernel.layout(); }

void SignalDump::issued(const WarpName& warp, std::uint32_t line, Cycle issue, Cycle) {
  if (warp.sm != impl_->file.sm || !shows(issue)) return;
  Impl::BlockSignals& part = impl_->parts[warp.slot.value % impl_->parts.size()];
  part.issue = true;
  part.warp = warp.slot.value;
  part.pc = static_cast<std::uint32_t>(impl_->layout.pc(line));
}

void SignalDump::sample(const Sm& sm) {
  impl_->blocks = sm.resident_blocks();
  impl_->reasons = {};
  impl_->warps = 0;
  for (std::size_t p = 0; p < impl_->parts.size(); ++p) {
    const ProcessingBlock& block = sm.processing_block(p);
    Impl::BlockSignals& part = impl_->parts[p];
    part.warps = block.resident();
    part.memory_queue = static_cast<std::uint32_t>(block.memory_queued());
    part.memory_in_flight = static_cast<std::uint32_t>(block.memory_operations());
    impl_->warps += part.warps;
    block.count_reasons(impl_->reasons);
  }
}

void SignalDump::idle() {
  for (Impl::BlockSignals& part : impl_->parts) part.issue = false;
}

}  // namespace sassim::arch
