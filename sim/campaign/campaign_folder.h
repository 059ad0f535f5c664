// SPDX-License-Identifier: Apache-2.0
// The files of a campaign, below the study's output folder:
//
//   campaign/journal            what happened, see journal.h
//   campaign/configs/HASH.yaml  each GPU once
//   campaign/points/KEY.json    what a worker needs to run the point
//   campaign/results/KEY.json   complete when the point is done
//   campaign/failures/KEY.json  why it failed, if it did
//   campaign/logs/KEY.log       what the worker of its last run wrote
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/campaign/point.h"

namespace sassim::campaign {

/// Of a result: XXH3 in hexadecimal digits.
std::string sum_of(const std::string& result);

struct Failure {
  std::string message;  ///< one line of text
  int status = 0;       ///< exit status of the worker; 128 + N if signal N killed it
};

/// Several processes may use it at once: every file appears complete.
class CampaignFolder {
 public:
  explicit CampaignFolder(const std::filesystem::path& study) : root_(std::filesystem::absolute(study) / "campaign") {}

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path journal() const { return root_ / "journal"; }
  std::filesystem::path log(const std::string& key) const { return root_ / "logs" / (key + ".log"); }

  /// Makes the folders and removes unfinished files of killed processes. Throws InputError.
  void prepare() const;

  /// Not flushed to disk: every start of a campaign writes its open points again.
  void write_point(const std::string& key, const Point& point) const;
  /// Throws InputError when the point was never written or its configuration does not match its hash.
  Point read_point(const std::string& key) const;

  /// Writes the result and, before it, its checksum: a result without a matching one is not what the point has written.
  void write_result(const std::string& key, const std::string& json) const;
  std::optional<std::string> result(const std::string& key) const;
  bool has_result(const std::string& key) const;
  /// The checksum that write_result() wrote; empty if there is none.
  std::string result_sum(const std::string& key) const;
  void remove_result(const std::string& key) const;

  void write_failure(const std::string& key, const Failure& failure) const;
  std::optional<Failure> failure(const std::string& key) const;
  /// Removes the record of an earlier failure before the point runs again.
  void clear_failure(const std::string& key) const;

 private:
  std::filesystem::path result_file(const std::string& key) const { return root_ / "results" / (key + ".json"); }
  std::filesystem::path sum_file(const std::string& key) const { return root_ / "results" / (key + ".xxh3"); }
  std::filesystem::path failure_file(const std::string& key) const { return root_ / "failures" / (key + ".json"); }
  std::filesystem::path point_file(const std::string& key) const { return root_ / "points" / (key + ".json"); }
  std::filesystem::path config_file(const std::string& hash) const { return root_ / "configs" / (hash + ".yaml"); }

  std::filesystem::path root_;
};

}  // namespace sassim::campaign
