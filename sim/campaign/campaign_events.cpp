// SPDX-License-Identifier: Apache-2.0
// Parses the journal of a campaign: points that are done, job arrays that Slurm has.
#include "sim/campaign/campaign_events.h"

#include <nlohmann/json.hpp>

namespace sassim::campaign {

using Json = nlohmann::ordered_json;

namespace {

std::string text(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::vector<CampaignEvent> read_events(const std::vector<std::string>& lines) {
  std::vector<CampaignEvent> events;
  for (const std::string& line : lines) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    CampaignEvent event{text(json, "event"), text(json, "key"), text(json, "sum"), text(json, "name"),
                        text(json, "job")};
    if (const auto tasks = json.find("tasks"); tasks != json.end() && tasks->is_number_unsigned())
      event.tasks = tasks->get<std::size_t>();
    if (!event.kind.empty() && event.tasks <= kMostTasks) events.push_back(std::move(event));
  }
  return events;
}

}  // namespace sassim::campaign
