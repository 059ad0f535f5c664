// SPDX-License-Identifier: Apache-2.0
// A file of format version 1 (tests/data/version-1, recorded from the program beside it) says what its remake in the
// present version says, and gives the same results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/trace/open.h"
#include "sim/trace/sast_file.h"
#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;

class Version1 : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome slice = sassim_run("trace slice " + old_ + " " + anew_);
    ASSERT_EQ(slice.status, 0) << slice.err;
  }
  static std::string result_of(const std::string& trace, const std::string& gpu, const std::string& json) {
    const Outcome run = sassim_run("run " + trace + " --config " + gpu + " --allow-arch-mismatch --json " + json);
    EXPECT_EQ(run.status, 0) << run.err;
    std::ifstream file(json);
    auto result = nlohmann::ordered_json::parse(file);
    for (auto& kernel : result.at("kernels"))
      for (const char* name : {"trace", "trace_hash"}) EXPECT_EQ(kernel.erase(name), 1u);
    return result.at("kernels").dump(1) + run.out;
  }

  TestFolder folder_;
  const std::string old_ = SASSIM_SOURCE_DIR "/tests/data/version-1/details.sast";
  const std::string anew_ = (folder_ / "anew.sast");
};

TEST_F(Version1, GivesTheResultsOfItsRemake) {
  ASSERT_EQ(trace::SastFile::open(old_)->version(), 1u);
  ASSERT_EQ(trace::SastFile::open(anew_)->version(), 2u);
  for (const char* gpu : {"h200", "v100", "t4"})
    EXPECT_EQ(result_of(old_, gpu, (folder_ / "old.json")), result_of(anew_, gpu, (folder_ / "anew.json"))) << gpu;
}

TEST_F(Version1, IsPrintedAsItsRemake) {
  const std::string options = " --limit 100000";
  const std::string text = sassim_run("trace dump " + old_ + options).out;
  EXPECT_EQ(text, sassim_run("trace dump " + anew_ + options).out);
  for (const char* said : {"BAR.SYNC R0, 0x20   [barrier 1 of 32 threads]", "[1 different masks]",
                           "[8 different values]", "NANOSLEEP R0   [200 ns]", "shared [expects 128 arrivals] 0xd00",
                           "[1 arrivals]", "[phase 0 over]", "[phase 1 over]", "shifted by 16 bytes"})
    EXPECT_THAT(text, HasSubstr(said));
}

TEST_F(Version1, HasItsDetailsCountedAndChecked) {
  for (const std::string& trace : {old_, anew_}) {
    const std::string info = sassim_run("trace info " + trace).out;
    for (const char* kind : {"block barrier", "warp-sync masks", "match values", "sleep", "copy shift",
                             "barrier set-up", "barrier arrivals", "phase test"})
      EXPECT_THAT(info, HasSubstr(kind)) << trace;
    const Outcome lint = sassim_run("trace lint " + trace + " --config h200");
    EXPECT_EQ(lint.status, 0) << lint.out;
  }
}

TEST_F(Version1, IsHardlyLargerAnew) {
  EXPECT_LE(trace::SastFile::open(anew_)->size(), trace::SastFile::open(old_)->size() * 11 / 10);
}

}  // namespace
}  // namespace sassim
