// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12 has the names of CUDA 12's runtime, under its version, and no state of its own.
#ifdef SASSIM_CUDART12
#include <gmock/gmock.h>

#include <fstream>

#include "tests/unit/cudart/dynamic.h"

namespace sassim {
namespace {

std::set<std::string> names_of_cuda12() {
  std::set<std::string> names;
  std::ifstream in(SASSIM_SOURCE_DIR "/sim/cuda/runtime12/names");
  for (std::string name; std::getline(in, name);) names.insert(name);
  return names;
}

TEST(Runtime12, HasTheNamesOfCuda12) {
  std::set<std::string> exported;
  for (const auto& [name, version] : read_library(SASSIM_CUDART12).exported) {
    EXPECT_EQ(version, "libcudart.so.12") << name;
    if (name != version) exported.insert(name);
  }
  EXPECT_GT(exported.size(), 400u);
  EXPECT_THAT(exported, testing::ContainerEq(names_of_cuda12()));
}

TEST(Runtime12, LeadsIntoTheLibraryThatHasTheState) {
  const Dynamic library = read_library(SASSIM_CUDART12), state = read_library();
  EXPECT_THAT(library.libraries, testing::Contains("libcudart.so.11.0"));
  for (const std::string& wanted : library.wanted) {
    const bool ours = wanted.starts_with("cuda") || wanted.starts_with("__cuda") || wanted.starts_with("sassim");
    EXPECT_TRUE(!ours || state.exported.contains(wanted)) << wanted;
  }
}

}  // namespace
}  // namespace sassim
#endif
