// SPDX-License-Identifier: Apache-2.0
// The save() and load() of a replacement policy that has none of its own: they end a checkpoint with an error.
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
