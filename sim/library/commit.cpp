// SPDX-License-Identifier: Apache-2.0
// The commit and the version of this library. Only this file knows the commit: with another one it is compiled anew.
#include "commit.h"  // made by tools/cmake/WriteCommit.cmake

#include <sassim/version.h>

#include "sim/library/built_from.h"

#define SASSIM_NAME(major, minor, patch) sassim_library_of_version_##major##_##minor##_##patch
#define SASSIM_NAME_OF(major, minor, patch) SASSIM_NAME(major, minor, patch)

extern "C" const char SASSIM_NAME_OF(SASSIM_VERSION_MAJOR, SASSIM_VERSION_MINOR,
                                     SASSIM_VERSION_PATCH)[] = SASSIM_VERSION;

namespace sassim::library {
std::string_view built_from() { return SASSIM_COMMIT; }
}  // namespace sassim::library
