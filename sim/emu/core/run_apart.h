// SPDX-License-Identifier: Apache-2.0
// Runs the blocks of a launch at the same time on several threads, if their order changes nothing.
#pragma once

namespace sassim::emu {

struct Grid;

/// True if all blocks have run, with the results and the record of the plain order. False if nothing has happened: the
/// code says that the order of blocks matters, or the blocks' accesses did (apart_watch.h), or a block failed, printed,
/// changed nothing for a whole turn, or needs more than a turn while blocks are recorded in order. Memory is then as it
/// was before the launch.
bool run_apart(Grid& grid);

}  // namespace sassim::emu
