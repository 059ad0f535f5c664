// SPDX-License-Identifier: Apache-2.0
// Traces.
#include <algorithm>

#include "sim/isa/opcode.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/bytes.h"
#include "sim/trace/doctor.h"
#include "sim/trace/kernel_codec.h"
#include "sim/trace/memory_trace.h"
#include "sim/trace/open.h"
#include "sim/trace/section.h"
#include "sim/trace/stream.h"
#include "sim/trace/summary.h"
#include "sim/trace/traceg_import.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

constexpr std::uint64_t kBlocks = 4, kSteps = 2000;

/// What every command does with a trace, in bounded time: decodes the code, looks for mistakes, sums up and steps
/// through the first blocks.
void walk(trace::BlockSource& source) {
  const trace::KernelInfo& kernel = source.kernel();
  for (const isa::Instruction& instruction : kernel.code) isa::decode(instruction, kernel.sm);
  const std::uint64_t blocks = std::min(source.block_count(), kBlocks);
  for (std::uint64_t number = 0; number < blocks; ++number) {
    const auto block = source.block(BlockId(static_cast<std::uint32_t>(number)));
    for (const auto& warp : block->warps) {
      trace::Cursor cursor = warp->cursor();
      trace::Step step;
      for (std::uint64_t steps = 0; steps < kSteps && cursor.next(step); ++steps) {
      }
    }
  }
  trace::LintOptions options;
  options.blocks = kBlocks;
  options.max_steps = kSteps;
  trace::lint(source, options);
  trace::summarize(source);
}

void read_sast_file(Bytes input) {
  const InputFile file(input);
  for (const auto& kernel : trace::open(file.path())) walk(*kernel);
}

const Register sast_file_parser("sast_file", "A .sast file as it lies on the disk", read_sast_file);

void read_sast_index(Bytes input) {
  trace::ByteReader in(input, "index");
  trace::read_index(in);
  in.expect_end();
}

const Register sast_index_parser("sast_index", "The index of a .sast file, behind its compression and checksum",
                                 read_sast_index);

class OneBlock : public trace::BlockSource {
 public:
  OneBlock(trace::KernelInfo kernel, Bytes block) : kernel_(std::move(kernel)), block_(block) {}
  const trace::KernelInfo& kernel() const override { return kernel_; }
  std::uint64_t block_count() const override { return 1; }
  std::shared_ptr<const trace::BlockTrace> block(BlockId) override {
    return trace::decode_block(block_, kernel_, "block", nullptr);
  }
  std::string hash() const override { return ""; }

 private:
  trace::KernelInfo kernel_;
  Bytes block_;
};

void read_sast_parts(Bytes input) {
  trace::ByteReader in(input, "parts");
  const Bytes kernel = in.blob();
  OneBlock source(trace::decode_kernel(kernel, "kernel"), in.bytes(in.left()));
  walk(source);
}

const Register sast_parts_parser("sast_parts",
                                 "The static section of a kernel and a block of it, behind compression and checksums: "
                                 "the length of the first in front",
                                 read_sast_parts);

void read_traceg(Bytes input) {
  const InputFile file(input);
  const auto trace = trace::load_traceg(file.path());
  walk(*trace);
}

const Register traceg_parser("traceg", "An Accel-Sim trace, plain or gzip", read_traceg);

}  // namespace
}  // namespace sassim::fuzz
