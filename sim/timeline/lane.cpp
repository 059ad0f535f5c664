// SPDX-License-Identifier: Apache-2.0
// Appends spans to a row of a timeline, and merges short neighbours to save memory.
#include "sim/timeline/lane.h"

namespace sassim::timeline {

namespace {

void join(Span& into, const Span& next) {
  if (next.longest > into.longest) {
    into.label = next.label;
    into.longest = next.longest;
  }
  into.until = next.until;
  into.count += next.count;
}

}  // namespace

void Lane::add(std::uint64_t from, std::uint64_t until, std::uint64_t label, std::uint64_t resolution, bool joins) {
  const Span span{from, until, label, until - from, 1};
  if (!spans_.empty()) {
    Span& last = spans_.back();
    if (joins && last.count == 1 && last.label == label && last.until == from) {
      last.until = until;
      last.longest = until - last.from;
      return;
    }
    if (until - last.from <= resolution) return join(last, span);
  }
  spans_.push_back(span);
}

void Lane::coarsen(std::uint64_t resolution) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < spans_.size(); ++i) {
    if (spans_[i].until - spans_[kept].from <= resolution)
      join(spans_[kept], spans_[i]);
    else
      spans_[++kept] = spans_[i];
  }
  if (!spans_.empty()) spans_.resize(kept + 1);
}

}  // namespace sassim::timeline
