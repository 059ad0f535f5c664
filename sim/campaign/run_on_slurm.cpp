// SPDX-License-Identifier: Apache-2.0
// Runs points as Slurm job arrays. The journal records every array, so that a later run of the same command finds tasks
// that still run, collects their results and submits only the missing points.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/campaign/campaign_events.h"
#include "sim/campaign/campaign_state.h"
#include "sim/campaign/slurm.h"

namespace sassim::campaign {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kMostTries = 3;

/// One job array.
struct Round {
  std::string name, job;
  std::vector<std::vector<std::string>> tasks;  ///< keys
  std::set<std::uint64_t> gone;  ///< tasks that were over at the last look; their last files may still be on their way
};

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

class SlurmRun {
 public:
  SlurmRun(CampaignState& campaign, StopSignals& stop)
      : campaign_(campaign), stop_(stop), place_(campaign.folder().root() / "slurm"), slurm_(place_) {
    fs::create_directories(place_);
    remember();
  }

  void run() {
    for (;;) {
      submit(unsubmitted());
      if (rounds_.empty()) return;
      campaign_.show_progress(running_, stop_.take_snapshot_request());
      stop_.wait(campaign_.options().slurm.poll_seconds);
      if (stop_.asked()) return say_what_goes_on();
      running_ = 0;
      for (Round& round : rounds_) poll(round);
      const auto over = std::partition(rounds_.begin(), rounds_.end(),
                                       [](const Round& round) { return round.gone.size() < round.tasks.size(); });
      for (auto round = over; round != rounds_.end(); ++round)
        campaign_.note({{"event", "collected"}, {"name", round->name}});
      rounds_.erase(over, rounds_.end());
    }
  }

 private:
  fs::path round_folder(const std::string& name) const { return place_ / name; }

  /// Finds arrays of earlier runs that may still be running.
  void remember() {
    std::map<std::string, Round> open;
    std::vector<std::string> order;
    for (const CampaignEvent& event : read_events(campaign_.journal().past())) {
      if (event.kind == "submitting") {
        ++rounds_so_far_;
        order.push_back(event.name);
        open[event.name].name = event.name;
        open[event.name].tasks.resize(event.tasks);
      } else if (event.kind == "submitted" && open.contains(event.name)) {
        open[event.name].job = event.job;
      } else if (event.kind == "collected") {
        open.erase(event.name);
      }
    }
    for (const std::string& name : order)
      if (open.contains(name)) attach(std::move(open[name]));
  }

  /// Finds the job of a run that was killed after sbatch and before its journal line, by the job's name.
  void attach(Round round) {
    if (round.job.empty()) round.job = slurm_.find(round.name).value_or("");
    if (round.job.empty()) return campaign_.note({{"event", "collected"}, {"name", round.name}});
    for (std::size_t task = 0; task < round.tasks.size(); ++task) {
      std::istringstream keys(read_whole_file(round_folder(round.name) / fmt::format("{}.list", task)).value_or(""));
      for (std::string key; std::getline(keys, key);)
        if (campaign_.knows(key)) round.tasks[task].push_back(key);
    }
    campaign_.tell(fmt::format("continues with job {} of an earlier run", round.job));
    rounds_.push_back(std::move(round));
  }

  /// Open points that no task has.
  std::vector<std::string> unsubmitted() const {
    std::set<std::string> taken;
    for (const Round& round : rounds_)
      for (std::size_t task = 0; task < round.tasks.size(); ++task)
        if (!round.gone.contains(task)) taken.insert(round.tasks[task].begin(), round.tasks[task].end());
    std::vector<std::string> keys = campaign_.todo();
    std::erase_if(keys, [&](const std::string& key) { return taken.contains(key); });
    return keys;
  }

  void submit(const std::vector<std::string>& keys) {
    if (keys.empty()) return;
    Round round;
    const std::string folder = campaign_.folder().root().string();
    round.name =
        fmt::format("sassim-{:08x}-{}", XXH3_64bits(folder.data(), folder.size()) & 0xffffffff, rounds_so_far_++);
    fs::create_directories(round_folder(round.name));
    const SlurmOptions& options = campaign_.options().slurm;
    const std::uint64_t most = std::max<std::uint64_t>(1, slurm_.largest_array() - 1);
    const std::uint64_t chunk = std::max<std::uint64_t>({1, options.chunk, (keys.size() + most - 1) / most});
    for (std::size_t first = 0; first < keys.size(); first += chunk) {
      const std::size_t last = std::min<std::size_t>(first + chunk, keys.size());
      auto& task = round.tasks.emplace_back(keys.begin() + static_cast<std::ptrdiff_t>(first),
                                            keys.begin() + static_cast<std::ptrdiff_t>(last));
      std::string list;
      for (const std::string& key : task) {
        campaign_.folder().clear_failure(key);
        list += key + "\n";
      }
      write_durably(round_folder(round.name) / fmt::format("{}.list", round.tasks.size() - 1), list);
    }
    const fs::path script = round_folder(round.name) / "job.sh";
    write_durably(script, script_text(round));
    campaign_.note({{"event", "submitting"}, {"name", round.name}, {"tasks", round.tasks.size()}});
    round.job = slurm_.submit({round.name, script, round_folder(round.name) / "%a.log", round.tasks.size(),
                               campaign_.options().jobs, options.arguments});
    campaign_.note({{"event", "submitted"}, {"name", round.name}, {"job", round.job}});
    campaign_.tell(
        fmt::format("submitted {} points as job {} of {} tasks", keys.size(), round.job, round.tasks.size()));
    rounds_.push_back(std::move(round));
  }

  std::string script_text(const Round& round) const {
    const std::string program = campaign_.options().program.empty() ? this_program() : campaign_.options().program;
    return fmt::format("#!/bin/sh\nexec {} points {} {}/\"$SLURM_ARRAY_TASK_ID\".list\n", quoted(program),
                       quoted(campaign_.folder().root().parent_path().string()),
                       quoted(round_folder(round.name).string()));
  }

  /// The points of a task that have neither result nor failure.
  std::vector<std::string> unsettled(const std::vector<std::string>& keys) {
    std::vector<std::string> left;
    for (const std::string& key : keys)
      if (campaign_.open(key) && !campaign_.settle(key)) left.push_back(key);
    return left;
  }

  void poll(Round& round) {
    const auto active = slurm_.active(round.job);
    if (!active) {
      if (!std::exchange(unreachable_, true)) campaign_.tell("Slurm does not answer; waiting for it");
      return;
    }
    unreachable_ = false;
    for (std::size_t task = 0; task < round.tasks.size(); ++task) {
      const auto left = unsettled(round.tasks[task]);
      const auto state = active->find(task);
      if (state != active->end()) {
        running_ += state->second == "RUNNING" ? 1 : 0;
      } else if (left.empty() || over_.contains({round.job, task})) {
        if (round.gone.insert(task).second) lose(round, task, left);
      } else {
        over_.insert({round.job, task});  // looks once more: files from another machine may arrive a little later
      }
    }
  }

  void lose(const Round& round, std::uint64_t task, const std::vector<std::string>& keys) {
    if (keys.empty()) return;
    const std::string how = slurm_.ending(round.job, task);
    for (const std::string& key : keys) {
      campaign_.note({{"event", "lost"}, {"key", key}, {"job", round.job}, {"task", task}, {"ending", how}});
      const std::string& label = campaign_.point(key).label;
      if (++tries_[key] < kMostTries)
        campaign_.tell(fmt::format("{}: lost in task {}_{} ({}); it is submitted again", label, round.job, task, how));
      else
        campaign_.fail(key, {fmt::format("lost {} times, last in task {}_{} ({}); see {}", kMostTries, round.job, task,
                                         how, (round_folder(round.name) / fmt::format("{}.log", task)).string()),
                             1});
    }
  }

  void say_what_goes_on() {
    for (const Round& round : rounds_)
      campaign_.tell(fmt::format("job {} continues; 'scancel {}' ends it", round.job, round.job));
  }

  CampaignState& campaign_;
  StopSignals& stop_;
  fs::path place_;
  Slurm slurm_;
  std::vector<Round> rounds_;
  std::size_t rounds_so_far_ = 0, running_ = 0;
  std::set<std::pair<std::string, std::uint64_t>> over_;
  std::map<std::string, int> tries_;
  bool unreachable_ = false;
};

}  // namespace

void run_on_slurm(CampaignState& campaign, StopSignals& stop) { SlurmRun(campaign, stop).run(); }

}  // namespace sassim::campaign
