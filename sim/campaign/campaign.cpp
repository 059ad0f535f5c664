// SPDX-License-Identifier: Apache-2.0
// One run of a study's simulations: takes the folder's lock, runs what is missing, gathers results.
#include "sim/campaign/campaign.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/campaign/campaign_state.h"

namespace sassim::campaign {

namespace {

/// Held by the one process that works on a campaign. The system releases it when that process ends, for whatever
/// reason.
class CampaignLock {
 public:
  explicit CampaignLock(const std::filesystem::path& root) {
    const std::string path = (root / "lock").string();
    descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw InputError("{}: cannot be opened", path);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor_);
      throw InputError("{}: process {} works on this folder already; wait for it, stop it, or choose another --out",
                       root.parent_path().string(), read_whole_file(path).value_or("?"));
    }
    if (ftruncate(descriptor_, 0) == 0) write_fully(descriptor_, std::to_string(getpid()));
  }
  ~CampaignLock() { close(descriptor_); }
  CampaignLock(const CampaignLock&) = delete;
  CampaignLock& operator=(const CampaignLock&) = delete;

 private:
  int descriptor_ = -1;
};

using Executor = void (*)(CampaignState&, StopSignals&);

Executor executor(const std::string& name) {
  if (name == "local") return run_locally;
  if (name == "slurm") return run_on_slurm;
  throw UsageError("unknown executor '{}'{}; known: local, slurm", name, did_you_mean(name, {"local", "slurm"}));
}

PointOutcome outcome_of(const CampaignFolder& folder, const std::string& key) {
  PointOutcome outcome;
  outcome.key = key;
  if (auto result = folder.result(key)) {
    outcome.state = PointState::done;
    outcome.result = std::move(*result);
  } else if (const auto failure = folder.failure(key)) {
    outcome.state = PointState::failed;
    outcome.error = failure->message;
    outcome.log = folder.log(key).string();
  }
  return outcome;
}

}  // namespace

CampaignOutcome run_campaign(const std::vector<Point>& points, const CampaignOptions& options) {
  const Executor execute = executor(options.executor);
  const CampaignFolder folder(options.folder);
  folder.prepare();
  const CampaignLock lock(folder.root());
  CampaignState campaign(points, options);
  CampaignOutcome outcome;
  {
    StopSignals stop;
    if (!campaign.todo().empty()) execute(campaign, stop);
    outcome.interrupted = stop.received();
  }
  outcome.ran = campaign.ran();
  outcome.reused = campaign.reused();
  outcome.failed = campaign.failed();
  for (const std::string& key : campaign.keys()) outcome.points.push_back(outcome_of(folder, key));
  return outcome;
}

}  // namespace sassim::campaign
