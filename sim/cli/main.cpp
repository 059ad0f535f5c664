// SPDX-License-Identifier: Apache-2.0
// main() of the `sassim` command.
#include "arch/common/simulation_context.h"
#include "commit.h"  // made by tools/cmake/WriteCommit.cmake
#include "sim/cli/command_line.h"

int main(int argc, char** argv) {
  sassim::arch::give_back_systemc_heap();
  return sassim::cli::run(argc, argv, SASSIM_COMMIT);
}
