// SPDX-License-Identifier: Apache-2.0
// Pairs the launches of two runs for `sassim compare`: what changed in cycles, causes, waits, metrics.
#include "sim/change/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/base/demangle.h"
#include "sim/base/error.h"
#include "sim/change/line_changes.h"
#include "sim/report/bound_estimates.h"
#include "sim/report/bound_facts.h"

namespace sassim::change {

using report::Cause;
using report::KernelReport;

namespace {

constexpr const char *kCycles = "gpc__cycles_elapsed.max", *kDuration = "gpu__time_duration.sum";
constexpr std::string_view kWaitPrefix = "sassim__warp_cycles_", kWaitSuffix = ".sum";

/// What a program can move, and what tells people most about it.
constexpr const char* kCounters[] = {"smsp__inst_executed.sum",
                                     "smsp__thread_inst_executed_per_inst_executed.ratio",
                                     "l1tex__t_requests.sum",
                                     "l1tex__t_sectors.sum",
                                     "l1tex__t_sector_hit_rate.pct",
                                     "lts__t_sectors.sum",
                                     "lts__t_sector_hit_rate.pct",
                                     "dram__bytes.sum",
                                     "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                                     "sassim__lts_atomic_operations.sum",
                                     "launch__grid_size",
                                     "launch__block_size",
                                     "launch__registers_per_thread",
                                     "launch__shared_mem_per_block",
                                     "sm__warps_active.avg.pct_of_peak_sustained_active"};

double value(const KernelReport& kernel, std::string_view name) {
  return kernel.metrics.has(name) ? kernel.metrics[name] : 0;
}

template <class T>
void largest_first(std::vector<T>& all) {
  std::erase_if(all, [](const T& one) { return one.before == one.after; });
  std::stable_sort(all.begin(), all.end(),
                   [](const T& a, const T& b) { return std::abs(a.after - a.before) > std::abs(b.after - b.before); });
}

std::map<Cause, double> costs(const KernelReport& kernel) {
  std::map<Cause, double> cycles;
  if (!kernel.metrics.has(kCycles)) return cycles;
  const report::Facts facts(kernel);
  for (const report::Estimate& one : report::estimates(facts)) cycles[one.cause] = one.gain / 100 * facts.elapsed;
  return cycles;
}

std::vector<CauseChange> cause_changes(const KernelReport& before, const KernelReport& after) {
  const std::map<Cause, double> old_costs = costs(before), new_costs = costs(after);
  const auto of = [](const std::map<Cause, double>& all, Cause cause) {
    const auto at = all.find(cause);
    return at == all.end() ? 0 : at->second;
  };
  std::vector<CauseChange> changes;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Cause::count_); ++i) {
    const auto cause = static_cast<Cause>(i);
    changes.push_back({cause, of(old_costs, cause), of(new_costs, cause)});
  }
  largest_first(changes);
  return changes;
}

/// Waits of a run in percent of the cycles of the run before, so that a wait that stays as long stays as large.
std::vector<Change> wait_changes(const KernelReport& before, const KernelReport& after) {
  const report::Facts of_before(before), of_after(after);
  const double scale = of_after.elapsed / of_before.elapsed;
  std::vector<Change> waits;
  for (const stats::Metric& metric : before.metrics.all()) {
    const std::string& name = metric.name();
    if (!name.starts_with(kWaitPrefix) || !name.ends_with(kWaitSuffix)) continue;
    const std::string reason = name.substr(kWaitPrefix.size(), name.size() - kWaitPrefix.size() - kWaitSuffix.size());
    if (reason == "selected") continue;
    waits.push_back({reason, of_before.waits({reason.c_str()}), scale * of_after.waits({reason.c_str()})});
  }
  largest_first(waits);
  return waits;
}

std::string first_cause(const KernelReport& kernel) {
  const report::Bound bound = report::find_bound(kernel);
  return bound.causes.empty() ? std::string() : std::string(report::cause_row(bound.cause).phrase);
}

KernelChange change_of(const KernelReport& before, const KernelReport& after) {
  KernelChange change;
  change.cycles = {kCycles, value(before, kCycles), value(after, kCycles)};
  change.duration = {kDuration, value(before, kDuration), value(after, kDuration)};
  change.first_before = first_cause(before);
  change.first_after = first_cause(after);
  change.causes = cause_changes(before, after);
  change.waits = wait_changes(before, after);
  for (const char* name : kCounters)
    if (value(before, name) != value(after, name))
      change.counters.push_back({name, value(before, name), value(after, name)});
  for (const auto& [row, was] : before.metrics.all())
    if (const stats::Metric* now = after.metrics.find(row->name); now == nullptr)
      continue;
    else if (was == now->value)
      change.unchanged.push_back(row->name);
    else
      change.metrics.push_back({row->name, was, now->value});
  add_lines(before, after, change);
  return change;
}

using ByName = std::map<std::string, std::vector<const KernelReport*>>;

std::string name_of(const KernelReport& kernel) { return without_parameters(demangled(kernel.name)); }

ByName by_name(const std::vector<KernelReport>& kernels) {
  ByName all;
  for (const KernelReport& kernel : kernels) all[name_of(kernel)].push_back(&kernel);
  return all;
}

void check(const Renames& renames, const ByName& before, const ByName& after) {
  for (const auto& [old_name, new_name] : renames) {
    if (before.find(old_name) == before.end())
      throw InputError("--rename {0}={1}: no kernel of the run before is called {0}", old_name, new_name);
    if (after.find(new_name) == after.end())
      throw InputError("--rename {0}={1}: no kernel of the run after is called {1}", old_name, new_name);
  }
}

/// A name that only the run before has, and one that only the run after has, if there is one of each.
void find_rename(const ByName& before, const ByName& after, const std::map<std::string, std::string>& given,
                 Comparison& out) {
  std::vector<std::string> gone, fresh;
  for (const auto& [name, kernels] : before)
    if (after.find(name) == after.end() && given.find(name) == given.end()) gone.push_back(name);
  for (const auto& [name, kernels] : after) {
    const std::string& own = name;
    const bool known = std::any_of(given.begin(), given.end(), [&](const auto& pair) { return pair.second == own; });
    if (before.find(name) == before.end() && !known) fresh.push_back(name);
  }
  if (gone.size() == 1 && fresh.size() == 1 && before.at(gone[0]).size() == after.at(fresh[0]).size())
    out.renamed.emplace_back(gone[0], fresh[0]);
}

}  // namespace

double Change::percent() const {
  if (before == after) return 0;
  return before == 0 ? std::copysign(std::numeric_limits<double>::infinity(), after) : 100 * (after - before) / before;
}

Change Comparison::cycles() const {
  Change sum{kCycles};
  for (const KernelChange& kernel : kernels) sum.before += kernel.cycles.before, sum.after += kernel.cycles.after;
  return sum;
}

Comparison compare(const std::vector<KernelReport>& before, const std::vector<KernelReport>& after,
                   const Renames& renames) {
  const ByName old_kernels = by_name(before), new_kernels = by_name(after);
  check(renames, old_kernels, new_kernels);
  Comparison out;
  std::map<std::string, std::string> new_name(renames.begin(), renames.end());
  find_rename(old_kernels, new_kernels, new_name, out);
  new_name.insert(out.renamed.begin(), out.renamed.end());
  std::map<std::string, std::size_t> joined;  // by name after
  std::map<std::string, std::size_t> launches;
  for (const KernelReport& kernel : before) {
    const std::string name = name_of(kernel);
    const auto renamed = new_name.find(name);
    const std::string& other = renamed == new_name.end() ? name : renamed->second;
    const std::size_t launch = launches[name]++;
    const auto candidates = new_kernels.find(other);
    if (candidates == new_kernels.end() || launch >= candidates->second.size()) {
      out.only_before.push_back(name);
      continue;
    }
    KernelChange change = change_of(kernel, *candidates->second[launch]);
    change.name = name;
    change.name_after = other == name ? "" : other;
    change.launch = launch;
    joined[other] = launch + 1;
    out.kernels.push_back(std::move(change));
  }
  for (const auto& [name, kernels] : new_kernels)
    for (std::size_t i = joined[name]; i < kernels.size(); ++i) out.only_after.push_back(name);
  return out;
}

std::vector<std::string> different_keys(const std::string& before_json, const std::string& after_json) {
  const auto read = [](const std::string& text) { return nlohmann::json::parse(text, nullptr, false).flatten(); };
  if (before_json.empty() || after_json.empty()) return {};
  const nlohmann::json before = read(before_json), after = read(after_json);
  std::vector<std::string> keys;
  const auto add = [&](std::string pointer, const nlohmann::json* a, const nlohmann::json* b) {
    pointer.erase(0, 1);
    std::replace(pointer.begin(), pointer.end(), '/', '.');
    if (pointer == "name" || pointer == "description") return;
    keys.push_back(
        fmt::format("{}: {} -> {}", pointer, a != nullptr ? a->dump() : "none", b != nullptr ? b->dump() : "none"));
  };
  for (const auto& [pointer, value] : before.items()) {
    const auto other = after.find(pointer);
    if (other == after.end())
      add(pointer, &value, nullptr);
    else if (*other != value)
      add(pointer, &value, &*other);
  }
  for (const auto& [pointer, value] : after.items())
    if (!before.contains(pointer)) add(pointer, nullptr, &value);
  return keys;
}

}  // namespace sassim::change
