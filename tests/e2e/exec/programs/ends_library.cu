// SPDX-License-Identifier: Apache-2.0
// A library with device code: linked with the program (ENDS_LIBRARY is "linked"), or loaded by it ("loaded").
#include "ends.h"

static LaunchesAtItsEnd object(ENDS_LIBRARY "-object");
static LaunchesAtItsEnd& local() {
  static LaunchesAtItsEnd it(ENDS_LIBRARY "-local");
  return it;
}
__attribute__((destructor)) static void end() { launch_at(ENDS_LIBRARY "-destructor"); }

extern "C" void use_library() { local(); }
extern "C" void launch_in_library() { launch(); }
