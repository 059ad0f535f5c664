// SPDX-License-Identifier: Apache-2.0
// A program may call the runtime until its very end, so nothing of libcudart may be destroyed before
// (sim/cuda/undestroyed.cpp).
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "tests/unit/cudart/dynamic.h"

namespace sassim {
namespace {

TEST(Undestroyed, NoStaticObjectOfTheRuntimeIsDestroyedAtExit) {
  const Dynamic library = read_library();
  ASSERT_TRUE(library.wanted.contains("on_exit")) << "the symbols were not read";
  EXPECT_FALSE(library.wanted.contains("__cxa_atexit"));
  // A thread-local object with a destructor is gone in the destructors of the program's own thread-local objects.
  EXPECT_FALSE(library.wanted.contains("__cxa_thread_atexit"));
  EXPECT_FALSE(library.wanted.contains("__cxa_thread_atexit_impl"));
}

TEST(Undestroyed, TheRuntimeStaysWhenAProgramUnloadsItsLibraries) { EXPECT_TRUE(read_library().stays); }

/// Static objects of other libraries are destroyed at exit. A new library joins this list after a look at its own:
/// which does the runtime use after it has begun?
TEST(Undestroyed, TheLibrariesThatItNeedsAreKnown) {
  constexpr std::array kKnown = {
      // No static object has a destructor.
      "liblz4.", "libzstd.", "liblzma.", "libz.", "libxxhash.", "libelf.", "libre2.", "libfmt.", "libstdc++.", "libm.",
      "libgcc_s.", "libc.", "ld-linux",
      // Its configuration is read when the session begins, and never again.
      "libyaml-cpp.",
      // The registry of loggers is not used (sim/base/log.cpp).
      "libspdlog.",
      // Those of TLM, of data types and of traces are not used; the others are destroyed after the runtime's end.
      "libsystemc",
      // Instruments a build of tools/lab/sanitize.
      "libasan.", "libubsan.", "libtsan."};
  for (const std::string& name : read_library().libraries)
    EXPECT_TRUE(std::ranges::any_of(kKnown, [&](std::string_view known) { return name.starts_with(known); })) << name;
}

}  // namespace
}  // namespace sassim
