// SPDX-License-Identifier: Apache-2.0
// Files from which a replay goes on where another one was. docs/checkpoints.md is the contract.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/report/result.h"

namespace sassim::replay {

/// What must be the same in the run that made a checkpoint and in the one that goes on from it.
struct CheckpointKey {
  std::string version;  ///< of the command, with its commit
  std::string gpu, config_hash;
  std::string caches;
  std::vector<std::string> traces;  ///< the hash of each kernel
};

struct Checkpoint {
  CheckpointKey key;
  std::uint64_t launch = 0;                ///< the kernel that runs, from 0
  std::uint64_t cycle = 0;                 ///< since its launch
  std::vector<report::KernelReport> done;  ///< of the launches before
  std::string state;                       ///< of the GPU: arch::RunOptions::resume
};

/// "TRACE-launch0-cycle5000-0123456789abcdef.checkpoint". The digits stand for the key: two files of one name hold the
/// same state. `trace`: the file or folder of the first kernel.
std::string checkpoint_name(const Checkpoint& checkpoint, const std::filesystem::path& trace);

/// The file is there in whole or not at all.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// Throws InputError for a file that is no checkpoint, is damaged or cut, or does not belong to `key`.
Checkpoint read_checkpoint(const std::filesystem::path& path, const CheckpointKey& key);

}  // namespace sassim::replay
