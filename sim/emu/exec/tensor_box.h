// SPDX-License-Identifier: Apache-2.0
// Which elements of a tensor in global memory a tensor copy (TMA) moves, and where they lie in shared memory. The box
// in shared memory consists of rows, one of each place in the outer dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/emu/memory/tensor_map.h"

namespace sassim::emu {

/// What of the map is not executed; nullptr: nothing.
const char* unknown_feature(const TensorMap&);

class TensorBox {
 public:
  /// `offsets`: of im2col, as the instruction has them.
  TensorBox(const TensorMap&, const std::uint32_t* coordinates, std::uint32_t offsets);

  std::uint64_t element_bytes() const { return element_; }
  /// What the copy's barrier waits for, and the length of shared memory from the first byte to the last.
  std::uint64_t bytes() const { return rows_ * row_elements_ * element_; }
  std::uint64_t span() const { return rows_ * pitch_; }
  /// An H200 calls an instruction illegal if its box begins at another place.
  bool begins_at_a_unit() const { return first_[0] * static_cast<std::int64_t>(element_) % 16 == 0; }
  std::uint64_t elements() const { return rows_ * row_elements_; }
  /// The address of element `number` of the box; nothing: it lies outside of the tensor.
  std::optional<std::uint64_t> global(std::uint64_t number) const;
  /// Its address in shared memory, for a box that begins at `begin`. The bits that number a chunk of 16 bytes are mixed
  /// with those that number 128 bytes.
  std::uint32_t shared(std::uint32_t begin, std::uint64_t number) const;
  /// What a copy to shared memory makes of a value, or of a place outside of the tensor. Subnormal numbers stay.
  std::uint64_t loaded(std::uint64_t value) const;
  std::uint64_t outside() const;

 private:
  using Coordinates = std::array<std::int64_t, 5>;
  Coordinates tile_row(std::uint64_t row) const;
  Coordinates pixel(std::uint64_t number) const;

  const TensorMap& map_;
  std::uint64_t element_, row_elements_, rows_ = 1;
  std::uint64_t pitch_ = 0;  ///< bytes from row to row in shared memory: with a swizzle, its width
  Coordinates first_{};
  std::array<std::int64_t, 3> offsets_{};  ///< im2col
};

}  // namespace sassim::emu
