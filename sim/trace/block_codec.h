// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes a thread block of a trace. Over these uncompressed bytes the trace's hash is computed.
#pragma once

#include <string>

#include "sim/trace/kernel.h"

namespace sassim::trace {

/// The same warps always give the same bytes, whatever recorded them and whatever version of the format they were read
/// from.
std::vector<std::uint8_t> encode_block(const BlockTrace& block);

/// Throws InputError that begins with `place`. `pool` (may be null) shares bodies. `version_1`: for a file of version
/// 1, the details that its addresses hold, by code index; null for the present version.
std::shared_ptr<const BlockTrace> decode_block(std::span<const std::uint8_t> bytes, const KernelInfo& kernel,
                                               std::string_view place, BodyPool* pool,
                                               const std::vector<DetailKind>* version_1 = nullptr);

/// Combines the hashes of a trace's parts, in order, into one hash.
class TraceHash {
 public:
  static std::uint64_t of(std::span<const std::uint8_t> bytes);
  void add(std::uint64_t part);
  std::string text() const;

 private:
  std::uint64_t state_ = 0;
};

}  // namespace sassim::trace
