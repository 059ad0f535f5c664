// SPDX-License-Identifier: Apache-2.0
// Imports Accel-Sim traces. They have no encodings and no immediates, and name only vector registers; the opcode table
// assigns the operands. With the disassembly of the code that ran, instructions and control bits are the real ones.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/assembly.h"
#include "sim/trace/kernel.h"

namespace sassim::trace {

class MemoryTrace;

/// The kernel trace files of a directory (from its kernelslist.g), of a kernels list, or of one .traceg[.gz|.xz] file.
std::vector<std::string> traceg_files(const std::string& path);
bool is_traceg(const std::string& path);

struct TracegSink {
  std::function<void(const KernelInfo&)> kernel;  ///< called once, before the blocks
  std::function<void(std::shared_ptr<const BlockTrace>)> block;
};

/// Reads the file twice: first the code, then the blocks, with one block at a time in memory. `code` may be null.
/// Throws InputError for a kernel that `code` lacks or has with other opcodes.
void import_traceg(const std::string& file, const isa::Disassembly* code, const TracegSink& sink);

std::shared_ptr<MemoryTrace> load_traceg(const std::string& file, const isa::Disassembly* code = nullptr);

}  // namespace sassim::trace
