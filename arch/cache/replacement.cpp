// SPDX-License-Identifier: Apache-2.0
// What a replacement policy does in checkpoints if it does not write its own state: it ends them with an error.
#include "arch/cache/replacement.h"

#include "sim/base/error.h"

namespace sassim::arch {

void Replacement::save(StateWriter&) const {
  throw InputError("a replacement policy of this configuration cannot be saved in a checkpoint: it has no save()");
}

void Replacement::load(StateReader&) {
  throw InputError("a replacement policy of this configuration cannot be loaded from a checkpoint: it has no load()");
}

}  // namespace sassim::arch
