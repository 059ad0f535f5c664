// SPDX-License-Identifier: Apache-2.0
// The trace of a launch that is executed first and timed later.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sim/cuda/side_by_side.h"
#include "sim/trace/memory_trace.h"
#include "sim/trace/sast_writer.h"

namespace sassim::cuda {

/// Whether the user wants the trace.
enum class Keep { yes, no };

/// Between its recording and its times a trace is mapped memory of a file, so that memory does not grow with it. No
/// descriptor is open meanwhile, and a file that nobody wants has no name any more. A trace that is timed at once need
/// not become a file as long as it is short.
class RecordedTrace {
 public:
  static constexpr std::uint64_t kShort = 256u << 10;  ///< bytes of streams, chosen

  RecordedTrace(const trace::KernelInfo& info, std::string path, Keep keep);
  /// In memory until it has more than `in_memory` bytes, then in a file that nobody wants.
  RecordedTrace(const trace::KernelInfo& info, std::string path, std::uint64_t in_memory);
  /// In memory: for a process that cannot make files in the session's folder any more.
  explicit RecordedTrace(const trace::KernelInfo& info);

  /// In any order, from any thread.
  void add(const std::shared_ptr<const trace::BlockTrace>& block);
  /// Call it when all blocks have been added. Each call of the result gives a source of them.
  SideBySide::Trace finish();

 private:
  void open(const trace::KernelInfo& info);

  std::string path_;
  Keep keep_ = Keep::no;
  std::optional<trace::SastWriter> writer_;
  std::size_t kernel_ = 0;  ///< in the file
  std::mutex mutex_;        ///< of what follows, until finish()
  std::shared_ptr<trace::MemoryTrace> in_memory_;
  std::optional<std::uint64_t> room_;  ///< bytes that it may still have in memory; nothing: any number
};

}  // namespace sassim::cuda
