// SPDX-License-Identifier: Apache-2.0
// The list of counters: what a simulation counts, and what is derived from that. A part declares its counters where it
// counts them, as objects at namespace scope, each with name, unit and meaning; its kind is its type. Results,
// intervals, timelines, files for Nsight Compute and the reference of metrics walk this list.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/stats/rollup.h"

namespace sassim::stats {

enum class CounterKind : std::uint8_t {
  count,     ///< adds up from the start of a launch, over all instances of a part: it has a value at every moment
  largest,   ///< of all instances, at the end
  smallest,  ///< of all instances, at the end
  derived,   ///< a formula, at the end
  count_
};
/// "count"
std::string_view kind_name(CounterKind);

struct CounterRow {
  std::string name;     ///< Nsight Compute's if the meaning is the same, otherwise sassim__...; ends with its rollup
  std::string unit;     ///< "cycle", "inst", "sector", "byte", "%", "ratio", "warp"
  std::string meaning;  ///< one sentence
  CounterKind kind = CounterKind::derived;
  Rollup rollup = Rollup::value;
  std::vector<std::string> parts{};  ///< the counters of which this one is the largest: its breakdown
  bool integral = true;              ///< printed without a fraction

  /// Nsight Compute has a metric of this name.
  bool of_nsight() const { return !name.starts_with("sassim__"); }
};

/// A handle: the place of a counter in the list.
class Counter {
 public:
  std::uint16_t index() const { return index_; }
  const CounterRow& row() const;
  friend bool operator==(Counter a, Counter b) { return a.index_ == b.index_; }

 protected:
  /// Declares a counter. Throws std::logic_error if the name is taken, or ends with no rollup or one of another kind.
  explicit Counter(CounterRow row);
  explicit Counter(std::uint16_t index) : index_(index) {}

 private:
  friend Counter find_counter(std::string_view name);
  template <class Handle>
  friend class Named;
  std::uint16_t index_;
};

struct Count : Counter {
  Count(std::string name, std::string unit, std::string meaning);
  /// A declared counter; throws std::logic_error if it is of another kind.
  explicit Count(Counter declared);
};
struct Largest : Counter {
  Largest(std::string name, std::string unit, std::string meaning);
};
struct Smallest : Counter {
  Smallest(std::string name, std::string unit, std::string meaning);
};
struct Derived : Counter {
  Derived(std::string name, std::string unit, std::string meaning);
};
/// A derived counter: the largest of others, which are its breakdown.
struct Throughput : Counter {
  Throughput(std::string name, std::string unit, std::string meaning, const std::vector<Counter>& parts);
};

/// Throws std::logic_error if nobody declared it.
Counter find_counter(std::string_view name);
bool has_counter(std::string_view name);

/// A counter that another part declares; its place is looked up at first use.
template <class Handle>
class Named {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  operator Handle() const {  // NOLINT(google-explicit-constructor): used in place of a handle
    if (const std::uint32_t place = place_.load(std::memory_order_relaxed); place != 0)
      return Handle(Counter(static_cast<std::uint16_t>(place - 1)));
    const Handle found(find_counter(name_));
    place_.store(found.index() + 1u, std::memory_order_relaxed);
    return found;
  }

 private:
  std::string name_;
  mutable std::atomic<std::uint32_t> place_{0};  ///< index + 1
};
using CounterName = Named<Counter>;
using CountName = Named<Count>;

/// All counters, by name.
std::vector<Counter> counters();
std::size_t counter_count();

/// What a result file says of a metric: the declared row if it is the same, otherwise a row beside the list. It lives
/// as long as the program.
const CounterRow& described(std::string_view name, std::string_view unit, bool integral,
                            const std::vector<std::string>& parts);

}  // namespace sassim::stats
