// SPDX-License-Identifier: Apache-2.0
// Records one warp: its steps are appended in execution order and become a compact stream.
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

/// Lets warps with the same behaviour share one StreamBody. Safe to use from several threads.
class BodyPool {
 public:
  /// Returns an equal body that was interned before and is still in use, or `body` itself.
  std::shared_ptr<const StreamBody> intern(std::shared_ptr<const StreamBody> body);

 private:
  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::weak_ptr<const StreamBody>> bodies_;
  std::size_t purge_at_ = 1024;
};

class WarpStreamBuilder {
 public:
  /// `pool` may be null. Recorders of many warps should share one pool.
  explicit WarpStreamBuilder(const KernelInfo& kernel, std::shared_ptr<BodyPool> pool = nullptr);
  explicit WarpStreamBuilder(std::size_t code_size, std::shared_ptr<BodyPool> pool = nullptr);
  static std::unique_ptr<WarpStreamBuilder> make(const KernelInfo& kernel, std::shared_ptr<BodyPool> pool = nullptr);

  /// Throws std::logic_error for an index outside of the kernel's code or lanes that are not active.
  void append(const Step& step);
  /// Returns the stream; the builder is then empty and can record another warp.
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
    std::vector<std::uint64_t> offsets;  ///< of the last list, in lane order
    std::size_t record = kNoRecord;      ///< the slot's last record, in records_
    DetailKind detail_kind = DetailKind::none;
    Detail detail;                   ///< the slot's last detail
    std::uint32_t detail_lanes = 0;  ///< lanes of the detail, if their values differ; 0: all
  };
  struct Record {
    std::size_t at = 0;  ///< offset of the tag in payload_
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
  Segment open_;  ///< the segment that is being recorded; empty if start == end
  std::vector<Segment> segments_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> segment_ids_;
  PathFolder path_{StreamBody::kMaxDepth};
  std::vector<std::uint32_t> slot_ids_;    ///< per code index: slot + 1; 0: no slot
  std::vector<std::uint64_t> executions_;  ///< per code index, until it becomes a slot
  std::vector<SlotState> slots_;           ///< in order of discovery
  std::vector<Record> records_;
  ByteWriter payload_;  ///< records without repeat counts
};

/// The same steps in the present format; the stream itself if it already has it. Throws InputError if the conversion
/// would take very long.
std::shared_ptr<const WarpStream> rewritten(const std::shared_ptr<const WarpStream>& stream);

}  // namespace sassim::trace
