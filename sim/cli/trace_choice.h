// SPDX-License-Identifier: Apache-2.0
// Options that choose kernels and blocks of a trace.
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

/// A list of ranges [first, last]: "3", "0..7" or "0..63:8", separated by commas; everything if `list` is empty. Throws
/// UsageError.
class IndexRanges {
 public:
  explicit IndexRanges(std::string_view list);
  bool contains(std::uint64_t value) const;
  /// The largest number in the list; empty if everything is chosen.
  std::optional<std::uint64_t> largest() const;

 private:
  struct Range {
    std::uint64_t first = 0, last = 0, step = 1;
  };
  std::vector<Range> ranges_;
  bool all_ = false;
};

struct ChosenKernel {
  std::size_t index = 0;
  std::shared_ptr<trace::BlockSource> source;
};
/// A word is a number from 0 or a part of a name. Throws UsageError if it matches no kernel.
std::vector<ChosenKernel> choose_kernels(const std::string& path, const std::vector<std::string>& words);

/// Throws UsageError if the list has a block that is in no grid of these kernels.
void check_blocks(const IndexRanges& blocks, const std::string& option, const std::string& list,
                  const std::vector<ChosenKernel>& kernels);
/// Throws UsageError if no block of these kernels has this warp.
void check_warp(std::uint32_t warp, const std::vector<ChosenKernel>& kernels);

}  // namespace sassim::cli
