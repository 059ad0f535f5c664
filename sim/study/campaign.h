// SPDX-License-Identifier: Apache-2.0
// Runs many points, each in a process of its own, and remembers on disk what is done: killing everything at any moment
// loses nothing but the points that were being simulated, and running the same campaign again goes on.
//
//   std::vector<Point> points = ...;                      // see point.h
//   CampaignOptions options{.folder = out, .jobs = 2};
//   CampaignOutcome outcome = run_campaign(points, options);
//   for (const PointOutcome& point : outcome.points)      // in the order of `points`
//     if (point.state == PointState::done) read(point.result);
//
// A worker is this same program, started as `sassim point FOLDER KEY`; it finds the point's PointKind by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/point.h"

namespace sassim::study {

struct CampaignProgress {
  std::size_t total = 0, done = 0, failed = 0, running = 0;
  double seconds_left = 0;  ///< below 0: not known yet
};

struct SlurmOptions {
  std::vector<std::string> arguments;  ///< for sbatch, such as "--partition=long"
  unsigned chunk = 0;                  ///< points per array task; 0: as many as make the array fit
  double poll_seconds = 5;
};

struct CampaignOptions {
  std::string folder;              ///< of the study; everything goes to its subfolder campaign/
  std::string executor = "local";  ///< or slurm
  unsigned jobs = 0;               ///< points at a time; 0: one per processor
  std::uint64_t memory = 0;        ///< bytes that they may use together; 0: what is available
  SlurmOptions slurm;
  std::string program;  ///< that runs `point FOLDER KEY`; empty: this one
  std::function<void(const CampaignProgress&)> progress;
  std::function<void(const CampaignProgress&)> snapshot;  ///< SIGUSR1 asked for it
  std::function<void(const std::string& line)> tell;      ///< a failed point, points that wait for memory, ...
};

enum class PointState : std::uint8_t { done, failed, missing };

struct PointOutcome {
  std::string key;
  PointState state = PointState::missing;  ///< missing: stopped before its turn came
  std::string result;                      ///< JSON, when done
  std::string error, log;                  ///< one line and a file, when failed
};

struct CampaignOutcome {
  std::vector<PointOutcome> points;             ///< one per point given, in order
  std::size_t ran = 0, reused = 0, failed = 0;  ///< of different points: equal ones run once
  int interrupted = 0;                          ///< by this signal; 0: it was not
};

/// Points that failed in an earlier run are tried again, finished ones are not. Throws InputError when the folder
/// cannot be used or another process works on it.
CampaignOutcome run_campaign(const std::vector<Point>& points, const CampaignOptions& options);

/// What a worker does: simulates one point of a campaign and leaves its result.
void run_point(const std::string& study_folder, const std::string& key);

/// Runs the points whose keys are the lines of `list`, one after the other, each in a worker; failures are left for the
/// campaign to find.
void run_points(const std::string& study_folder, const std::string& list);

}  // namespace sassim::study
