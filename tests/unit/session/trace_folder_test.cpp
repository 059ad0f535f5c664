// SPDX-License-Identifier: Apache-2.0
#include "sim/session/trace_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sassim::session {
namespace {

namespace fs = std::filesystem;

class TraceFolderTest : public ::testing::Test {
 protected:
  TraceFolderTest() { fs::remove_all(folder); }
  ~TraceFolderTest() override { fs::remove_all(folder); }

  const fs::path folder = fs::path(::testing::TempDir()) / ("sassim-trace-folder-" + std::to_string(getpid()));
};

TEST_F(TraceFolderTest, ARunNextToAnotherGetsASubfolder) {
  const TraceFolder first(folder), second(folder);
  EXPECT_EQ(first.path(), folder);
  EXPECT_EQ(second.path(), folder / "run-2");
}

TEST_F(TraceFolderTest, ASubfolderOfAnotherRunDoesNotTakeTheFolder) {
  fs::create_directories(folder / "run-2");
  EXPECT_EQ(TraceFolder(folder).path(), folder) << "the other run found it locked, and was faster";
}

TEST_F(TraceFolderTest, AFolderWithTracesIsTaken) {
  fs::create_directories(folder);
  std::ofstream(folder / "0000-add.sast") << "a trace";
  EXPECT_EQ(TraceFolder(folder).path(), folder / "run-2");
}

}  // namespace
}  // namespace sassim::session
