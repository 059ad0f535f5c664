// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/exec/exec.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace sassim {

Outcome exec(const std::string& options, const std::string& program) {
  const auto errors = std::filesystem::temp_directory_path() / ("sassim_exec_" + std::to_string(getpid()) + ".err");
  const std::string line =
      SASSIM_BINARY_DIR "/sassim exec " + options + " -- " SASSIM_PROGRAMS "/" + program + " 2>" + errors.string();
  Outcome outcome;
  FILE* pipe = popen(line.c_str(), "r");
  if (!pipe) return outcome;
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.out.append(buffer, n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  std::ifstream stream(errors);
  outcome.err.assign(std::istreambuf_iterator<char>(stream), {});
  std::filesystem::remove(errors);
  return outcome;
}

}  // namespace sassim
