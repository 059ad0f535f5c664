// SPDX-License-Identifier: Apache-2.0
// Decodes the steps of a warp from its stream.
#include <bit>

#include "sim/base/error.h"
#include "sim/trace/address_record.h"
#include "sim/trace/bytes.h"
#include "sim/trace/path.h"
#include "sim/trace/stream.h"

namespace sassim::trace {
namespace {

constexpr std::string_view kPlace = "records of a warp";

/// No checks: StreamBody::parse has checked the path.
std::uint64_t path_varint(std::span<const std::uint8_t> path, std::uint32_t& at) {
  std::uint64_t v = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = path[at++];
    v |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return v;
  }
}

constexpr std::size_t kLongestVarint = 10;  // bytes of 64 bits

/// A ByteReader without checks, for numbers that are not longer than the bytes.
class UncheckedBytes {
 public:
  explicit UncheckedBytes(std::span<const std::uint8_t> bytes) : at_(bytes.data()) {}
  std::uint8_t u8() { return *at_++; }
  std::uint64_t delta() {
    std::uint64_t v = *at_++;
    if (v >= 0x80) {
      v &= 0x7f;
      for (unsigned shift = 7; shift < 7 * kLongestVarint; shift += 7) {
        const std::uint8_t byte = *at_++;
        v |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) break;
      }
    }
    return unzigzag(v);
  }

 private:
  const std::uint8_t* at_;
};

template <class Reader>
void expand_list(const PackedAddresses& packed, Reader& in, LaneAddresses::Array& out) {
  const unsigned shift = in.u8();
  std::uint64_t address = packed.base;
  if (packed.list_lanes == LaneMask::all().bits) {
    out[0] = address;
    for (std::size_t lane = 1; lane < out.size(); ++lane) out[lane] = address += in.delta() << shift;
    return;
  }
  for (std::uint32_t left = packed.list_lanes; left != 0; left &= left - 1) {
    if (left != packed.list_lanes) address += in.delta() << shift;
    out[static_cast<std::size_t>(std::countr_zero(left))] = address;
  }
}

}  // namespace

Cursor::Cursor(std::shared_ptr<const StreamBody> body, std::span<const std::uint64_t> origins)
    : body_(std::move(body)) {
  if (!body_) return;
  slots_.resize(origins.size());
  for (std::size_t i = 0; i < origins.size(); ++i) {
    slots_[i].base = origins[i];
    slots_[i].remaining = body_->slots_[i].plain;
  }
  if (body_->has_details_) details_.resize(origins.size());
}

void Cursor::attach(const WarpStream& stream) {
  body_ = stream.body();
  const std::size_t slots = stream.origins().size();
  const bool fits = slots_.size() == slots && slot_ <= slots && depth_ <= loops_.size() &&
                    details_.size() == (body_ && body_->has_details_ ? slots : 0) &&
                    (!body_ || (segment_ < body_->segments_.size() && path_at_ <= body_->path_.size() &&
                                record_at_ <= body_->addresses_.size()));
  if (!fits)
    throw InputError(
        "the checkpoint does not fit this trace: it holds a position in a warp's records that the trace does not have");
}

void Cursor::enter(const Segment& segment) {
  index_ = segment.start;
  end_ = segment.end;
  active_ = segment.active;
  slot_ = segment.first_slot;
  slot_index_ = body_->slots_[slot_].index;
}

bool Cursor::next_segment() {
  if (segment_left_ > 0) {
    --segment_left_;
    enter(body_->segments_[segment_]);
    return true;
  }
  if (!body_) return false;
  const auto path = body_->path_;
  while (depth_ > 0 && path_at_ == loops_[depth_ - 1].end) {
    Loop& loop = loops_[depth_ - 1];
    if (loop.left > 0) {
      --loop.left;
      path_at_ = loop.begin;
    } else {
      --depth_;
    }
  }
  if (path_at_ == path.size()) return false;
  std::uint64_t head = path_varint(path, path_at_);
  while (static_cast<PathItem>(head & 3) == PathItem::loop) {
    const std::uint64_t times = path_varint(path, path_at_);
    loops_[depth_++] = {path_at_, path_at_ + static_cast<std::uint32_t>(head >> 2), times - 1};
    head = path_varint(path, path_at_);
  }
  segment_ = static_cast<std::uint32_t>(head >> 2);
  segment_left_ = static_cast<PathItem>(head & 3) == PathItem::times ? path_varint(path, path_at_) - 1 : 0;
  enter(body_->segments_[segment_]);
  return true;
}

void Cursor::access(Step& step, PackedAddresses& packed) {
  SlotState& state = slots_[slot_];
  const DetailKind detail = body_->slots_[slot_].detail;
  slot_index_ = body_->slots_[++slot_].index;
  if (state.remaining > 0) {
    --state.remaining;
    if (state.kind != record::kNone) state.base += state.delta;
  } else {
    read_record(state, step.active);
  }
  step.lanes = state.explicit_lanes ? LaneMask(state.lanes) : step.active;
  step.space = state.space;
  step.has_addresses = state.kind != record::kNone;
  packed.base = state.base;
  packed.stride = state.stride;
  packed.form = PackedAddresses::Form::affine;
  if (state.kind == record::kList) {
    if (step.lanes.bits != state.list_lanes) damaged("a list is used with other lanes than it was made for");
    packed.form = PackedAddresses::Form::list;
    packed.list_at = state.list_at;
    packed.list_lanes = state.list_lanes;
  }
  step.detail.clear();
  if (detail == DetailKind::none || step.lanes.none()) [[likely]]
    return;
  if (body_->packed_ && step.has_addresses) {  // details are in the addresses
    unpack(packed, step);
    packed.form = PackedAddresses::Form::unpacked;
  }
  give_detail(detail, step);
}

namespace {

/// Version 1 stored a detail of the whole warp instead of an address.
void unpack_whole(DetailKind kind, std::uint64_t value, Step& step) {
  step.has_addresses = false;
  if (kind == DetailKind::block_barrier)
    step.detail.set(BlockBarrier{static_cast<std::uint32_t>(value & 15),
                                 static_cast<std::uint32_t>(value >> 16 & BlockBarrier::kMostThreads)});
  else
    step.detail.set(kind,
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(value & 0xffffffffu, largest_value(kind))));
}

/// Version 1 stored copy shifts in the low four bits of addresses, and details of shared barriers in the upper 32 bits.
void unpack_lanes(DetailKind kind, Step& step) {
  LaneAddresses::Array all;
  step.addresses.expand(step.lanes, all);
  Detail::Lanes& values = step.detail.set_lanes(kind);
  const bool shift = kind == DetailKind::copy_shift;
  const std::uint64_t address = shift ? ~std::uint64_t{15} : 0xffffffffu;
  for (std::size_t lane = 0; lane < all.size(); ++lane) {
    const std::uint64_t value = shift ? all[lane] : all[lane] >> 32;
    values[lane] = static_cast<std::uint32_t>(value) & largest_value(kind);
    all[lane] &= address;
  }
  step.addresses.set_list(all);
}

}  // namespace

/// Sets the step's detail from the slot before slot_.
void Cursor::give_detail(DetailKind kind, Step& step) {
  if (body_->packed_) {
    if (!step.has_addresses) return;
    return of_lanes(kind) ? unpack_lanes(kind, step)
                          : unpack_whole(kind, step.addresses[std::countr_zero(step.lanes.bits)], step);
  }
  const DetailState& state = details_[slot_ - 1];
  if (state.form == record::kNoDetail) return;
  if (state.form == record::kSameDetail)
    return kind == DetailKind::block_barrier ? step.detail.set(BlockBarrier{state.value, state.threads})
                                             : step.detail.set(kind, state.value);
  if (step.lanes.bits != state.lanes) damaged("details of lanes are used with other lanes than they were made for");
  ByteReader in(body_->addresses_.subspan(state.values_at), kPlace);
  Detail::Lanes& values = step.detail.set_lanes(kind);
  for (std::uint32_t left = state.lanes; left != 0; left &= left - 1)
    values[static_cast<std::size_t>(std::countr_zero(left))] = static_cast<std::uint32_t>(in.varint());
}

/// Reads the detail of the slot before slot_.
void Cursor::read_detail(ByteReader& in, LaneMask lanes) {
  const DetailKind kind = body_->slots_[slot_ - 1].detail;
  if (kind == DetailKind::none || body_->packed_) damaged("a detail in a slot without");
  const std::uint64_t most = largest_value(kind);
  DetailState& state = details_[slot_ - 1];
  state.form = in.u8();
  if (state.form > (of_lanes(kind) ? record::kLaneDetails : record::kSameDetail)) damaged("unknown form of a detail");
  if (state.form == record::kSameDetail) {
    state.value = static_cast<std::uint32_t>(in.varint(most, "a detail"));
    if (kind == DetailKind::block_barrier)
      state.threads = static_cast<std::uint32_t>(in.varint(BlockBarrier::kMostThreads, "a barrier's count of threads"));
  } else if (state.form == record::kLaneDetails) {
    state.values_at = record_at_ + static_cast<std::uint32_t>(in.at());
    state.lanes = lanes.bits;
    for (int i = 0; i < lanes.count(); ++i) in.varint(most, "a lane's detail");
  }
}

void Cursor::read_record(SlotState& state, LaneMask active) {
  ByteReader in(body_->addresses_.subspan(record_at_), kPlace);
  const std::uint8_t tag = in.u8();
  state.kind = tag & record::kKindMask;
  if (state.kind > record::kList) damaged("unknown kind of record");
  state.remaining = tag & record::kRepeats ? in.varint() : 0;
  state.explicit_lanes = (tag & record::kLanes) != 0;
  if (state.explicit_lanes) state.lanes = static_cast<std::uint32_t>(in.varint(0xffffffffu, "a lane mask"));
  if (tag & record::kSpace) {
    const std::uint8_t space = in.u8();
    if (space > static_cast<std::uint8_t>(isa::Space::texture)) damaged("unknown memory space");
    state.space = static_cast<isa::Space>(space);
  }
  if (tag & record::kDelta) state.delta = in.delta();
  if (state.kind != record::kNone) state.base += state.delta;
  if (state.kind == record::kAffine && (tag & record::kShape)) state.stride = in.delta();
  if (state.kind == record::kList) {
    const std::uint32_t lanes = state.explicit_lanes ? state.lanes : active.bits;
    if (tag & record::kShape) {
      state.list_at = record_at_ + static_cast<std::uint32_t>(in.at());
      state.list_lanes = lanes;
      state.has_list = true;
      if (in.u8() > 63) damaged("a list is shifted by more than 63 bits");
      for (int i = 1; i < std::popcount(lanes); ++i) in.varint();
    }
    if (!state.has_list) damaged("a list is used before there was one");
  }
  if (tag & record::kDetail) read_detail(in, state.explicit_lanes ? LaneMask(state.lanes) : active);
  record_at_ += static_cast<std::uint32_t>(in.at());
}

void Cursor::unpack(const PackedAddresses& packed, Step& step) const {
  if (packed.form == PackedAddresses::Form::affine)
    step.addresses.set_affine(packed.base, static_cast<std::int64_t>(packed.stride));
  else if (packed.form == PackedAddresses::Form::list)
    expand(packed, step.lanes, step.addresses.list());
}

void Cursor::expand(const PackedAddresses& packed, LaneMask lanes, LaneAddresses::Array& out) const {
  if (packed.form == PackedAddresses::Form::affine) {
    for (std::size_t lane = 0; lane < out.size(); ++lane)
      out[lane] = (packed.base + packed.stride * lane) & -(lanes.bits >> lane & std::uint64_t{1});
    return;
  }
  if (packed.list_lanes != LaneMask::all().bits) out.fill(0);
  const auto bytes = body_->addresses_.subspan(packed.list_at);
  if (bytes.size() > kWarpSize * kLongestVarint) {
    UncheckedBytes in(bytes);
    return expand_list(packed, in, out);
  }
  ByteReader in(bytes, kPlace);
  expand_list(packed, in, out);
}

void Cursor::damaged(const char* what) const { throw InputError("{}, byte {}: {}", kPlace, record_at_, what); }

}  // namespace sassim::trace
