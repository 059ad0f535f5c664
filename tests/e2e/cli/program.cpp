// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/cli/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace sassim {

Outcome sassim_run(const std::string& arguments) {
  const auto errors = std::filesystem::temp_directory_path() / ("sassim_cli_" + std::to_string(getpid()) + ".err");
  const std::string program = SASSIM_BINARY_DIR "/sassim";
  const std::string line = "sassim() { " + program + " \"$@\"; }; { sassim " + arguments + "; } 2>" + errors.string();
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
