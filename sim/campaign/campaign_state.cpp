// SPDX-License-Identifier: Apache-2.0
// Decides at the start of a campaign which simulations have to run, and records how each ends.
#include "sim/campaign/campaign_state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/campaign/campaign_events.h"

namespace sassim::campaign {

using Json = nlohmann::ordered_json;

namespace {

/// The checksums of the results of finished points, from the journal. A point may have ended without an entry: its
/// campaign was killed before, or Slurm ran it later.
std::map<std::string, std::string> finished(const Journal& journal) {
  std::map<std::string, std::string> sums;
  for (const CampaignEvent& event : read_events(journal.past()))
    if (event.kind == "done") sums[event.key] = event.sum;
  return sums;
}

}  // namespace

CampaignState::CampaignState(const std::vector<Point>& points, const CampaignOptions& options)
    : options_(options), folder_(options.folder), journal_(folder_.journal().string()) {
  const auto sums = finished(journal_);
  for (const Point& point : points) {
    const std::string& key = keys_.emplace_back(point_key(point, program_identity()));
    if (!by_key_.emplace(key, &point).second) continue;
    const auto result = folder_.result(key);
    const auto sum = sums.find(key);
    if (!result) {
      folder_.write_point(key, point);
      states_[key] = PointState::missing;
    } else if ((sum != sums.end() ? sum->second : folder_.result_sum(key)) != sum_of(*result)) {
      tell(fmt::format("{}: its result has changed since the point finished; the point runs again", point.label));
      folder_.remove_result(key);
      folder_.write_point(key, point);
      states_[key] = PointState::missing;
    } else {
      ++reused_;
      states_[key] = PointState::done;
      if (sum == sums.end()) note({{"event", "done"}, {"key", key}, {"sum", sum_of(*result)}});
    }
  }
  note({{"event", "begin"}, {"program", program_identity()}, {"points", states_.size()}, {"done", reused_}});
}

std::vector<std::string> CampaignState::todo() const {
  std::vector<std::string> left;
  std::map<std::string, bool> listed;
  for (const std::string& key : keys_)
    if (states_.at(key) == PointState::missing && !std::exchange(listed[key], true)) left.push_back(key);
  return left;
}

void CampaignState::finish(const std::string& key, const Json& details) {
  Json event = {{"event", "done"}, {"key", key}, {"sum", sum_of(folder_.result(key).value_or(""))}};
  event.update(details);
  note(event);
  states_[key] = PointState::done;
  ++ran_;
}

bool CampaignState::settle(const std::string& key) {
  if (folder_.has_result(key)) {
    finish(key, Json::object());
    return true;
  }
  if (const auto failure = folder_.failure(key)) {
    fail(key, *failure);
    return true;
  }
  return false;
}

void CampaignState::settle(const std::string& key, const ProcessEnd& end) {
  if (folder_.has_result(key))
    finish(key, {{"seconds", end.seconds}, {"memory", end.peak_memory}});
  else
    fail(key, failure_of(folder_, key, end));
}

void CampaignState::fail(const std::string& key, const Failure& failure) {
  folder_.write_failure(key, failure);
  note({{"event", "failed"}, {"key", key}, {"status", failure.status}});
  states_[key] = PointState::failed;
  ++failed_;
  tell(fmt::format("{} failed: {} (log: {})", point(key).label, failure.message, folder_.log(key).string()));
}

void CampaignState::note(const Json& event) { journal_.append(event.dump()); }

void CampaignState::tell(const std::string& line) const {
  if (options_.tell) options_.tell(line);
}

void CampaignState::show_progress(std::size_t running, bool asked) const {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  const std::size_t settled = ran_ + failed_, left = states_.size() - reused_ - settled;
  const double rate = static_cast<double>(settled) / seconds;
  const CampaignProgress now{states_.size(), reused_ + ran_, failed_, running,
                             settled == 0 ? -1 : static_cast<double>(left) / rate};
  if (asked && options_.snapshot) options_.snapshot(now);
  if (options_.progress) options_.progress(now);
}

}  // namespace sassim::campaign
