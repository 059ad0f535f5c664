// SPDX-License-Identifier: Apache-2.0
// sassim trace slice and import: both make .sast files.
#include <array>
#include <filesystem>
#include <memory>

#include "sim/base/input_file.h"
#include "sim/cli/standard_streams.h"
#include "sim/cli/trace_actions.h"
#include "sim/cli/trace_choice.h"
#include "sim/isa/disassembler.h"
#include "sim/trace/open.h"
#include "sim/trace/sast_writer.h"
#include "sim/trace/traceg_import.h"

namespace sassim::cli {
namespace {

std::string slurp(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw InputError("{}: is a folder, not a cubin or its listing", path);
  return read_input_file(path, kCubinFile);
}

/// Reads the code from a cubin (an ELF file) or from a listing of one.
std::shared_ptr<const isa::Disassembly> real_code(const std::string& path) {
  if (path.empty()) return nullptr;
  const std::string content = slurp(path);
  if (!content.starts_with("\x7f"
                           "ELF"))
    return std::make_shared<isa::Disassembly>(isa::parse_disassembly(content, path));
  return isa::disassemble({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()}, path);
}

}  // namespace

ExitStatus trace_slice(const TraceSliceOptions& options) {
  check_outputs(trace::trace_files(options.trace), {{"OUT", options.out}});
  const IndexRanges wanted(options.blocks);
  auto chosen_kernels = choose_kernels(options.trace, options.kernels);
  check_blocks(wanted, "--blocks", options.blocks, chosen_kernels);
  trace::SastWriter writer(options.out, Sync::yes,
                           options.uncompressed ? trace::Compression::none : trace::Compression::zstd);
  std::uint64_t kernels = 0, blocks = 0;
  for (auto& chosen : chosen_kernels) {
    const trace::KernelInfo& info = chosen.source->kernel();
    const std::size_t id = writer.begin_kernel(info);
    ++kernels;
    for (std::uint64_t i = 0; i < chosen.source->block_count(); ++i) {
      const auto block = chosen.source->block(BlockId(i));
      if (!wanted.contains(trace::block_index(info.grid, block->id))) continue;
      writer.add_block(id, *block);
      ++blocks;
    }
    chosen.source.reset();
  }
  if (blocks == 0) throw UsageError("--blocks {} names no block of {}", options.blocks, options.trace);
  writer.finish();
  show("{}: {} kernels, {} blocks\n", options.out, kernels, blocks);
  return ExitStatus::done;
}

ExitStatus trace_import(const TraceImportOptions& options) {
  std::vector<std::filesystem::path> inputs = trace::trace_files(options.traceg);
  inputs.emplace_back(options.cubin);
  check_outputs(inputs, {{"OUT", options.out}});
  const auto files = trace::traceg_files(options.traceg);
  const auto code = real_code(options.cubin);
  trace::SastWriter writer(options.out);
  std::uint64_t blocks = 0, steps = 0;
  for (const std::string& file : files) {
    std::size_t id = 0;
    trace::import_traceg(file, code.get(),
                         {[&](const trace::KernelInfo& kernel) { id = writer.begin_kernel(kernel); },
                          [&](const std::shared_ptr<const trace::BlockTrace>& block) {
                            writer.add_block(id, *block);
                            ++blocks;
                            for (const auto& warp : block->warps) steps += warp->steps();
                          }});
  }
  writer.finish();
  show("{}: {} kernels, {} blocks, {} warp instructions{}\n", options.out, files.size(), blocks, steps,
       code ? "" : " (no control bits; --cubin FILE adds them)");
  return ExitStatus::done;
}

}  // namespace sassim::cli
