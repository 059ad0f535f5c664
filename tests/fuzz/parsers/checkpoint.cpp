// SPDX-License-Identifier: Apache-2.0
// Checkpoints.
#include "sim/replay/checkpoint.h"

#include "sim/base/state_archive.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_checkpoint_file(Bytes input) {
  const InputFile file(input);
  // The seeds were written with this key.
  replay::read_checkpoint(file.path(), {"fuzz", "gpu", "hash", "cold", {"one", "two", "three"}});
}

const Register checkpoint_parser("checkpoint", "A checkpoint as it lies on the disk", read_checkpoint_file);

void read_checkpoint_content(Bytes input) {
  StateReader from(text_of(input));
  replay::Checkpoint checkpoint;
  from(checkpoint);
  if (!from.at_end()) from.damaged("there is more than a checkpoint");
}

const Register checkpoint_content_parser(
    "checkpoint_content",
    "What the checksums of a checkpoint protect: its key, the results of the kernels before, and the state",
    read_checkpoint_content);

}  // namespace
}  // namespace sassim::fuzz
