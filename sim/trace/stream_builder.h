// SPDX-License-Identifier: Apache-2.0
// Records one warp: steps appended in execution order, sealed into a compact stream.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "sim/trace/bytes.h"
#include "sim/trace/path.h"
#include "sim/trace/stream.h"

namespace sassim::trace {

struct KernelInfo;

/// Lets warps that ran the same way share one StreamBody. Safe to use from several threads.
class BodyPool {
 public:
  /// The body equal to `body` that was interned before and is still in use, else `body`.
  std::shared_ptr<const StreamBody> intern(std::shared_ptr<const StreamBody> body);

 private:
  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::weak_ptr<const StreamBody>> bodies_;
  std::size_t purge_at_ = 1024;
};

class WarpStreamBuilder {
 public:
  /// `pool` may be null; recorders of many warps should share one.
  explicit WarpStreamBuilder(const KernelInfo& kernel, std::shared_ptr<BodyPool> pool = nullptr);
  explicit WarpStreamBuilder(std::size_t code_size, std::shared_ptr<BodyPool> pool = nullptr);
  static std::unique_ptr<WarpStreamBuilder> make(const KernelInfo& kernel, std::shared_ptr<BodyPool> pool = nullptr);

  /// Throws std::logic_error for an index beyond the kernel's code or lanes that are not active.
  void append(const Step& step);
  /// Seals the stream; the builder is empty afterwards and may record another warp.
  std::shared_ptr<const WarpStream> finish();
  std::uint64_t steps() const { return steps_; }

 private:
  struct Shape;
  struct SlotState {
    std::uint32_t index = 0;
    std::uint64_t plain = 0;
    std::uint64_t origin = 0;
    bool has_origin = false;
    std::uint64_t base = 0, stride = 0, delta = 0;
    std::uint8_t kind = 0;
    isa::Space space = isa::Space::none;
    bool explicit_lanes = false;
    std::uint32_t lanes = 0;
    std::uint32_t list_lanes = 0;
    std::vector<std::uint64_t> offsets;  ///< of the last list, lane by lane
    std::size_t record = kNoRecord;      ///< the last one, in records_
    DetailKind detail_kind = DetailKind::none;
    Detail detail;                   ///< the last one
    std::uint32_t detail_lanes = 0;  ///< that it is for, where they differ; 0: all
  };
  struct Record {
    std::size_t at = 0;  ///< of the tag, in payload_
    std::uint64_t repeats = 0;
  };
  static constexpr std::size_t kNoRecord = ~std::size_t{0};

  void close_segment();
  void access(const Step& step);
  SlotState& slot_for(std::uint32_t index);
  static Shape shape_of(const Step& step, const SlotState& slot);
  static bool continues(const Step& step, const Shape& shape, const SlotState& slot);
  void write_record(const Step& step, const Shape& shape, SlotState& slot);
  void write_list(const Shape& shape);
  static bool says_the_same(const Step& step, const SlotState& slot);
  void write_detail(const Step& step, SlotState& slot);
  std::vector<std::uint8_t> encode(std::vector<std::uint64_t>& origins) const;

  std::size_t code_size_;
  std::shared_ptr<BodyPool> pool_;
  std::uint64_t steps_ = 0;
  Segment open_;  ///< the segment being recorded; empty when start == end
  std::vector<Segment> segments_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> segment_ids_;
  PathFolder path_{StreamBody::kMaxDepth};
  std::vector<std::uint32_t> slot_ids_;    ///< per code index: slot + 1, 0 for none
  std::vector<std::uint64_t> executions_;  ///< per code index, counted until it becomes a slot
  std::vector<SlotState> slots_;           ///< in order of discovery
  std::vector<Record> records_;
  ByteWriter payload_;  ///< records without their repeats
};

/// The same steps as this version writes them; the stream itself if it is so already. Throws InputError if that would
/// take very long.
std::shared_ptr<const WarpStream> rewritten(const std::shared_ptr<const WarpStream>& stream);

}  // namespace sassim::trace
