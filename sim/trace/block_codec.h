// SPDX-License-Identifier: Apache-2.0
// The bytes of a block section before compression; also what a trace's hash is made of.
#pragma once

#include <string>

#include "sim/trace/kernel.h"

namespace sassim::trace {

/// The same warps always give the same bytes, however they were recorded and whatever version they were read from.
std::vector<std::uint8_t> encode_block(const BlockTrace& block);

/// Throws InputError starting with `place`. Bodies go through `pool`, which may be null. `version_1`: by code index,
/// the details that addresses of a file of version 1 hold; null for a file of the present version.
std::shared_ptr<const BlockTrace> decode_block(std::span<const std::uint8_t> bytes, const KernelInfo& kernel,
                                               std::string_view place, BodyPool* pool,
                                               const std::vector<DetailKind>* version_1 = nullptr);

/// Collects the hashes of a trace's parts, in order, into one.
class TraceHash {
 public:
  static std::uint64_t of(std::span<const std::uint8_t> bytes);
  void add(std::uint64_t part);
  std::string text() const;

 private:
  std::uint64_t state_ = 0;
};

}  // namespace sassim::trace
