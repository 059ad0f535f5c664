// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sassim::arch {

/// The name of a memory instruction outside its processing block. Its events carry the name.
struct OpToken {
  std::uint32_t operation : 24 = 0;  ///< index among the Operations of the block
  std::uint32_t block : 8 = 0;       ///< number of the processing block in the SM

  constexpr OpToken() = default;
  constexpr OpToken(std::uint32_t block_number, std::uint32_t index)
      : operation(index & 0xffffffu), block(block_number & 0xffu) {}
  friend constexpr bool operator==(OpToken, OpToken) = default;

  template <class Archive>
  void state(Archive& archive) {
    std::uint32_t operation_index = operation, part = block;
    archive(operation_index, part);
    *this = OpToken(part, operation_index);
  }
};

}  // namespace sassim::arch
