// SPDX-License-Identifier: Apache-2.0
// The worker of a campaign, a process that simulates one point (run_point); its command line, and why it failed, by its
// log. Also run_points(), with which a task of Slurm starts the workers of a list of points.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <sstream>

#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/campaign/campaign_state.h"

namespace sassim::campaign {

void run_point(const std::string& study_folder, const std::string& key) {
  const CampaignFolder folder(study_folder);
  const Point point = folder.read_point(key);
  if (point_key(point, program_identity()) != key)
    throw InputError("{}: the point was made by another build of sassim; run the study's command again", key);
  folder.write_result(key, Registry<PointKind>::instance().make(point.kind)->run(*point.config, point));
}

std::vector<std::string> worker_command(const std::string& program, const CampaignFolder& folder,
                                        const std::string& key) {
  return {program.empty() ? this_program() : program,
          "point",
          folder.root().parent_path().string(),
          key,
          "--parent",
          std::to_string(getpid())};
}

Failure failure_of(const CampaignFolder& folder, const std::string& key, const ProcessEnd& end) {
  constexpr int kKilled = 128;
  const std::string killed =
      end.status <= kKilled
          ? ""
          : fmt::format("killed by signal {} ({}){}", end.status - kKilled, strsignal(end.status - kKilled),
                        end.status - kKilled == SIGKILL ? ": out of memory, perhaps; try fewer --jobs" : "");
  std::istringstream log(read_whole_file(folder.log(key)).value_or(""));
  std::string last;
  for (std::string line; std::getline(log, line);)
    if (!line.empty()) last = line;
  if (last.starts_with("sassim: ")) last.erase(0, std::strlen("sassim: "));
  if (last.empty())
    last = killed.empty() ? fmt::format("ended with status {} and no result", end.status) : killed;
  else if (!killed.empty())
    last = fmt::format("{}; its last words: {}", killed, last);
  return {last, end.status};
}

void run_points(const std::string& study_folder, const std::string& list) {
  const CampaignFolder folder(study_folder);
  const auto text = read_whole_file(list);
  if (!text) throw InputError("{}: no such list of points", list);
  std::istringstream keys(*text);
  for (std::string key; std::getline(keys, key);) {
    if (folder.has_result(key) || folder.failure(key)) continue;
    ChildProcess worker(worker_command("", folder, key), folder.log(key).string());
    const ProcessEnd end = worker.wait();
    if (!folder.has_result(key)) folder.write_failure(key, failure_of(folder, key, end));
  }
}

}  // namespace sassim::campaign
