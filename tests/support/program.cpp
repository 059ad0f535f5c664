// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#ifndef SASSIM_PRELOADED
#define SASSIM_PRELOADED ":"
#endif

namespace sassim {

Outcome run_command(const std::string& line) {
  const auto errors = std::filesystem::temp_directory_path() / ("sassim_test_" + std::to_string(getpid()) + ".err");
  Outcome outcome;
  FILE* pipe = popen(("{ " SASSIM_PRELOADED "; " + line + "; } 2>" + errors.string()).c_str(), "r");
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

Outcome sassim_run(const std::string& arguments) {
  return run_command("sassim() { " SASSIM_BINARY_DIR "/sassim \"$@\"; }; sassim " + arguments);
}

}  // namespace sassim
