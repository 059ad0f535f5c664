// SPDX-License-Identifier: Apache-2.0
// The trace of a launch that is executed first and timed later.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/cuda/side_by_side.h"
#include "sim/trace/memory_trace.h"
#include "sim/trace/sast_writer.h"

namespace sassim::cuda {

/// Whether the user wants the trace.
enum class Keep { yes, no };

/// Between its recording and its times a trace is mapped memory of a file, so that memory does not grow with it. No
/// descriptor is open meanwhile, and a file that nobody wants has no name any more.
class RecordedTrace {
 public:
  RecordedTrace(const trace::KernelInfo& info, std::string path, Keep keep);
  /// In memory: for a process that cannot make files in the session's folder any more.
  explicit RecordedTrace(const trace::KernelInfo& info);

  /// In any order, from any thread.
  void add(const std::shared_ptr<const trace::BlockTrace>& block);
  /// Call it when all blocks have been added. Each call of the result gives a source of them.
  SideBySide::Trace finish();

 private:
  std::string path_;
  Keep keep_ = Keep::no;
  std::optional<trace::SastWriter> writer_;
  std::size_t kernel_ = 0;  ///< in the file
  std::shared_ptr<trace::MemoryTrace> in_memory_;
};

}  // namespace sassim::cuda
