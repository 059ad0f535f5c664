// SPDX-License-Identifier: Apache-2.0
// Reads the file of limits of `sassim check`, and holds every launch of a program to them.
#include "sim/change/budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>

#include "sim/base/demangle.h"
#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/change/limit.h"

namespace sassim::change {

namespace {

using config::Mark;
using config::YamlNode;

constexpr std::string_view kBudgetForm =
    "expected GPU: {KERNEL: {METRIC: MOST}}, such as saxpy: {cycles: 12000}, or [LEAST, MOST]";

[[noreturn]] void refuse(const std::string& file, Mark mark, const std::string& what) {
  throw InputError("{}:{}:{}: {}", file, mark.line, mark.column, what);
}

const std::vector<YamlNode::Entry>& entries(const std::string& file, const YamlNode& node, std::string_view what) {
  if (node.kind != YamlNode::Kind::mapping || node.entries.empty())
    refuse(file, node.mark, fmt::format("{} has no limits; {}", what, kBudgetForm));
  return node.entries;
}

struct Suffix {
  std::string_view name, unit;
  double factor;
};
constexpr Suffix kSuffixes[] = {{"KiB", "byte", 1024.0}, {"MiB", "byte", 1048576.0}, {"GiB", "byte", 1073741824.0},
                                {"ns", "ns", 1.0},       {"us", "ns", 1e3},          {"ms", "ns", 1e6},
                                {"s", "ns", 1e9}};

double number(const std::string& file, const YamlNode& node, std::string& unit) {
  if (node.kind != YamlNode::Kind::scalar) refuse(file, node.mark, fmt::format("not a limit; {}", kBudgetForm));
  std::string_view text = node.scalar;
  double factor = 1;
  for (const Suffix& suffix : kSuffixes)
    if (text.ends_with(suffix.name)) {
      text.remove_suffix(suffix.name.size());
      while (text.ends_with(' ')) text.remove_suffix(1);
      factor = suffix.factor;
      unit = suffix.unit;
      break;
    }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(file, node.mark, fmt::format("'{}' is not a number, such as 12000, 20us or 1.5MiB", node.scalar));
  return value * factor;
}

Bounds bounds_of(const std::string& file, const YamlNode::Entry& entry) {
  Bounds bounds{.metric = metric_name(entry.key), .text = {}, .least = {}, .most = {}, .unit = {}, .mark = entry.mark};
  const YamlNode& value = entry.value;
  if (value.kind != YamlNode::Kind::sequence) {
    bounds.most = number(file, value, bounds.unit);
    bounds.text = "at most " + value.scalar;
    return bounds;
  }
  if (value.items.size() != 2) refuse(file, value.mark, fmt::format("not a limit; {}", kBudgetForm));
  bounds.least = number(file, value.items[0], bounds.unit);
  bounds.most = number(file, value.items[1], bounds.unit);
  if (*bounds.least > *bounds.most) refuse(file, value.mark, "the least value is above the largest one");
  bounds.text = fmt::format("{} to {}", value.items[0].scalar, value.items[1].scalar);
  return bounds;
}

/// The metrics of one launch that limits may name.
std::vector<std::string> names_of(const report::KernelReport& kernel) {
  std::vector<std::string> names;
  for (const auto& metric : kernel.metrics.all()) names.push_back(metric.name());
  return names;
}

class Judge {
 public:
  Judge(const Budgets& budgets, const GpuBudget& gpu, const std::vector<report::KernelReport>& kernels)
      : file_(budgets.file), gpu_(gpu), kernels_(kernels) {}

  std::vector<Verdict> verdicts() {
    for (const KernelBudget& budget : gpu_.kernels) hold(budget);
    return std::move(all_);
  }

 private:
  void hold(const KernelBudget& budget) {
    std::map<std::string, std::size_t> launches;
    const std::size_t before = all_.size();
    for (const report::KernelReport& kernel : kernels_) {
      const std::string name = without_parameters(demangled(kernel.name));
      const std::size_t launch = launches[name]++;
      if (!budget.kernels.matches_in(name)) continue;
      for (const Bounds& bounds : budget.bounds) hold(bounds, kernel, name, launch);
    }
    if (all_.size() != before) return;
    std::vector<std::string> names;
    for (const auto& [name, count] : launches) names.push_back(name);
    refuse(file_, budget.mark,
           fmt::format("no kernel that ran on {} matches '{}'; kernels: {}", gpu_.gpu, budget.text,
                       fmt::join(names, ", ")));
  }

  void hold(const Bounds& bounds, const report::KernelReport& kernel, const std::string& name, std::size_t launch) {
    const stats::Metric* const metric = kernel.metrics.find(bounds.metric);
    if (metric == nullptr)
      refuse(file_, bounds.mark,
             fmt::format("kernel {} has no metric {}{}; 'sassim metrics' lists them", name, bounds.metric,
                         did_you_mean(bounds.metric, names_of(kernel))));
    if (!bounds.unit.empty() && metric->row->unit != bounds.unit)
      refuse(file_, bounds.mark,
             fmt::format("{} does not count in that unit, but in '{}'", bounds.metric, metric->row->unit));
    const bool held =
        (!bounds.least || metric->value >= *bounds.least) && (!bounds.most || metric->value <= *bounds.most);
    all_.push_back({gpu_.gpu, name, launch, bounds.metric, bounds.text, metric->value, held});
  }

  const std::string& file_;
  const GpuBudget& gpu_;
  const std::vector<report::KernelReport>& kernels_;
  std::vector<Verdict> all_;
};

}  // namespace

Budgets read_budgets(const std::string& text, const std::string& file) {
  Budgets budgets{.file = file, .gpus = {}};
  const YamlNode all = config::parse_yaml(text, file);
  for (const auto& [gpu, gpu_mark, of_gpu] : entries(file, all, "the file")) {
    budgets.gpus.push_back({gpu, {}});
    for (const auto& [kernel, mark, of_kernel] : entries(file, of_gpu, gpu)) {
      KernelBudget budget{kernel, Pattern(fmt::format("{}:{}:{}", file, mark.line, mark.column), kernel), {}, mark};
      for (const YamlNode::Entry& entry : entries(file, of_kernel, kernel))
        budget.bounds.push_back(bounds_of(file, entry));
      budgets.gpus.back().kernels.push_back(std::move(budget));
    }
  }
  return budgets;
}

std::vector<Verdict> judge(const Budgets& budgets, const GpuBudget& gpu,
                           const std::vector<report::KernelReport>& kernels) {
  return Judge(budgets, gpu, kernels).verdicts();
}

}  // namespace sassim::change
