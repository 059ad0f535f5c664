// SPDX-License-Identifier: Apache-2.0
// Computes the addresses of the elements of a tensor copy (TMA): tiles and im2col, swizzled in shared memory.
#include "sim/emu/exec/tensor_box.h"

namespace sassim::emu {
namespace {

/// Positions that a copy visits in dimension `i` of a tile.
std::uint64_t visited(const TensorMap& map, unsigned i) { return map.box[i] / map.steps[i] + 1u; }

}  // namespace

const char* unknown_feature(const TensorMap& map) {
  if (map.interleave != kInterleaveNone) return "an interleaved layout";
  return nullptr;
}

TensorBox::TensorBox(const TensorMap& map, const std::uint32_t* coordinates, std::uint32_t offsets)
    : map_(map), element_(kElementBytes[map.type]) {
  for (unsigned i = 0; i < map.rank; ++i) first_[i] = static_cast<std::int32_t>(coordinates[i]);
  row_elements_ = (map.im2col != 0 ? map.channels : map.box[0]) + 1u;
  pitch_ = map.swizzle == kSwizzleNone ? row_elements_ * element_ : std::uint64_t{16} << map.swizzle;
  if (map.im2col != 0) {
    rows_ = map.pixels + 1u;
    const unsigned spatial = map.rank - 2u, bits = spatial == 3 ? 5 : 16 / spatial;  // offsets share 16 bits
    for (unsigned i = 0; i < spatial; ++i) offsets_[i] = offsets >> (bits * i) & ((1u << bits) - 1);
    return;
  }
  for (unsigned i = 1; i < map.rank; ++i) rows_ *= visited(map, i);
}

TensorBox::Coordinates TensorBox::tile_row(std::uint64_t row) const {
  Coordinates at = first_;
  for (unsigned i = 1; i < map_.rank; ++i) {
    at[i] += static_cast<std::int64_t>(row % visited(map_, i) * map_.steps[i]);
    row /= visited(map_, i);
  }
  return at;
}

/// im2col: pixels follow each other within the corners of each image.
TensorBox::Coordinates TensorBox::pixel(std::uint64_t number) const {
  Coordinates at = first_;
  const unsigned spatial = map_.rank - 2u;
  std::int64_t carry = static_cast<std::int64_t>(number);
  for (unsigned i = 0; i < spatial; ++i) {
    const std::int64_t begin = map_.lower[i], step = map_.steps[i + 1];
    const std::int64_t places = (std::int64_t{map_.extents[i + 1]} + map_.upper[i] - begin) / step + 1;
    const std::int64_t place = (at[i + 1] - begin) / step + carry;
    const std::int64_t rest = (at[i + 1] - begin) % step;
    at[i + 1] = begin + place % places * step + (place < places ? rest : 0) + offsets_[i];
    carry = place / places;
  }
  at[map_.rank - 1u] += carry;
  return at;
}

std::optional<std::uint64_t> TensorBox::global(std::uint64_t number) const {
  Coordinates at = map_.im2col != 0 ? pixel(number / row_elements_) : tile_row(number / row_elements_);
  at[0] += static_cast<std::int64_t>(number % row_elements_);
  std::uint64_t address = map_.address;
  for (unsigned i = 0; i < map_.rank; ++i) {
    if (at[i] < 0 || at[i] > std::int64_t{map_.extents[i]}) return std::nullopt;
    address += static_cast<std::uint64_t>(at[i]) * (i == 0 ? element_ : map_.strides[i - 1]);
  }
  return address;
}

std::uint32_t TensorBox::shared(std::uint32_t begin, std::uint64_t number) const {
  const auto address =
      static_cast<std::uint32_t>(begin + number / row_elements_ * pitch_ + number % row_elements_ * element_);
  return address ^ ((address >> 7 & ((1u << map_.swizzle) - 1)) << 4);
}

std::uint64_t TensorBox::loaded(std::uint64_t value) const {
  if (map_.type != kTensorFloat && map_.type != kTensorFloatFlushed) return value;
  constexpr std::uint64_t kLost = 0x1fff;  // TF32 has 13 bits less; rounds to nearest, ties away from zero (assumed)
  return (value + kLost / 2 + 1) & 0xffffffffu & ~kLost;
}

std::uint64_t TensorBox::outside() const { return map_.fill == 0 ? 0 : 0x7ff7'7ff7'7ff7'7ff7; }

}  // namespace sassim::emu
