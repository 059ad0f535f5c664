// SPDX-License-Identifier: Apache-2.0
#include "arch/common/activity_series.h"

#include <algorithm>
#include <stdexcept>

namespace sassim::arch {

ActivitySeries::ActivitySeries(std::size_t most, Cycle start, std::uint64_t interval) : most_(most), start_(start) {
  if (most < 2 || most % 2 != 0) throw std::invalid_argument("a series has an even number of intervals");
  result_.interval = interval == 0 ? kFirstInterval : interval;
  due_ = start_ + result_.interval;
}

void merge_neighbours(ActivityOverTime& activity) {
  auto& all = activity.intervals;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    all[i / 2] = all[i];
    if (i + 1 < all.size()) all[i / 2] += all[i + 1];
  }
  all.resize((all.size() + 1) / 2);
  activity.interval *= 2;
}

void ActivitySeries::close(const Activity& total) {
  Activity done = total;
  done -= before_;
  before_ = total;
  result_.intervals.push_back(done);
  if (result_.intervals.size() == most_) merge_neighbours(result_);
  due_ = start_ + result_.interval * (result_.intervals.size() + 1);
}

ActivityOverTime ActivitySeries::finish(Cycle end, const Activity& total) {
  close(total);
  const std::uint64_t cycles = end.value - start_.value;
  const std::size_t wanted = std::max<std::uint64_t>(1, (cycles + result_.interval - 1) / result_.interval);
  auto& all = result_.intervals;
  while (all.size() > wanted) {
    all[all.size() - 2] += all.back();
    all.pop_back();
  }
  all.resize(wanted);
  return std::move(result_);
}

}  // namespace sassim::arch
