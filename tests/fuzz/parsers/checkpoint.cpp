// SPDX-License-Identifier: Apache-2.0
// A checkpoint as it lies on the disk.
#include "sim/replay/checkpoint.h"

#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_checkpoint_file(Bytes input) {
  const InputFile file(input);
  // The seeds were written with this key.
  replay::read_checkpoint(file.path(), {"fuzz", "gpu", "hash", "cold", {"one", "two", "three"}});
}

const Register checkpoint_parser("checkpoint", read_checkpoint_file);

}  // namespace
}  // namespace sassim::fuzz
