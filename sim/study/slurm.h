// SPDX-License-Identifier: Apache-2.0
// Slurm's commands, as far as a campaign needs them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sassim::study {

class Slurm {
 public:
  /// `scratch`: a folder for what the commands print.
  explicit Slurm(std::filesystem::path scratch) : scratch_(std::move(scratch)) {}

  /// The most tasks that a job array may have.
  std::uint64_t largest_array() const;

  struct Array {
    std::string name;
    std::filesystem::path script, log;  ///< %a in the log's name is the task
    std::uint64_t tasks = 1;
    unsigned at_once = 0;  ///< 0: as Slurm likes
    std::vector<std::string> arguments;
  };
  /// The job's number. Throws InputError with what sbatch says.
  std::string submit(const Array& array) const;

  /// The job of this user with this name that is waiting or running; nothing when there is none.
  std::optional<std::string> find(const std::string& name) const;

  /// The tasks that still wait or run, by number: Slurm's word for their state. Nothing when Slurm cannot be asked.
  std::optional<std::map<std::uint64_t, std::string>> active(const std::string& job) const;

  /// How a task ended, in Slurm's words, if anybody still knows.
  std::string ending(const std::string& job, std::uint64_t task) const;

 private:
  struct Output {
    int status = 0;
    std::string text;  ///< standard output and error
  };
  Output call(std::vector<std::string> command) const;

  std::filesystem::path scratch_;
};

}  // namespace sassim::study
