// SPDX-License-Identifier: Apache-2.0
// Reads the SASSIM_* variables by which `sassim exec` tells the runtime what to simulate.
#include "sim/cuda/session_options.h"

#include <cstdlib>
#include <sstream>

#include "sim/emu/core/memory_check.h"

namespace sassim::cuda {

namespace {

std::string environment(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

}  // namespace

std::string session_folder_from_environment() { return environment("SASSIM_SESSION"); }

SessionOptions options_from_environment() {
  SessionOptions session;
  session.config = environment("SASSIM_CONFIG");
  session.devices = static_cast<unsigned>(std::stoul(environment("SASSIM_DEVICES", "1")));
  std::istringstream further(environment("SASSIM_DEVICE_CONFIGS"));
  for (std::string line; std::getline(further, line);) session.further_configs.push_back(line);
  LaunchOptions& options = session.launches;
  options.session_dir = session_folder_from_environment();
  options.trace_dir = environment("SASSIM_SAVE_TRACES");
  options.timing = environment("SASSIM_TIMING", "1") != "0";
  if (environment("SASSIM_TIME_CHOSEN", "0") != "0")
    options.timed = LaunchWish{environment("SASSIM_KERNEL"), std::stoul(environment("SASSIM_LAUNCH_SKIP", "0")),
                               std::stoul(environment("SASSIM_LAUNCH_COUNT", "0"))};
  options.threads = static_cast<unsigned>(std::stoul(environment("SASSIM_THREADS", "1")));
  options.caches = environment("SASSIM_CACHES", "keep");
  options.series = std::stoul(environment("SASSIM_SERIES", "0"));
  options.sample = std::stod(environment("SASSIM_SAMPLE", "0"));
  options.mean = std::stod(environment("SASSIM_SAMPLE_LAUNCHES", "0"));
  options.max_instructions = std::stoull(environment("SASSIM_MAX_INSTRUCTIONS", "0"));
  options.live = live_kernels(environment("SASSIM_LIVE", "auto"));
  if (const std::string watchdog = environment("SASSIM_WATCHDOG"); !watchdog.empty())
    options.watchdog = std::stoull(watchdog);
  options.serial = environment("SASSIM_SERIAL", "0") != "0";
  options.reuse = environment("SASSIM_REUSE", "1") != "0";
  options.strict_memory = environment("SASSIM_STRICT_MEMORY", "0") != "0";
  if (environment("SASSIM_MEMCHECK", "0") != "0") emu::MemoryCheck::begin();
  options.progress_line = environment("SASSIM_PROGRESS", "0") != "0";
  options.mangled_names = environment("SASSIM_MANGLED", "0") != "0";
  return session;
}

}  // namespace sassim::cuda
