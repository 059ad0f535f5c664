// SPDX-License-Identifier: Apache-2.0
// A warp's executed instructions, stored compactly (much less than a byte each for regular code) and decoded step by
// step. The bytes are explained in docs/trace-format.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/trace/step.h"

namespace sassim::trace {

/// Consecutive instructions executed under one mask.
struct Segment {
  std::uint32_t start = 0, end = 0;  ///< [start, end) in KernelInfo::code
  LaneMask active;
  std::uint32_t first_slot = 0;  ///< first memory slot at or behind `start`
};

/// The part that warps with the same behaviour share: the path, and how addresses move relative to each warp's first
/// ones. Immutable.
class StreamBody {
 public:
  static constexpr std::size_t kMaxDepth = 8;  ///< most nested loops

  /// An instruction whose executions have lanes or addresses.
  struct Slot {
    std::uint32_t index = 0;               ///< into KernelInfo::code
    DetailKind detail = DetailKind::none;  ///< kind of its steps' details
    std::uint64_t plain = 0;               ///< executions before the first record: without addresses, lanes == active
  };

  /// Checks everything except the records, which cursors check while they read. `code_size` limits instruction indices.
  /// Throws InputError that begins with `place`.
  static std::shared_ptr<const StreamBody> parse(std::vector<std::uint8_t> bytes, std::size_t code_size,
                                                 std::string_view place);
  /// Parses a body of format version 1, whose addresses also hold details. `details`: their kinds by code index.
  static std::shared_ptr<const StreamBody> parse_version_1(std::vector<std::uint8_t> bytes,
                                                           std::span<const DetailKind> details, std::string_view place);

  std::uint64_t steps() const { return steps_; }
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  std::span<const Segment> segments() const { return segments_; }
  std::span<const Slot> slots() const;
  /// True if its bytes are in the older format: rewritten() converts a stream, so that it can be written.
  bool packed() const { return packed_; }
  std::size_t code_size() const { return code_size_; }
  /// How often each of segments() ran. The time depends on the encoded size, not on the number of steps.
  std::vector<std::uint64_t> segment_counts() const;

 private:
  friend class Cursor;
  StreamBody() = default;
  void read(class ByteReader& in, std::size_t code_size, std::string_view place);
  void read_tables(ByteReader& in, std::size_t code_size);
  void read_details(ByteReader& in);

  std::vector<std::uint8_t> bytes_;
  std::vector<Segment> segments_;
  std::vector<Slot> slots_;  ///< by index; behind them a sentinel that never matches
  std::span<const std::uint8_t> path_, addresses_;
  std::uint64_t steps_ = 0;
  std::size_t code_size_ = 0;
  bool has_details_ = false;  ///< some slots have details
  bool packed_ = false;       ///< details are in the addresses, as in version 1
};

/// The addresses of a step as the stream holds them; Cursor::expand() gives those of the lanes.
struct PackedAddresses {
  enum class Form : std::uint8_t {
    affine,
    list,      ///< differences, in the records
    unpacked,  ///< only in the step
  };
  Form form = Form::affine;
  std::uint32_t list_at = 0, list_lanes = 0;  ///< offset of the differences, and the lanes that have one
  std::uint64_t base = 0, stride = 0;
};

/// Reads a stream step by step. Cheap to move; a copy continues at the same place. Keeps the stream alive.
class Cursor {
 public:
  Cursor() = default;
  Cursor(std::shared_ptr<const StreamBody> body, std::span<const std::uint64_t> origins);

  /// Fills `step` and returns true, or returns false at the end. Throws InputError on damaged data.
  bool next(Step& step) {
    PackedAddresses packed;
    if (!next(step, packed)) return false;
    if (step.has_addresses) unpack(packed, step);
    return true;
  }
  /// The same, but the addresses of a step that has some are in `packed`, unless its form says that they are in `step`.
  bool next(Step& step, PackedAddresses& packed) {
    if (index_ == end_ && !next_segment()) return false;
    step.index = index_;
    step.active = active_;
    if (index_++ == slot_index_) {
      access(step, packed);
      return true;
    }
    step.lanes = active_;
    step.has_addresses = false;
    step.space = isa::Space::none;
    step.detail.clear();
    return true;
  }
  /// The addresses of these lanes, which took part in the step; 0 for other lanes.
  void expand(const PackedAddresses& packed, LaneMask lanes, LaneAddresses::Array& out) const;

  /// Where it is in its stream, which attach() names.
  template <class Archive>
  void state(Archive& archive) {
    archive(index_, end_, active_, slot_index_, slot_, segment_, segment_left_, path_at_, record_at_, depth_, loops_);
    archive(slots_, details_);
  }
  /// The stream that the saved place is in. Throws InputError if it cannot be.
  void attach(const class WarpStream& stream);

 private:
  struct SlotState {
    std::uint64_t base = 0, stride = 0, delta = 0;
    std::uint64_t remaining = 0;  ///< executions that the last record still covers
    std::uint32_t lanes = 0;      ///< explicit lanes
    std::uint32_t list_at = 0;    ///< offset of the last list in the address records
    std::uint32_t list_lanes = 0;
    std::uint8_t kind = 0;
    isa::Space space = isa::Space::none;
    bool explicit_lanes = false;
    bool has_list = false;
  };
  /// State of a slot whose steps have details.
  struct DetailState {
    std::uint32_t values_at = 0;  ///< offset of the last per-lane values in the records
    std::uint32_t lanes = 0;      ///< lanes of these values
    std::uint32_t value = 0, threads = 0;
    std::uint8_t form = 0;
  };
  struct Loop {
    std::uint32_t begin = 0, end = 0;  ///< in the path's bytes
    std::uint64_t left = 0;            ///< passes left after this one
  };

  bool next_segment();
  void enter(const Segment& segment);
  void access(Step& step, PackedAddresses& packed);
  void unpack(const PackedAddresses& packed, Step& step) const;
  void read_record(SlotState& state, LaneMask active);
  void read_detail(class ByteReader& in, LaneMask lanes);
  void give_detail(DetailKind kind, Step& step);
  [[noreturn]] void damaged(const char* what) const;

  std::uint32_t index_ = 0, end_ = 0;
  LaneMask active_;
  std::uint32_t slot_index_ = ~0u;  ///< code index of the next slot in the segment
  std::uint32_t slot_ = 0;
  std::uint32_t segment_ = 0;
  std::uint64_t segment_left_ = 0;
  std::uint32_t path_at_ = 0, record_at_ = 0;
  std::uint32_t depth_ = 0;
  std::array<Loop, StreamBody::kMaxDepth> loops_{};
  std::vector<SlotState> slots_;
  std::vector<DetailState> details_;  ///< by slot; empty if no slot has details
  std::shared_ptr<const StreamBody> body_;
};

class WarpStream {
 public:
  WarpStream() = default;
  /// `origins` holds one address per slot of `body`.
  WarpStream(std::shared_ptr<const StreamBody> body, std::vector<std::uint64_t> origins);

  using Cursor = trace::Cursor;
  Cursor cursor() const { return Cursor(body_, origins_); }
  std::uint64_t steps() const { return body_ ? body_->steps() : 0; }
  /// Encoded size, with the part that it may share with other warps.
  std::size_t bytes() const;
  const std::shared_ptr<const StreamBody>& body() const { return body_; }
  std::span<const std::uint64_t> origins() const { return origins_; }

 private:
  std::shared_ptr<const StreamBody> body_;
  std::vector<std::uint64_t> origins_;
};

}  // namespace sassim::trace
