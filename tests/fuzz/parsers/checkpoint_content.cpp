// SPDX-License-Identifier: Apache-2.0
// What the checksums of a checkpoint protect: its key, the results of the kernels before, and the state.
#include "sim/base/state_archive.h"
#include "sim/replay/checkpoint.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_checkpoint_content(Bytes input) {
  StateReader from(text_of(input));
  replay::Checkpoint checkpoint;
  from(checkpoint);
  if (!from.at_end()) from.damaged("there is more than a checkpoint");
}

const Register checkpoint_content_parser("checkpoint_content", read_checkpoint_content);

}  // namespace
}  // namespace sassim::fuzz
