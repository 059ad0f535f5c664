// SPDX-License-Identifier: Apache-2.0
// Imports Accel-Sim traces. They have no encodings and no immediates, and name only vector registers; operands are
// placed by the opcode table. With the disassembly of what ran, instructions and control bits are the real ones.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/assembly.h"
#include "sim/trace/kernel.h"

namespace sassim::trace {

class MemoryTrace;

/// The kernel traces of a directory (its kernelslist.g), of a kernels list, or of one .traceg[.gz|.xz] file.
std::vector<std::string> traceg_files(const std::string& path);
bool is_traceg(const std::string& path);

struct TracegSink {
  std::function<void(const KernelInfo&)> kernel;  ///< once, first
  std::function<void(std::shared_ptr<const BlockTrace>)> block;
};

/// Reads the file twice: for the code, then for the blocks, of which one at a time is in memory. `code` may be null; a
/// kernel that it does not have, or has with other opcodes, is an InputError.
void import_traceg(const std::string& file, const isa::Disassembly* code, const TracegSink& sink);

std::shared_ptr<MemoryTrace> load_traceg(const std::string& file, const isa::Disassembly* code = nullptr);

}  // namespace sassim::trace
