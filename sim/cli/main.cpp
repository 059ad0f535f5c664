// SPDX-License-Identifier: Apache-2.0
// main() of the `sassim` command.
#include "commit.h"  // made by tools/cmake/WriteCommit.cmake
#include "sim/cli/command_line.h"

int main(int argc, char** argv) { return sassim::cli::run(argc, argv, SASSIM_COMMIT); }
