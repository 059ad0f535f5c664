// SPDX-License-Identifier: Apache-2.0
// Asks the operating system for this process's cores and for the quota of its control group, version 1 or 2.
#include "sim/base/cores.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

namespace sassim {

namespace {

/// Empty if there is no such file.
std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Of this process's mask, which hardware_concurrency() does not ask for.
unsigned allowed_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return static_cast<unsigned>(CPU_COUNT(&allowed));
  return std::max(std::thread::hardware_concurrency(), 1u);
}

}  // namespace

unsigned quota_cores(std::string_view quota) {
  std::istringstream in{std::string(quota)};
  long long time = 0, period = 0;
  if (!(in >> time >> period) || time <= 0 || period <= 0) return 0;
  return static_cast<unsigned>(std::min((time - 1) / period + 1, 1'000'000LL));
}

unsigned usable_cores() {
  unsigned cores = allowed_cores();
  for (const std::string& quota :
       {text_of("/sys/fs/cgroup/cpu.max"),
        text_of("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") + text_of("/sys/fs/cgroup/cpu/cpu.cfs_period_us")})
    if (const unsigned allowed = quota_cores(quota); allowed != 0) cores = std::min(cores, allowed);
  return cores;
}

unsigned threads_on_cores(unsigned asked) { return std::min(asked, usable_cores()); }

}  // namespace sassim
