// SPDX-License-Identifier: Apache-2.0
// Runs points on this machine, as many at a time as requested and as fit into memory.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "sim/base/cores.h"
#include "sim/campaign/campaign_state.h"

namespace sassim::campaign {

namespace {

class LocalRun {
 public:
  LocalRun(CampaignState& campaign, StopSignals& stop)
      : campaign_(campaign),
        stop_(stop),
        todo_(campaign.todo()),
        jobs_(campaign.options().jobs ? campaign.options().jobs : usable_cores()),
        budget_(campaign.options().memory) {}

  void run() {
    constexpr double kRefresh = 0.5;  // seconds between updates of the progress line
    while (!stop_.asked() && (next_ < todo_.size() || !running_.empty())) {
      start();
      campaign_.show_progress(running_.size(), stop_.take_snapshot_request());
      stop_.wait(kRefresh);
      collect();
    }
    if (stop_.asked()) campaign_.note({{"event", "stopped"}});
    running_.clear();  // kills the workers: their points are not done
  }

 private:
  struct Running {
    std::string key;
    ChildProcess process;
  };

  bool room() {
    if (running_.empty()) return true;
    std::vector<std::uint64_t> resident;
    for (const Running& running : running_) resident.push_back(resident_memory(running.process.id()));
    if (budget_.fits(resident, available_memory())) return true;
    if (!told_)
      campaign_.tell(fmt::format("memory has room for {} of {} points at a time (a point may use {} MiB)",
                                 running_.size(), std::min<std::size_t>(jobs_, todo_.size()),
                                 budget_.estimate() >> 20));
    told_ = true;
    return false;
  }

  void start() {
    while (next_ < todo_.size() && running_.size() < jobs_ && room()) {
      const std::string& key = todo_[next_++];
      campaign_.folder().clear_failure(key);
      campaign_.note({{"event", "start"}, {"key", key}});
      running_.push_back({key, ChildProcess(worker_command(campaign_.options().program, campaign_.folder(), key),
                                            campaign_.folder().log(key).string())});
    }
  }

  void collect() {
    for (std::size_t i = 0; i < running_.size();) {
      const auto end = running_[i].process.poll();
      if (!end) {
        ++i;
        continue;
      }
      budget_.learn(end->peak_memory);
      campaign_.settle(running_[i].key, *end);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  CampaignState& campaign_;
  StopSignals& stop_;
  std::vector<std::string> todo_;
  std::size_t next_ = 0;
  std::size_t jobs_;
  MemoryBudget budget_;
  std::vector<Running> running_;
  bool told_ = false;
};

}  // namespace

void run_locally(CampaignState& campaign, StopSignals& stop) { LocalRun(campaign, stop).run(); }

}  // namespace sassim::campaign
