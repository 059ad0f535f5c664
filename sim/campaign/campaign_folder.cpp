// SPDX-License-Identifier: Apache-2.0
// Writes and reads the files of a study: GPUs, points, results with checksums, why points failed.
#include "sim/campaign/campaign_folder.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <nlohmann/json.hpp>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/config/dump.h"
#include "sim/config/loader.h"

namespace sassim::campaign {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

Json parse(const std::string& text, const fs::path& place) try {
  return Json::parse(text);
} catch (const nlohmann::json::exception& error) {
  throw InputError("{}: not JSON: {}; remove the file and run the command again", place.string(), error.what());
}

}  // namespace

std::string sum_of(const std::string& result) {
  return fmt::format("{:016x}", XXH3_64bits(result.data(), result.size()));
}

void CampaignFolder::prepare() const {
  for (const char* name : {"configs", "points", "results", "failures", "logs"}) {
    std::error_code error;
    fs::create_directories(root_ / name, error);
    if (error) throw InputError("{}: the folder cannot be made: {}", (root_ / name).string(), error.message());
    for (const auto& entry : fs::directory_iterator(root_ / name, error))
      if (entry.path().extension() == ".tmp") fs::remove(entry.path(), error);
  }
}

void CampaignFolder::write_point(const std::string& key, const Point& point) const {
  const std::string hash = config::config_hash(*point.config);
  if (!fs::exists(config_file(hash))) write_durably(config_file(hash), config::dump_yaml(*point.config));
  const Json json = {{"kind", point.kind},
                     {"config", hash},
                     {"workload", point.workload},
                     {"content", point.content},
                     {"label", point.label}};
  write_durably(point_file(key), json.dump(1) + "\n");
}

Point CampaignFolder::read_point(const std::string& key) const {
  const fs::path file = point_file(key);
  const auto text = read_whole_file(file);
  if (!text) throw InputError("{}: the file of this point does not exist or cannot be read", file.string());
  const Json json = parse(*text, file);
  Point point;
  try {
    point.kind = json.at("kind").get<std::string>();
    point.workload = json.at("workload").get<std::string>();
    point.content = json.at("content").get<std::string>();
    point.label = json.at("label").get<std::string>();
    const std::string hash = json.at("config").get<std::string>();
    auto gpu = std::make_shared<config::GpuConfig>(config::load_config(config_file(hash).string()));
    if (config::config_hash(*gpu) != hash)
      throw InputError("{}: the file has been changed; remove it and run the command again",
                       config_file(hash).string());
    point.config = std::move(gpu);
  } catch (const nlohmann::json::exception& error) {
    throw InputError("{}: not the description of a point: {}; remove the file and run the command again", file.string(),
                     error.what());
  }
  return point;
}

void CampaignFolder::write_result(const std::string& key, const std::string& json) const {
  write_durably(sum_file(key), sum_of(json));
  write_durably(result_file(key), json);
}

std::string CampaignFolder::result_sum(const std::string& key) const {
  return read_whole_file(sum_file(key)).value_or("");
}

std::optional<std::string> CampaignFolder::result(const std::string& key) const {
  return read_whole_file(result_file(key));
}

bool CampaignFolder::has_result(const std::string& key) const { return fs::exists(result_file(key)); }

void CampaignFolder::remove_result(const std::string& key) const {
  std::error_code ignored;
  fs::remove(result_file(key), ignored);
  fs::remove(sum_file(key), ignored);
}

void CampaignFolder::write_failure(const std::string& key, const Failure& failure) const {
  const Json json = {{"message", failure.message}, {"status", failure.status}};
  // `replace`: a message may quote bytes of a damaged input that are not UTF-8.
  write_durably(failure_file(key), json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<Failure> CampaignFolder::failure(const std::string& key) const {
  const auto text = read_whole_file(failure_file(key));
  if (!text) return std::nullopt;
  const Json json = parse(*text, failure_file(key));
  try {
    return Failure{json.value("message", ""), json.value("status", 0)};
  } catch (const nlohmann::json::exception& error) {
    throw InputError("{}: not the record of a failed point: {}; remove the file and run the command again",
                     failure_file(key).string(), error.what());
  }
}

void CampaignFolder::clear_failure(const std::string& key) const {
  std::error_code ignored;
  fs::remove(failure_file(key), ignored);
}

}  // namespace sassim::campaign
