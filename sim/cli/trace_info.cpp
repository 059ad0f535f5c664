// SPDX-License-Identifier: Apache-2.0
// sassim trace info: prints what a trace holds: launches, sizes, and how many instructions of each class its warps
// executed
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/base/durable_file.h"
#include "sim/base/printable.h"
#include "sim/cli/trace_actions.h"
#include "sim/cli/trace_choice.h"
#include "sim/trace/open.h"
#include "sim/trace/sast_file.h"
#include "sim/trace/summary.h"

namespace sassim::cli {
namespace {

using nlohmann::ordered_json;

ordered_json dim(const Dim3& d) { return {d.x, d.y, d.z}; }

/// The size of the kernel in its file; empty for a trace that is not a .sast file.
std::optional<std::uint64_t> stored_bytes(const trace::BlockSource& source) {
  const auto* kernel = dynamic_cast<const trace::SastKernel*>(&source);
  if (!kernel) return {};
  std::uint64_t bytes = kernel->entry().info.stored;
  for (const auto& block : kernel->entry().blocks) bytes += block.section.stored;
  return bytes;
}

ordered_json describe(const ChosenKernel& chosen) {
  const trace::KernelInfo& kernel = chosen.source->kernel();
  const trace::Summary summary = trace::summarize(*chosen.source);
  ordered_json out;
  out["number"] = chosen.index;
  out["name"] = printable(kernel.name);
  out["arch"] = fmt::format("sm_{}", kernel.sm);
  out["grid"] = dim(kernel.grid);
  out["block"] = dim(kernel.block);
  out["registers"] = kernel.registers;
  out["static_shared"] = kernel.static_shared;
  out["dynamic_shared"] = kernel.dynamic_shared;
  out["local_bytes"] = kernel.local_bytes;
  out["control_bits"] = kernel.has_encodings;
  out["trace_hash"] = chosen.source->hash();
  out["instructions"] = kernel.code.size();
  out["instructions_run"] = summary.instructions_run;
  out["blocks"] = summary.blocks;
  out["warps"] = summary.warps;
  out["warp_instructions"] = summary.warp_instructions;
  out["thread_instructions"] = summary.thread_instructions;
  if (const auto* kernel_of_file = dynamic_cast<const trace::SastKernel*>(chosen.source.get()))
    out["format_version"] = kernel_of_file->file().version();
  if (const auto bytes = stored_bytes(*chosen.source)) {
    out["bytes"] = *bytes;
    if (summary.warp_instructions)
      out["bytes_per_warp_instruction"] = static_cast<double>(*bytes) / static_cast<double>(summary.warp_instructions);
  }
  ordered_json mix = ordered_json::object();
  for (std::size_t op = 0; op < summary.by_class.size(); ++op)
    if (summary.by_class[op])
      mix[std::string(isa::op_class_name(static_cast<isa::OpClass>(op)))] = summary.by_class[op];
  if (summary.unknown) mix["unknown"] = summary.unknown;
  out["mix"] = mix;
  ordered_json details = ordered_json::object();
  for (std::size_t kind = 1; kind < summary.by_detail.size(); ++kind)
    if (summary.by_detail[kind])
      details[std::string(trace::detail_name(static_cast<trace::DetailKind>(kind)))] = summary.by_detail[kind];
  if (!details.empty()) out["details"] = details;
  return out;
}

/// `replace`: the path may contain bytes that are not UTF-8.
std::string json_text(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

std::string shape(const ordered_json& d) {
  return fmt::format("{} x {} x {}", d[0].get<int>(), d[1].get<int>(), d[2].get<int>());
}

void print(const ordered_json& k) {
  const auto warp_instructions = k["warp_instructions"].get<std::uint64_t>();
  auto value_of = [&](const char* key) { return k[key].get<std::uint64_t>(); };
  fmt::print("kernel {}: {}\n", value_of("number"), k["name"].get<std::string>());
  fmt::print("  {:<22}{}{}\n", "architecture", k["arch"].get<std::string>(),
             k["control_bits"].get<bool>() ? "" : " (no control bits: scoreboard mode)");
  fmt::print("  {:<22}grid {}, block {}\n", "launch", shape(k["grid"]), shape(k["block"]));
  fmt::print("  {:<22}{} registers, {} + {} bytes of shared memory, {} bytes of local memory\n", "resources",
             value_of("registers"), value_of("static_shared"), value_of("dynamic_shared"), value_of("local_bytes"));
  fmt::print("  {:<22}{} blocks, {} warps\n", "recorded", value_of("blocks"), value_of("warps"));
  fmt::print("  {:<22}{} of {} ran\n", "instructions", value_of("instructions_run"), value_of("instructions"));
  const double lanes =
      warp_instructions ? static_cast<double>(value_of("thread_instructions")) / static_cast<double>(warp_instructions)
                        : 0;
  fmt::print("  {:<22}{} ({:.1f} threads active on average)\n", "warp instructions", warp_instructions, lanes);
  if (k.contains("bytes_per_warp_instruction"))
    fmt::print("  {:<22}{} bytes, {:.3f} per warp instruction\n", "size", value_of("bytes"),
               k["bytes_per_warp_instruction"].get<double>());
  fmt::print("  {:<22}{}\n", "hash", k["trace_hash"].get<std::string>());
  if (const auto details = k.find("details"); details != k.end())
    for (const auto& [name, count] : details->items())
      fmt::print("  {:<22}{} warp instructions\n", name, count.get<std::uint64_t>());
  std::vector<std::pair<std::uint64_t, std::string>> mix;
  for (const auto& [name, count] : k["mix"].items()) mix.emplace_back(count.get<std::uint64_t>(), name);
  std::ranges::stable_sort(mix, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [count, name] : mix)
    fmt::print("    {:<20}{:>14} {:>6.2f} %\n", name, count,
               100.0 * static_cast<double>(count) / static_cast<double>(warp_instructions));
}

}  // namespace

ExitStatus trace_info(const TraceInfoOptions& options) {
  if (options.json != "-") check_outputs(trace::trace_files(options.trace), {{"--json", options.json}});
  ordered_json all;
  all["schema"] = "sassim-trace-info/1";
  all["trace"] = options.trace;
  if (std::filesystem::is_regular_file(options.trace)) all["file_bytes"] = std::filesystem::file_size(options.trace);
  all["kernels"] = ordered_json::array();
  for (auto& chosen : choose_kernels(options.trace, {})) {
    all["kernels"].push_back(describe(chosen));
    chosen.source.reset();
    if (options.json != "-") print(all["kernels"].back());
  }
  if (options.json == "-") fmt::print("{}\n", json_text(all));
  if (!options.json.empty() && options.json != "-") write_durably(options.json, json_text(all) + "\n");
  return ExitStatus::done;
}

}  // namespace sassim::cli
