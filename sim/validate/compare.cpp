// SPDX-License-Identifier: Apache-2.0
// The quantities of a launch that `sassim compare` compares with a profile, and their errors.
#include "sim/validate/compare.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "sim/base/demangle.h"
#include "sim/base/error.h"

namespace sassim::validate {
namespace {

using Kind = Quantity::Kind;

Quantity same(std::string name, Kind kind, std::string metric, double tolerance, double floor) {
  return {std::move(name), kind, {metric}, {metric}, tolerance, floor};
}

Quantity stall(const char* reason) {
  std::string metric = std::string("smsp__average_warps_issue_stalled_") + reason + "_per_issue_active.ratio";
  return same(std::string("stall ") + reason, Kind::state, metric, 0, 1);
}

// Tolerances: cycles 10 %, instructions exact, sectors 5 %, DRAM bytes 10 %. The floors keep a few hundred bytes of
// kernel parameters from counting as an error of a hundred percent.
std::vector<Quantity> build() {
  const std::string ld = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld";
  const std::string st = "l1tex__t_sectors_pipe_lsu_mem_global_op_st";
  std::vector<Quantity> all;
  all.push_back(same("cycles", Kind::cycles, "gpc__cycles_elapsed.max", 0.10, 1));
  all.push_back(same("active cycles per SM", Kind::state, "sm__cycles_active.avg", 0, 1));
  all.push_back(same("instructions", Kind::counter, "smsp__inst_executed.sum", 0, 1));
  all.push_back(same("thread instructions", Kind::counter, "smsp__thread_inst_executed.sum", 0, 1));
  all.push_back(same("warps", Kind::counter, "smsp__warps_launched.sum", 0, 1));
  all.push_back(same("L1 load sectors", Kind::counter, ld + ".sum", 0.05, 256));
  all.push_back(same("L1 load hits", Kind::counter, ld + "_lookup_hit.sum", 0.05, 1024));
  all.push_back(same("L1 store sectors", Kind::counter, st + ".sum", 0.05, 256));
  // The hardware's own total also counts shuffles and special registers, which do not access shared memory.
  all.push_back(
      same("shared wavefronts", Kind::counter,
           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum+l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
           0.05, 256));
  all.push_back(same("L2 sectors from SMs", Kind::counter,
                     "l1tex__m_xbar2l1tex_read_sectors.sum+l1tex__m_l1tex2xbar_write_sectors.sum", 0.05, 1024));
  // On an L2 with two halves this also counts the traffic between them.
  all.push_back(same("L2 sectors", Kind::counter, "lts__t_sectors.sum", 0.10, 4096));
  all.push_back(same("L1 hit rate", Kind::rate, "l1tex__t_sector_hit_rate.pct", 5, 1));
  all.push_back({"DRAM bytes",
                 Kind::counter,
                 {"dram__bytes_read.sum+dram__bytes_write.sum"},
                 {"dram__bytes_read.sum+dram__bytes_write.sum"},
                 0.10,
                 65536});
  all.push_back(same("occupancy", Kind::rate, "sm__warps_active.avg.pct_of_peak_sustained_active", 5, 1));
  all.push_back(same("issue active", Kind::rate, "smsp__issue_active.avg.pct_of_peak_sustained_active", 5, 1));
  for (const char* reason : {"long_scoreboard", "short_scoreboard", "wait", "math_pipe_throttle", "mio_throttle",
                             "lg_throttle", "barrier", "not_selected", "no_instruction", "imc_miss", "branch_resolving",
                             "dispatch_stall", "drain", "membar", "sleeping", "tex_throttle", "misc"}) {
    all.push_back(stall(reason));
  }
  return all;
}

template <class Find>
std::optional<double> value_of(const std::vector<std::string>& alternatives, Find find) {
  for (const std::string& sum : alternatives) {
    double total = 0;
    bool complete = true;
    for (std::size_t at = 0; at <= sum.size() && complete;) {
      std::size_t end = std::min(sum.find('+', at), sum.size());
      std::optional<double> part = find(sum.substr(at, end - at));
      complete = part.has_value();
      total += part.value_or(0);
      at = end + 1;
    }
    if (complete) return total;
  }
  return std::nullopt;
}

std::vector<Difference> differences(const report::KernelReport& simulated, const ProfiledKernel& hardware) {
  std::vector<Difference> out;
  for (const Quantity& quantity : quantities()) {
    auto ours = value_of(quantity.simulated, [&](const std::string& name) -> std::optional<double> {
      return simulated.metrics.has(name) ? std::optional(simulated.metrics[name]) : std::nullopt;
    });
    auto theirs = value_of(quantity.hardware, [&](const std::string& name) -> std::optional<double> {
      auto at = hardware.metrics.find(name);
      return at == hardware.metrics.end() ? std::nullopt : std::optional(at->second);
    });
    if (!ours || !theirs) continue;
    double error = quantity.kind == Kind::rate ? (*ours - *theirs) / 100
                                               : (*ours - *theirs) / std::max(quantity.floor, std::fabs(*theirs));
    out.push_back({&quantity, *ours, *theirs, error});
  }
  return out;
}

}  // namespace

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all = build();
  return all;
}

bool Difference::within() const {
  if (!quantity->judged()) return true;
  double tolerance = quantity->kind == Kind::rate ? quantity->tolerance / 100 : quantity->tolerance;
  return std::fabs(error) <= tolerance;
}

std::optional<double> Difference::relative() const {
  if (hardware == 0) return simulated == 0 ? std::optional(0.0) : std::nullopt;
  return (simulated - hardware) / std::fabs(hardware);
}

bool Difference::below_floor() const { return quantity->kind != Kind::rate && std::fabs(hardware) < quantity->floor; }

const Difference* KernelComparison::find(std::string_view quantity) const {
  for (const Difference& difference : differences) {
    if (difference.quantity->name == quantity) return &difference;
  }
  return nullptr;
}

bool KernelComparison::right_for_wrong_reason() const {
  const Difference* cycles = find("cycles");
  if (cycles == nullptr || !cycles->within()) return false;
  return std::any_of(differences.begin(), differences.end(), [](const Difference& difference) {
    return difference.quantity->kind == Kind::counter && !difference.within();
  });
}

std::string bare_name(std::string_view kernel) {
  std::string name(kernel);
  name = demangled(name);
  // Removes template arguments and parameters, then everything up to the last blank or colon ("void ns::").
  const std::string anonymous = "(anonymous namespace)::";
  for (std::size_t at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous)) {
    name.erase(at, anonymous.size());
  }
  name.resize(std::min(name.find_first_of("<("), name.size()));
  while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back()))) name.pop_back();
  std::size_t start = name.find_last_of(" :");
  return start == std::string::npos ? name : name.substr(start + 1);
}

namespace {

/// The numbers in "(4096, 1, 1)"; empty for other text.
std::vector<std::uint64_t> numbers_in(const std::string& shape) {
  std::vector<std::uint64_t> all;
  for (const char* at = shape.c_str(); *at != '\0';) {
    if (std::isdigit(static_cast<unsigned char>(*at)) == 0) {
      ++at;
      continue;
    }
    char* end = nullptr;
    all.push_back(std::strtoull(at, &end, 10));
    at = end;
  }
  return all.size() == 3 ? all : std::vector<std::uint64_t>();
}

void check_shape(const std::string& kernel, const char* what, const Dim3& simulated, const std::string& profiled) {
  const auto theirs = numbers_in(profiled);
  if (theirs.empty() || theirs == std::vector<std::uint64_t>{simulated.x, simulated.y, simulated.z}) return;
  throw InputError(
      "kernel {}: the {} is {}x{}x{} in the simulated run and {}x{}x{} in the profile; simulate the launch that was "
      "profiled",
      kernel, what, simulated.x, simulated.y, simulated.z, theirs[0], theirs[1], theirs[2]);
}

void check_same_launch(const std::string& name, const report::KernelReport& simulated, const ProfiledKernel& profiled) {
  check_shape(name, "grid", simulated.grid, profiled.grid);
  check_shape(name, "block", simulated.block, profiled.block);
  if (simulated.slice_blocks != 0)
    throw InputError("kernel {}: the simulated run has {} of the launch's {} thread blocks (a slice), the profile all",
                     name, simulated.slice_blocks, simulated.grid.count());
}

}  // namespace

Comparison compare(const std::vector<report::KernelReport>& simulated, const std::vector<ProfiledKernel>& hardware) {
  std::map<std::string, std::vector<const ProfiledKernel*>> waiting;
  for (const ProfiledKernel& kernel : hardware) waiting[bare_name(kernel.name)].push_back(&kernel);
  std::map<std::string, std::size_t> launches;
  Comparison out;
  for (const report::KernelReport& kernel : simulated) {
    std::string name = bare_name(kernel.name);
    std::size_t launch = launches[name]++;
    const auto& candidates = waiting[name];
    if (launch >= candidates.size()) {
      out.only_simulated.push_back(name);
      continue;
    }
    check_same_launch(name, kernel, *candidates[launch]);
    out.kernels.push_back({name, launch, differences(kernel, *candidates[launch])});
  }
  for (const auto& [name, kernels] : waiting) {
    for (std::size_t i = launches[name]; i < kernels.size(); ++i) out.only_hardware.push_back(name);
  }
  return out;
}

std::vector<ErrorSummary> Comparison::summary() const {
  std::vector<ErrorSummary> out;
  for (const Quantity& quantity : quantities()) {
    if (!quantity.judged()) continue;
    ErrorSummary row{quantity.name, 0, 0, 0, 0, 0, ""};
    std::vector<double> errors;
    for (const KernelComparison& kernel : kernels) {
      const Difference* difference = kernel.find(quantity.name);
      if (difference == nullptr) continue;
      double error = std::fabs(difference->error);
      errors.push_back(error);
      row.mean += error;
      row.within += difference->within() ? 1 : 0;
      if (errors.size() == 1 || error > row.worst) {
        row.worst = error;
        row.worst_kernel = kernel.name;
      }
    }
    if (errors.empty()) continue;
    row.kernels = errors.size();
    row.mean /= static_cast<double>(errors.size());
    std::sort(errors.begin(), errors.end());
    // The smallest error that at least nine of ten kernels do not exceed.
    row.p90 = errors[(errors.size() * 9 + 9) / 10 - 1];
    out.push_back(row);
  }
  return out;
}

}  // namespace sassim::validate
