// SPDX-License-Identifier: Apache-2.0
// Which kernels and blocks of a trace an option names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/trace/kernel.h"

namespace sassim::cli {

/// Ranges [first, last] of "3", "0..7", "0..63:8", mixed with commas; everything when `list` is empty. Throws
/// UsageError.
class NumberList {
 public:
  explicit NumberList(std::string_view list);
  bool contains(std::uint64_t value) const;
  /// The largest number named; nothing when everything is.
  std::optional<std::uint64_t> largest() const;

 private:
  struct Range {
    std::uint64_t first = 0, last = 0, step = 1;
  };
  std::vector<Range> ranges_;
  bool all_ = false;
};

struct ChosenKernel {
  std::size_t number = 0;
  std::shared_ptr<trace::BlockSource> source;
};
/// Numbers count from 0; other words are parts of names. Throws UsageError when a word names no kernel.
std::vector<ChosenKernel> choose_kernels(const std::string& path, const std::vector<std::string>& words);

/// Throws UsageError when the list names a block that no grid of these kernels has.
void check_blocks(const NumberList& blocks, const std::string& option, const std::string& list,
                  const std::vector<ChosenKernel>& kernels);
/// Likewise for a warp that no block of these kernels has.
void check_warp(std::uint32_t warp, const std::vector<ChosenKernel>& kernels);

}  // namespace sassim::cli
