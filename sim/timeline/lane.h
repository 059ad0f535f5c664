// SPDX-License-Identifier: Apache-2.0
// A row of spans that do not overlap, except for the two instructions of a pair, which have the same cycle: what one
// track of a timeline shows. It can be made coarser, so that a long run needs no more room than a short one.
#pragma once

#include <cstdint>
#include <vector>

namespace sassim::timeline {

struct Span {
  std::uint64_t from = 0, until = 0;  ///< cycles
  std::uint64_t label = 0;            ///< of the longest of the spans that this one stands for
  std::uint64_t longest = 0;          ///< its length
  std::uint32_t count = 1;            ///< how many spans this one stands for
};

class Lane {
 public:
  /// Spans are added in order of time. With `joins`, a span extends the last span if both have the same label and
  /// no gap lies between. A span that ends at most `resolution` cycles after the begin of the last span joins it too.
  void add(std::uint64_t from, std::uint64_t until, std::uint64_t label, std::uint64_t resolution, bool joins);
  /// Joins neighbours as long as the result is not longer than `resolution` cycles.
  void coarsen(std::uint64_t resolution);
  const std::vector<Span>& spans() const { return spans_; }

 private:
  std::vector<Span> spans_;
};

}  // namespace sassim::timeline
