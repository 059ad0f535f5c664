// SPDX-License-Identifier: Apache-2.0
// Runs many simulations (points) of a study, each in its own process, and records on disk which are done. If it is
// killed at any moment, only the running points are lost: the same campaign started again runs what is missing.
//
//   std::vector<Point> points = ...;                      // see point.h
//   CampaignOptions options{.folder = out, .jobs = 2};
//   CampaignOutcome outcome = run_campaign(points, options);
//   for (const PointOutcome& point : outcome.points)      // in the order of `points`
//     if (point.state == PointState::done) read(point.result);
//
// A worker is this program, started as `sassim point FOLDER KEY`; it finds the point's PointKind by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/campaign/point.h"

namespace sassim::campaign {

struct CampaignProgress {
  std::size_t total = 0, done = 0, failed = 0, running = 0;
  double seconds_left = 0;  ///< negative: not known yet
};

struct SlurmOptions {
  std::vector<std::string> arguments;  ///< options for sbatch, such as "--partition=long"
  unsigned chunk = 0;                  ///< points per array task; 0: as many as keep the array within Slurm's limit
  double poll_seconds = 5;
};

struct CampaignOptions {
  std::string folder;              ///< the study's folder; the campaign's files go to its subfolder campaign/
  std::string executor = "local";  ///< local or slurm
  unsigned jobs = 0;               ///< points that run at a time; 0: one per processor
  std::uint64_t memory = 0;        ///< bytes that all points together may use; 0: the available memory
  SlurmOptions slurm;
  std::string program;  ///< the program that runs `point FOLDER KEY`; empty: this one
  std::function<void(const CampaignProgress&)> progress;
  std::function<void(const CampaignProgress&)> snapshot;  ///< called when SIGUSR1 asks for a snapshot
  std::function<void(const std::string& line)> tell;      ///< receives lines for the user, such as a failed point
};

enum class PointState : std::uint8_t { done, failed, missing };

struct PointOutcome {
  std::string key;
  PointState state = PointState::missing;  ///< missing: the campaign stopped before the point ran
  std::string result;                      ///< JSON, when done
  std::string error, log;                  ///< one line and a file, when failed
};

struct CampaignOutcome {
  std::vector<PointOutcome> points;             ///< one per given point, in the given order
  std::size_t ran = 0, reused = 0, failed = 0;  ///< counts of different points: equal points run once
  int interrupted = 0;                          ///< the signal that stopped the campaign; 0: none
};

/// Points that failed in an earlier run run again; finished points do not. Throws InputError when the folder cannot be
/// used or another process works on it.
CampaignOutcome run_campaign(const std::vector<Point>& points, const CampaignOptions& options);

/// The work of a worker: simulates one point of a campaign and writes its result.
void run_point(const std::string& study_folder, const std::string& key);

/// Runs the points whose keys are the lines of `list`, one after the other, each in its own worker. The campaign finds
/// failures by their files.
void run_points(const std::string& study_folder, const std::string& list);

}  // namespace sassim::campaign
