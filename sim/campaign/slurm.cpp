// SPDX-License-Identifier: Apache-2.0
// Calls sbatch, squeue, sacct and scontrol for campaigns on a cluster, and parses what they print.
#include "sim/campaign/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "sim/base/child_process.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"

namespace sassim::campaign {

namespace {

/// States in which a task has ended for good.
const std::set<std::string>& final_states() {
  static const std::set<std::string> all = {"BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
                                            "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
  return all;
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool parse_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Slurm::Output Slurm::call(std::vector<std::string> command) const {
  const std::string log = (scratch_ / "command.out").string();
  const std::string name = command.front();
  ChildProcess process(std::move(command), log);
  Output output;
  output.status = process.wait().status;
  output.text = read_whole_file(log).value_or("");
  return output;
}

std::uint64_t Slurm::largest_array() const {
  constexpr std::uint64_t kUsual = 1001;
  std::istringstream lines(call({"scontrol", "show", "config"}).text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key, equals;
    std::uint64_t value = 0;
    if (words >> key >> equals >> value && key == "MaxArraySize" && value > 0) return value;
  }
  return kUsual;
}

std::string Slurm::submit(const Array& array) const {
  std::vector<std::string> command = {
      "sbatch",
      "--parsable",
      "--job-name=" + array.name,
      "--output=" + array.log.string(),
      fmt::format("--array=0-{}{}", array.tasks - 1, array.at_once ? fmt::format("%{}", array.at_once) : ""),
  };
  command.insert(command.end(), array.arguments.begin(), array.arguments.end());
  command.push_back(array.script.string());
  const Output output = call(command);
  // --parsable prints JOB or JOB;CLUSTER, possibly after warnings.
  const std::string text = one_line(output.text);
  const std::string last = text.substr(text.rfind(' ') == std::string::npos ? 0 : text.rfind(' ') + 1);
  std::uint64_t job = 0;
  if (output.status != 0 || !parse_number(last.substr(0, last.find(';')), job))
    throw InputError("sbatch rejected the job array: {} (its script: {}; --slurm-option passes options to sbatch)",
                     text, array.script.string());
  return std::to_string(job);
}

std::optional<std::string> Slurm::find(const std::string& name) const {
  const Output output = call({"squeue", "--noheader", "--me", "--name=" + name, "--format=%F"});
  std::istringstream words(output.text);
  std::string job;
  std::uint64_t value = 0;
  if (output.status == 0 && words >> job && parse_number(job, value)) return job;
  return std::nullopt;
}

std::optional<std::map<std::uint64_t, std::string>> Slurm::active(const std::string& job) const {
  const Output output = call({"squeue", "--noheader", "--array", "--states=all", "--jobs=" + job, "--format=%K %T"});
  std::map<std::uint64_t, std::string> tasks;
  // Slurm forgets a job some minutes after its end.
  if (output.text.find("Invalid job id") != std::string::npos) return tasks;
  if (output.status != 0) return std::nullopt;
  std::istringstream lines(output.text);
  for (std::string task, state; lines >> task >> state;) {
    std::uint64_t value = 0;
    if (parse_number(task, value) && !final_states().contains(state)) tasks[value] = state;
  }
  return tasks;
}

std::string Slurm::ending(const std::string& job, std::uint64_t task) const {
  const std::string id = fmt::format("{}_{}", job, task);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"squeue", "--noheader", "--states=all", "--jobs=" + id, "--format=%T"},
        std::vector<std::string>{"sacct", "--noheader", "--parsable2", "--jobs=" + id, "--format=State"}}) {
    const Output output = call(command);
    std::istringstream words(output.text);
    std::string state;
    if (output.status == 0 && words >> state && final_states().contains(state)) return state;
  }
  return "reason unknown to Slurm";
}

}  // namespace sassim::campaign
