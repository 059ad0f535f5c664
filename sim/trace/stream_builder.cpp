// SPDX-License-Identifier: Apache-2.0
// Compresses a warp's steps while they are recorded: code segments, strides of addresses, repeated records.
#include "sim/trace/stream_builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/base/error.h"
#include "sim/trace/address_record.h"
#include "sim/trace/kernel.h"

namespace sassim::trace {

/// The addresses of one execution in the form of a record.
struct WarpStreamBuilder::Shape {
  std::uint8_t kind = record::kNone;
  std::uint64_t base = 0, stride = 0;
  int count = 0;
  std::array<std::uint64_t, kWarpSize> offsets{};  ///< from the lowest lane's address, in lane order
};

WarpStreamBuilder::WarpStreamBuilder(const KernelInfo& kernel, std::shared_ptr<BodyPool> pool)
    : WarpStreamBuilder(kernel.code.size(), std::move(pool)) {}

WarpStreamBuilder::WarpStreamBuilder(std::size_t code_size, std::shared_ptr<BodyPool> pool)
    : code_size_(code_size), pool_(std::move(pool)), slot_ids_(code_size_), executions_(code_size_) {}

std::unique_ptr<WarpStreamBuilder> WarpStreamBuilder::make(const KernelInfo& kernel, std::shared_ptr<BodyPool> pool) {
  return std::make_unique<WarpStreamBuilder>(kernel, std::move(pool));
}

void WarpStreamBuilder::append(const Step& step) {
  if (step.index >= code_size_) throw std::logic_error("recorded an instruction beyond the kernel's code");
  if (!(step.lanes & ~step.active).none()) throw std::logic_error("recorded lanes that are not active");
  if (step.index != open_.end || step.active != open_.active || open_.start == open_.end) {
    close_segment();
    open_ = {step.index, step.index, step.active, 0};
  }
  ++open_.end;
  ++steps_;
  const bool special = step.lanes != step.active || ((step.has_addresses || !step.detail.none()) && !step.lanes.none());
  if (special || slot_ids_[step.index])
    access(step);
  else
    ++executions_[step.index];
}

void WarpStreamBuilder::close_segment() {
  if (open_.start == open_.end) return;
  const std::uint64_t key = (std::uint64_t{open_.start} << 32 | open_.end) ^ open_.active.bits * 0x9e3779b97f4a7c15u;
  const auto [begin, end] = segment_ids_.equal_range(key);
  for (auto found = begin; found != end; ++found) {
    const Segment& s = segments_[found->second];
    if (s.start == open_.start && s.end == open_.end && s.active == open_.active) return path_.append(found->second);
  }
  const auto id = static_cast<std::uint32_t>(segments_.size());
  segments_.push_back(open_);
  segment_ids_.emplace(key, id);
  path_.append(id);
}

WarpStreamBuilder::SlotState& WarpStreamBuilder::slot_for(std::uint32_t index) {
  if (!slot_ids_[index]) {
    slots_.emplace_back();
    slots_.back().index = index;
    slots_.back().plain = executions_[index];
    slot_ids_[index] = static_cast<std::uint32_t>(slots_.size());
  }
  return slots_[slot_ids_[index] - 1];
}

WarpStreamBuilder::Shape WarpStreamBuilder::shape_of(const Step& step, const SlotState& slot) {
  Shape shape;
  if (!step.has_addresses || step.lanes.none()) return shape;
  const int first = std::countr_zero(step.lanes.bits);
  const std::uint64_t lowest = step.addresses[first];
  shape.stride = slot.stride;
  bool affine = true, have_stride = false;
  for (std::uint32_t left = step.lanes.bits; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t offset = step.addresses[lane] - lowest;
    shape.offsets[static_cast<std::size_t>(shape.count++)] = offset;
    if (lane == first) continue;
    const auto distance = static_cast<std::int64_t>(offset), lanes = static_cast<std::int64_t>(lane - first);
    if (!have_stride) {
      affine = distance % lanes == 0;
      shape.stride = static_cast<std::uint64_t>(distance / lanes);
      have_stride = true;
    }
    affine = affine && shape.stride * static_cast<std::uint64_t>(lanes) == offset;
  }
  shape.kind = affine ? record::kAffine : record::kList;
  shape.base = affine ? lowest - shape.stride * static_cast<std::uint64_t>(first) : lowest;
  return shape;
}

namespace {

bool same_list(const auto& shape, const auto& slot) {
  return slot.offsets.size() == static_cast<std::size_t>(shape.count) &&
         std::equal(slot.offsets.begin(), slot.offsets.end(), shape.offsets.begin());
}

}  // namespace

bool WarpStreamBuilder::continues(const Step& step, const Shape& shape, const SlotState& slot) {
  if (slot.record == kNoRecord || shape.kind != slot.kind || step.space != slot.space) return false;
  if (step.lanes.bits != (slot.explicit_lanes ? slot.lanes : step.active.bits)) return false;
  if (!says_the_same(step, slot)) return false;
  if (shape.kind == record::kNone) return true;
  if (shape.base != slot.base + slot.delta) return false;
  if (shape.kind == record::kAffine) return shape.stride == slot.stride;
  return step.lanes.bits == slot.list_lanes && same_list(shape, slot);
}

/// True if the step has the detail of the slot's last record. A step without lanes has no detail and changes none.
bool WarpStreamBuilder::says_the_same(const Step& step, const SlotState& slot) {
  if (step.lanes.none() || (step.detail.none() && slot.detail.none())) return true;
  return (slot.detail_lanes == 0 || slot.detail_lanes == step.lanes.bits) && step.detail.same(slot.detail, step.lanes);
}

void WarpStreamBuilder::access(const Step& step) {
  SlotState& slot = slot_for(step.index);
  if (!step.detail.none() && !step.lanes.none()) {
    if (slot.detail_kind != DetailKind::none && slot.detail_kind != step.detail.kind())
      throw std::logic_error("recorded details of two kinds for one instruction");
    slot.detail_kind = step.detail.kind();
  }
  const Shape shape = shape_of(step, slot);
  if (shape.kind != record::kNone && !slot.has_origin) {
    slot.has_origin = true;
    slot.origin = slot.base = shape.base;
    slot.delta = 0;
  }
  if (continues(step, shape, slot)) {
    ++records_[slot.record].repeats;
    if (shape.kind != record::kNone) slot.base = shape.base;
    return;
  }
  write_record(step, shape, slot);
}

void WarpStreamBuilder::write_record(const Step& step, const Shape& shape, SlotState& slot) {
  std::uint8_t tag = shape.kind;
  const bool lists = shape.kind == record::kList;
  const bool new_list = lists && !(step.lanes.bits == slot.list_lanes && same_list(shape, slot));
  const std::uint64_t delta = shape.base - slot.base;
  const bool new_detail = !says_the_same(step, slot);
  if (new_detail) tag |= record::kDetail;
  if (step.lanes != step.active) tag |= record::kLanes;
  if (step.space != slot.space) tag |= record::kSpace;
  if (new_list || (shape.kind == record::kAffine && shape.stride != slot.stride)) tag |= record::kShape;
  if (shape.kind != record::kNone && delta != slot.delta) tag |= record::kDelta;
  slot.record = records_.size();
  records_.push_back({payload_.size(), 0});
  payload_.u8(tag);
  if (tag & record::kLanes) payload_.varint(step.lanes.bits);
  if (tag & record::kSpace) payload_.u8(static_cast<std::uint8_t>(step.space));
  if (tag & record::kDelta) payload_.delta(delta);
  if ((tag & record::kShape) && !lists) payload_.delta(shape.stride);
  if (new_list) {
    write_list(shape);
    slot.list_lanes = step.lanes.bits;
    slot.offsets.assign(shape.offsets.begin(), shape.offsets.begin() + shape.count);
  }
  if (new_detail) write_detail(step, slot);
  slot.kind = shape.kind;
  slot.space = step.space;
  slot.explicit_lanes = step.lanes != step.active;
  slot.lanes = step.lanes.bits;
  if (shape.kind == record::kAffine) slot.stride = shape.stride;
  if (shape.kind == record::kNone) return;
  slot.delta = delta;
  slot.base = shape.base;
}

void WarpStreamBuilder::write_detail(const Step& step, SlotState& slot) {
  slot.detail = step.detail;
  slot.detail_lanes = 0;
  if (step.detail.none()) return payload_.u8(record::kNoDetail);
  const int first = std::countr_zero(step.lanes.bits);
  if (const auto barrier = step.detail.block_barrier()) {
    payload_.u8(record::kSameDetail);
    payload_.varint(barrier->number);
    payload_.varint(barrier->threads);
  } else if (step.detail.uniform(step.lanes)) {
    payload_.u8(record::kSameDetail);
    payload_.varint(step.detail.raw(first));
    slot.detail.set(step.detail.kind(), step.detail.raw(first));
  } else {
    payload_.u8(record::kLaneDetails);
    for (std::uint32_t left = step.lanes.bits; left; left &= left - 1)
      payload_.varint(step.detail.raw(std::countr_zero(left)));
    slot.detail_lanes = step.lanes.bits;
  }
}

void WarpStreamBuilder::write_list(const Shape& shape) {
  std::uint64_t all = 0;
  for (int i = 0; i < shape.count; ++i) all |= shape.offsets[static_cast<std::size_t>(i)];
  const int shift = all ? std::countr_zero(all) : 0;
  payload_.u8(static_cast<std::uint8_t>(shift));
  for (int i = 1; i < shape.count; ++i) {
    const std::uint64_t step =
        shape.offsets[static_cast<std::size_t>(i)] - shape.offsets[static_cast<std::size_t>(i - 1)];
    // An arithmetic shift keeps the sign, so that small negative steps remain small.
    payload_.delta(static_cast<std::uint64_t>(static_cast<std::int64_t>(step) >> shift));
  }
}

std::vector<std::uint8_t> WarpStreamBuilder::encode(std::vector<std::uint64_t>& origins) const {
  ByteWriter out;
  out.varint(steps_);
  out.varint(segments_.size());
  std::uint64_t start = 0;
  LaneMask active = LaneMask::all();
  for (const Segment& segment : segments_) {
    out.delta(segment.start - start);
    const bool other_mask = segment.active != active;
    out.varint(std::uint64_t{segment.end - segment.start} << 1 | (other_mask ? 1 : 0));
    if (other_mask) out.varint(segment.active.bits);
    start = segment.start;
    active = segment.active;
  }
  std::vector<std::size_t> order(slots_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return slots_[a].index < slots_[b].index; });
  out.varint(slots_.size());
  std::uint32_t next_index = 0;
  for (std::size_t i : order) {
    out.varint(slots_[i].index - next_index);
    out.varint(slots_[i].plain);
    next_index = slots_[i].index + 1;
    origins.push_back(slots_[i].origin);
  }
  ByteWriter part;
  path_.write(part);
  out.blob(part.view());
  part = {};
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const std::size_t end = i + 1 < records_.size() ? records_[i + 1].at : payload_.size();
    const auto bytes = payload_.view().subspan(records_[i].at, end - records_[i].at);
    part.u8(static_cast<std::uint8_t>(bytes[0] | (records_[i].repeats ? record::kRepeats : 0)));
    if (records_[i].repeats) part.varint(records_[i].repeats);
    part.bytes(bytes.subspan(1));
  }
  out.blob(part.view());
  std::vector<std::pair<std::size_t, DetailKind>> details;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (const DetailKind kind = slots_[order[i]].detail_kind; kind != DetailKind::none) details.emplace_back(i, kind);
  if (details.empty()) return out.take();
  out.varint(details.size());
  std::size_t next = 0;
  for (const auto& [slot, kind] : details) {
    out.varint(slot - next);
    out.u8(static_cast<std::uint8_t>(kind));
    next = slot + 1;
  }
  return out.take();
}

std::shared_ptr<const WarpStream> WarpStreamBuilder::finish() {
  close_segment();
  std::vector<std::uint64_t> origins;
  auto body = StreamBody::parse(encode(origins), code_size_, "recorded warp");
  if (pool_) body = pool_->intern(std::move(body));
  auto stream = std::make_shared<const WarpStream>(std::move(body), std::move(origins));
  steps_ = 0;
  open_ = {};
  segments_.clear();
  segment_ids_.clear();
  path_ = PathFolder(StreamBody::kMaxDepth);
  std::fill(slot_ids_.begin(), slot_ids_.end(), 0u);
  std::fill(executions_.begin(), executions_.end(), std::uint64_t{0});
  slots_.clear();
  records_.clear();
  payload_ = {};
  return stream;
}

std::shared_ptr<const WarpStream> rewritten(const std::shared_ptr<const WarpStream>& stream) {
  constexpr std::uint64_t kMost = 100'000'000'000;
  if (!stream->body() || !stream->body()->packed()) return stream;
  if (stream->steps() > kMost)
    throw InputError(
        "a warp of {} steps in a trace of format version 1 is too long to be written in the current format; expected "
        "at most {}",
        stream->steps(), kMost);
  WarpStreamBuilder builder(stream->body()->code_size());
  Cursor cursor = stream->cursor();
  for (Step step; cursor.next(step);) builder.append(step);
  return builder.finish();
}

}  // namespace sassim::trace
