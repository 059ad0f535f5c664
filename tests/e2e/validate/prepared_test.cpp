// SPDX-License-Identifier: Apache-2.0
// The prepared microbenchmarks, which need no CUDA.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

const std::string kData = SASSIM_SOURCE_DIR "/validation";

nlohmann::json read_json(const std::string& path) { return nlohmann::json::parse(std::ifstream(path)); }

TEST(Prepared, WasMadeFromTheSourcesAsTheyAre) {
  EXPECT_EQ(std::system((kData + "/build --check").c_str()), 0) << "validation/build --prepare makes it anew";
}

// What was within tolerance when the summary was recorded must be so still.
class Quick : public testing::TestWithParam<const char*> {};

TEST_P(Quick, NothingHasFallenOutOfTolerance) {
  const std::string gpu = GetParam();
  const TestFolder folder;
  const Outcome run =
      run_command("cd " + folder.path().string() + " && " SASSIM_BINARY_DIR "/sassim validate --config " + gpu +
                  " --prepared --subset quick --data " + kData + " --out " + (folder / "out"));
  ASSERT_TRUE(run.status == 0 || run.status == 1) << run.out << run.err;
  std::set<std::string> outside;
  const nlohmann::json summary = read_json(kData + "/results/summaries.json").at(gpu);
  for (const auto& id : summary["out_of_tolerance"]) outside.insert(id.get<std::string>());
  const nlohmann::json targets = read_json(folder / "out/validation.json")["targets"];
  EXPECT_GT(targets.size(), 45u) << run.out;
  for (const auto& target : targets) {
    if (target.contains("contradiction")) continue;
    EXPECT_TRUE(target["within"].get<bool>() || outside.contains(target["id"].get<std::string>()))
        << target.dump() << " was within tolerance before; if that is meant: sassim validate --record";
  }
}

// What the configuration states is compared like what a program prints.
TEST(Stated, AWrongValueInTheConfigurationFails) {
  const TestFolder folder;
  const auto validate = [&](const std::string& change) {
    return run_command("cd " + folder.path().string() +
                       " && " SASSIM_BINARY_DIR "/sassim validate --config t4 --prepared --only t4.l2.size --data " +
                       kData + change);
  };
  const Outcome right = validate("");
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("read back: 1 of 1 row within tolerance"), std::string::npos) << right.out;
  const Outcome wrong = validate(" -o memory.l2.size=3MiB");
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
  EXPECT_NE(wrong.out.find("read back: 0 of 1 row within tolerance"), std::string::npos) << wrong.out;
}

// A run of a part, or without programs, does not take the place of what was measured.
TEST(Record, AnswersAreNotLost) {
  const TestFolder folder;
  ASSERT_EQ(run_command("cd " + folder.path().string() + " && mkdir results && cp -r " + kData + "/build " + kData +
                        "/published " + kData + "/programs " + kData + "/known-gaps.yaml .")
                .status,
            0);
  const auto record = [&](const std::string& only) {
    return run_command("cd " + folder.path().string() +
                       " && " SASSIM_BINARY_DIR "/sassim validate --config t4 --prepared --data . --record --only " +
                       only);
  };
  const std::string file = folder / "results/summaries.json";
  ASSERT_LE(record(".size").status, 1);
  const nlohmann::json before = read_json(file);
  ASSERT_GT(before["t4"]["all"]["echo"]["rows"].get<int>(), 1);
  const Outcome part = record("t4.l2.size");
  EXPECT_EQ(part.status, 3);
  EXPECT_NE(part.err.find("rows with an answer are 1, and were 2 when t4"), std::string::npos) << part.err;
  EXPECT_EQ(read_json(file), before);
}

// An SM of a T4 has two FP64 lanes: a loop that loads and adds 64 bits gets 16 bytes per cycle, less than the T4 report
// measured with its loop of 32 bits.
TEST(Prepared, TheFp64LanesDoNotBoundTheL2RowOfAT4) {
  const TestFolder folder;
  const Outcome run =
      run_command("cd " + folder.path().string() +
                  " && " SASSIM_BINARY_DIR "/sassim validate --config t4 --prepared --only t4.l2.bw --data " + kData +
                  " -o sm.count=1 --out " + (folder / "out"));
  ASSERT_EQ(run.status, 1) << run.out << run.err;  // one SM is too few for the row
  const nlohmann::json targets = read_json(folder / "out/validation.json")["targets"];
  ASSERT_EQ(targets.size(), 1u) << run.out;
  const double clock_ghz = 1.59, fp64_lanes = 2, bytes = 8;
  EXPECT_GT(targets[0]["simulated"].get<double>(), 1.5 * clock_ghz * fp64_lanes * bytes) << targets[0].dump();
}

INSTANTIATE_TEST_SUITE_P(Prepared, Quick, testing::Values("v100", "t4"));

}  // namespace
}  // namespace sassim
