// SPDX-License-Identifier: Apache-2.0
// The commands of Slurm that a campaign uses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sassim::campaign {

class Slurm {
 public:
  /// `scratch`: a folder for the commands' output.
  explicit Slurm(std::filesystem::path scratch) : scratch_(std::move(scratch)) {}

  /// The largest job array that Slurm accepts.
  std::uint64_t largest_array() const;

  struct Array {
    std::string name;
    std::filesystem::path script, log;  ///< %a in the log's name stands for the task
    std::uint64_t tasks = 1;
    unsigned at_once = 0;  ///< tasks that may run at the same time; 0: no limit
    std::vector<std::string> arguments;
  };
  /// Submits the array and returns the job's number. Throws InputError with sbatch's message.
  std::string submit(const Array& array) const;

  /// The waiting or running job of this user with this name, if there is one.
  std::optional<std::string> find(const std::string& name) const;

  /// The waiting and running tasks by number, with Slurm's name for their state. Empty if Slurm cannot be asked.
  std::optional<std::map<std::uint64_t, std::string>> active(const std::string& job) const;

  /// How a task ended, in Slurm's words, if Slurm still knows.
  std::string ending(const std::string& job, std::uint64_t task) const;

 private:
  struct Output {
    int status = 0;
    std::string text;  ///< standard output and error
  };
  Output call(std::vector<std::string> command) const;

  std::filesystem::path scratch_;
};

}  // namespace sassim::campaign
