// SPDX-License-Identifier: Apache-2.0
#include "sim/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <mutex>

namespace sassim {

std::shared_ptr<spdlog::logger> logger(const std::string& component) {
  static std::mutex mutex;
  std::scoped_lock lock(mutex);
  if (auto existing = spdlog::get(component)) return existing;
  auto made = spdlog::stderr_color_mt(component);
  made->set_pattern("sassim: %n: %v");
  return made;
}

}  // namespace sassim
