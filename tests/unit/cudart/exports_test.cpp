// SPDX-License-Identifier: Apache-2.0
// The names under which programs find the library, and the functions that they find in it.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "tests/unit/cudart/dynamic.h"

namespace sassim {
namespace {

TEST(Exports, BothInterfacesAreOneLibrary) {
  const std::filesystem::path driver = std::filesystem::path(SASSIM_CUDART).parent_path() / "libcuda.so.1";
  EXPECT_TRUE(std::filesystem::equivalent(driver, SASSIM_CUDART));
}

/// The loader finds a function only under the version that a program was linked with: that of CUDA's own library, and
/// for the driver, which has none, any.
TEST(Exports, FunctionsHaveTheVersionsOfCuda) {
  const Dynamic library = read_library();
  ASSERT_FALSE(library.exported.empty());
  for (const auto& [name, version] : library.exported) {
    if (name == version || version == "sassim") continue;  // the version itself; what libcudart.so.12 is made of
    const bool runtime = name.starts_with("cuda") || name.starts_with("__cuda") || name == "sc_main";
    EXPECT_TRUE(runtime || name.starts_with("cu")) << name;
    EXPECT_EQ(version, runtime ? "libcudart.so.11.0" : "libcuda.so.1") << name;
  }
}

#define SASSIM_ENTRY(name, version, symbol) #symbol,
#define SASSIM_ENTRY_PER_THREAD SASSIM_ENTRY
constexpr const char* kEntries[] = {
#include "sim/driver/entry_points.inc"
};

TEST(Exports, EveryFunctionOfTheDriverAnswers) {
  const Dynamic library = read_library();
  for (const char* name : kEntries) EXPECT_TRUE(library.exported.contains(name)) << name;
}

}  // namespace
}  // namespace sassim
