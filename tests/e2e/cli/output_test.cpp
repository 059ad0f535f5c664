// SPDX-License-Identifier: Apache-2.0
// Result files: whole or as they were, and never an input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sim/base/durable_file.h"
#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;

class Output : public testing::Test {
 protected:
  Output() { std::filesystem::copy_file(SASSIM_SOURCE_DIR "/traces/sm_70/vector_add.sast", trace_); }

  std::string run(const std::string& options) const {
    return "run " + trace_ + " --config v100 -o sm.count=2 --lines 0 " + options;
  }

  TestFolder folder_;
  const std::string trace_ = folder_ / "a.sast";
};

TEST_F(Output, AnInputIsNotOverwritten) {
  const auto before = read_whole_file(trace_);
  for (const std::string& line :
       {run("--json " + trace_), run("--csv " + trace_), "trace slice " + trace_ + " " + trace_ + " --blocks 0",
        "trace info " + trace_ + " --json " + trace_}) {
    const Outcome outcome = sassim_run(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr("is read by this command")) << line;
    EXPECT_EQ(read_whole_file(trace_), before) << line;
  }
  EXPECT_EQ(sassim_run(run("--json " + (folder_ / "x") + " --csv " + (folder_ / "x"))).status, 2);
}

TEST_F(Output, AFileThatCannotBeWrittenInWholeStaysAsItWas) {
  const std::string json = folder_ / "result.json";
  write_durably(json, "good");
  const Outcome outcome = run_command("ulimit -f 4; " SASSIM_BINARY_DIR "/sassim " + run("--json " + json));
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(json + ": cannot be written: File too large; raise the limit of file sizes"));
  EXPECT_EQ(read_whole_file(json), "good");
  EXPECT_THAT(sassim_run(run("--json " + (folder_ / "none/result.json"))).err, HasSubstr("make the folder"));
  EXPECT_THAT(sassim_run(run("--json /dev/full")).err, HasSubstr("No space left on device"));
}

TEST_F(Output, StandardOutputIsAFileToo) {
  const Outcome outcome = sassim_run(run("--json /dev/stdout | head -n 2"));
  EXPECT_EQ(outcome.out, "{\n\"schema\": \"sassim-result/1\",\n");
}

}  // namespace
}  // namespace sassim
