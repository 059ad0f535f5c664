// SPDX-License-Identifier: Apache-2.0
#include "sim/base/output_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Outputs : public ::testing::Test {
 protected:
  Outputs() { write_durably(trace_, "trace"); }

  ExitStatus check(const std::vector<NamedFile>& outputs) {
    try {
      check_outputs({trace_, folder_ / "missing"}, outputs);
    } catch (const Error& error) {
      message_ = error.what();
      return error.status();
    }
    return ExitStatus::done;
  }

  TestFolder folder_;
  const std::string trace_ = folder_ / "a.sast";
  std::string message_;
};

TEST_F(Outputs, AnInputIsNotOverwrittenUnderAnyOfItsNames) {
  fs::create_symlink("a.sast", folder_ / "link");
  fs::create_hard_link(trace_, folder_ / "hard");
  fs::create_directory(folder_ / "sub");
  for (const char* name : {"a.sast", "link", "hard", "sub/../a.sast"}) {
    EXPECT_EQ(check({{"--json", folder_ / name}}), ExitStatus::usage) << name;
    EXPECT_THAT(message_, HasSubstr("is read by this command")) << name;
  }
  EXPECT_EQ(check({{"--json", folder_ / "b.json"}}), ExitStatus::done);
}

TEST_F(Outputs, TwoOutputsAreTwoFiles) {
  EXPECT_EQ(check({{"--json", folder_ / "x"}, {"--csv", folder_ / "y"}}), ExitStatus::done);
  EXPECT_EQ(check({{"--json", folder_ / "x"}, {"--csv", folder_ / "./x"}}), ExitStatus::usage);
  EXPECT_THAT(message_, HasSubstr("--json writes the same file"));
  fs::create_symlink("x", folder_ / "link");  // to what is not there yet
  EXPECT_EQ(check({{"--json", folder_ / "x"}, {"--csv", folder_ / "link"}}), ExitStatus::usage);
  EXPECT_EQ(check({{"--json", "/dev/null"}, {"--csv", "/dev/null"}}), ExitStatus::done);
  EXPECT_EQ(check({{"--json", ""}, {"--csv", ""}}), ExitStatus::done);
}

TEST_F(Outputs, WhatCannotBeWrittenIsSaidAtTheBeginning) {
  EXPECT_EQ(check({{"--json", folder_ / "none/x"}}), ExitStatus::bad_input);
  EXPECT_THAT(message_, HasSubstr("make the folder"));
}

}  // namespace
}  // namespace sassim
