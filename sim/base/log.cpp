// SPDX-License-Identifier: Apache-2.0
// Makes the loggers, which write messages such as "sassim: emu: ..." to standard error.
#include "sim/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <map>
#include <mutex>

namespace sassim {

std::shared_ptr<spdlog::logger> logger(const std::string& component) {
  static std::mutex mutex;
  // Not spdlog's own registry: it is destroyed while a program that ends may still call the CUDA runtime.
  static std::map<std::string, std::shared_ptr<spdlog::logger>> loggers;
  std::scoped_lock lock(mutex);
  std::shared_ptr<spdlog::logger>& known = loggers[component];
  if (!known) {
    known = std::make_shared<spdlog::logger>(component, std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    known->set_pattern("sassim: %n: %v");
  }
  return known;
}

}  // namespace sassim
