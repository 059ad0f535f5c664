// SPDX-License-Identifier: Apache-2.0
// Cuts the counters of a running kernel into intervals, for charts and tables of a kernel over time.
#include "arch/common/counter_series.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sassim::arch {

namespace {

using Counts = std::vector<std::uint64_t>;

void add(Counts& sum, const Counts& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

}  // namespace

std::uint64_t CountsOverTime::count(std::size_t of_interval, stats::Counter counter) const {
  const auto at = std::find(counters.begin(), counters.end(), counter);
  return at == counters.end() ? 0 : intervals[of_interval][static_cast<std::size_t>(at - counters.begin())];
}

CounterSeries::CounterSeries(std::vector<stats::Count> counters, std::size_t most, Cycle start, std::uint64_t interval)
    : most_(most), start_(start), before_(counters.size()) {
  if (most < 2 || most % 2 != 0) throw std::invalid_argument("a series has an even number of intervals");
  result_.interval = interval == 0 ? kFirstInterval : interval;
  result_.counters = std::move(counters);
  due_ = start_ + result_.interval;
}

void merge_neighbours(CountsOverTime& counts) {
  auto& all = counts.intervals;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    if (i != 0) all[i / 2] = std::move(all[i]);
    if (i + 1 < all.size()) add(all[i / 2], all[i + 1]);
  }
  all.resize((all.size() + 1) / 2);
  counts.interval *= 2;
}

void CounterSeries::close(const stats::CounterValues& total) {
  Counts done;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const std::uint64_t now = total.count(result_.counters[i]);
    done.push_back(now - std::exchange(before_[i], now));
  }
  result_.intervals.push_back(std::move(done));
  if (result_.intervals.size() == most_) merge_neighbours(result_);
  due_ = start_ + result_.interval * (result_.intervals.size() + 1);
}

CountsOverTime CounterSeries::finish(Cycle end, const stats::CounterValues& total) {
  close(total);
  const std::uint64_t cycles = end.value - start_.value;
  const std::size_t wanted = std::max<std::uint64_t>(1, (cycles + result_.interval - 1) / result_.interval);
  auto& all = result_.intervals;
  while (all.size() > wanted) {
    add(all[all.size() - 2], all.back());
    all.pop_back();
  }
  all.resize(wanted, Counts(before_.size()));
  return std::move(result_);
}

const std::vector<stats::Count>& usual_series() {
  static const std::vector<stats::Count> counters = [] {
    std::vector<stats::Count> all;
    for (const char* name : {"sm__warps_active.sum", "sm__cycles_active.sum", "smsp__inst_executed.sum",
                             "l1tex__t_sectors.sum", "l1tex__t_sectors_lookup_hit.sum", "lts__t_sectors.sum",
                             "lts__t_sectors_lookup_hit.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"})
      all.emplace_back(stats::find_counter(name));
    return all;
  }();
  return counters;
}

std::vector<std::string> names_of(const std::vector<stats::Count>& counters) {
  std::vector<std::string> names;
  for (const stats::Count& counter : counters) names.push_back(counter.row().name);
  return names;
}

}  // namespace sassim::arch
