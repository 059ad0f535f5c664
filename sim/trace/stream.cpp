// SPDX-License-Identifier: Apache-2.0
// Parses the compact stream of a warp that a trace holds, and refuses damaged ones.
#include "sim/trace/stream.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/trace/bytes.h"
#include "sim/trace/path.h"

namespace sassim::trace {

std::shared_ptr<const StreamBody> StreamBody::parse(std::vector<std::uint8_t> bytes, std::size_t code_size,
                                                    std::string_view place) {
  std::shared_ptr<StreamBody> body(new StreamBody);
  body->bytes_ = std::move(bytes);
  ByteReader in(body->bytes_, place);
  body->read(in, code_size, place);
  if (!in.done()) body->read_details(in);
  in.expect_end();
  return body;
}

std::shared_ptr<const StreamBody> StreamBody::parse_version_1(std::vector<std::uint8_t> bytes,
                                                              std::span<const DetailKind> details,
                                                              std::string_view place) {
  std::shared_ptr<StreamBody> body(new StreamBody);
  body->bytes_ = std::move(bytes);
  ByteReader in(body->bytes_, place);
  body->read(in, details.size(), place);
  in.expect_end();
  for (std::size_t i = 0; i + 1 < body->slots_.size(); ++i) {
    body->slots_[i].detail = details[body->slots_[i].index];
    body->packed_ = body->packed_ || body->slots_[i].detail != DetailKind::none;
  }
  return body;
}

void StreamBody::read(ByteReader& in, std::size_t code_size, std::string_view place) {
  code_size_ = code_size;
  const std::uint64_t steps = in.varint(kMaxSteps, "a warp's number of steps");
  read_tables(in, code_size);
  path_ = in.blob();
  addresses_ = in.blob();
  if (bytes_.size() > 0xffffffffu) in.fail("a warp's stream is 4 GiB or longer");
  walk_path(path_, segments_.size(), kMaxDepth, place, [&](std::uint32_t segment, std::uint64_t times) {
    const Segment& s = segments_[segment];
    if (times > (kMaxSteps - steps_) / (s.end - s.start)) in.fail("a warp has more steps than are possible");
    steps_ += times * (s.end - s.start);
  });
  if (steps_ != steps) in.fail(fmt::format("a path of {} steps, but {} were announced", steps_, steps));
}

/// Reads which slots have details, by rising number.
void StreamBody::read_details(ByteReader& in) {
  const std::size_t count = in.count("the number of slots with details", 2);
  if (count == 0) in.fail("a table of details without slots");
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    next += in.varint(slots_.size(), "a slot's distance");
    if (next + 1 >= slots_.size()) in.fail("a detail of a slot that does not exist");
    const std::uint8_t kind = in.u8();
    if (kind == 0 || kind >= static_cast<std::uint8_t>(DetailKind::count_))
      in.fail(fmt::format("details of unknown kind {}", kind));
    slots_[next++].detail = static_cast<DetailKind>(kind);
  }
  has_details_ = true;
}

void StreamBody::read_tables(ByteReader& in, std::size_t code_size) {
  segments_.resize(in.count("the number of segments", 2));
  std::uint64_t start = 0;
  LaneMask active = LaneMask::all();
  for (Segment& segment : segments_) {
    start += in.delta();
    if (start >= code_size) in.fail("a segment starts beyond the kernel's code");
    const std::uint64_t length_and_mask = in.varint();
    if (length_and_mask & 1) active = LaneMask(static_cast<std::uint32_t>(in.varint(0xffffffffu, "a mask")));
    const std::uint64_t length = length_and_mask >> 1;
    if (length == 0 || length > code_size - start) in.fail("a segment is empty or ends beyond the kernel's code");
    segment = {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(start + length), active, 0};
  }
  slots_.resize(in.count("the number of memory slots", 2) + 1);
  std::uint64_t index = 0;
  for (std::size_t i = 0; i + 1 < slots_.size(); ++i) {
    index += in.varint(code_size, "a memory slot's distance") + (i ? 1 : 0);
    if (index >= code_size) in.fail("a memory slot lies beyond the kernel's code");
    slots_[i] = {static_cast<std::uint32_t>(index), DetailKind::none, in.varint()};
  }
  slots_.back().index = ~0u;
  for (Segment& segment : segments_) {
    const auto first = std::lower_bound(slots_.begin(), slots_.end(), segment.start,
                                        [](const Slot& slot, std::uint32_t at) { return slot.index < at; });
    segment.first_slot = static_cast<std::uint32_t>(first - slots_.begin());
  }
}

std::span<const StreamBody::Slot> StreamBody::slots() const { return std::span(slots_).first(slots_.size() - 1); }

std::vector<std::uint64_t> StreamBody::segment_counts() const {
  std::vector<std::uint64_t> counts(segments_.size());
  walk_path(path_, segments_.size(), kMaxDepth, "trace in memory",
            [&](std::uint32_t segment, std::uint64_t times) { counts[segment] += times; });
  return counts;
}

WarpStream::WarpStream(std::shared_ptr<const StreamBody> body, std::vector<std::uint64_t> origins)
    : body_(std::move(body)), origins_(std::move(origins)) {
  if (body_->slots().size() != origins_.size())
    throw InputError("a warp has {} address origins, but its stream has {} memory slots", origins_.size(),
                     body_->slots().size());
}

std::size_t WarpStream::bytes() const {
  return (body_ ? body_->bytes().size() : 0) + origins_.size() * sizeof(std::uint64_t);
}

}  // namespace sassim::trace
