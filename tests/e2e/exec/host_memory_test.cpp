// SPDX-License-Identifier: Apache-2.0
// Memory of the host under kernels, resets of the device, and what a runtime answers at its edges, as an H200 does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;

using Answers = std::map<std::string, std::string>;

/// The lines "name: text" of known names; of all names if `known` is empty.
Answers answers(std::istream& lines, const Answers& known = {}) {
  Answers all;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, colon);
    if (known.empty() || known.contains(name)) all[name] = line.substr(colon + 2);
  }
  return all;
}

/// Where the runtime here answers otherwise than the H200 did, and what.
const Answers& differences() {
  // Handles and pointers from before a reset: CUDA leaves their use undefined, the H200 crashed or accepted them.
  static const Answers all = {
      {"reset-array-copy", "create Success; texture Success; reset Success; copy ContextIsDestroyed"},
      {"reset-array-free", "create Success; texture Success; reset Success; free ContextIsDestroyed"},
      {"reset-event-destroy", "create Success; reset Success; destroy ContextIsDestroyed"},
      {"reset-event-elapsed", "create Success; reset Success; elapsed ContextIsDestroyed"},
      {"reset-event-record", "create Success; reset Success; record ContextIsDestroyed"},
      {"reset-event-wait", "create Success; reset Success; wait ContextIsDestroyed"},
      {"reset-graph-exec-destroy", "capture Success; instantiate Success; reset Success; destroy InvalidValue"},
      {"reset-graph-instantiate", "capture Success; instantiate Success; reset Success; instantiate InvalidValue"},
      {"reset-graph-launch", "capture Success; instantiate Success; reset Success; launch InvalidValue"},
      {"reset-pinned-store", "pinned Success; reset Success; kernel IllegalAddress"},
      {"reset-pointer-copy", "reset Success; copy InvalidValue"},
      {"reset-pointer-fill", "reset Success; fill InvalidValue"},
      {"reset-pool",
       "pool Success; set Success; malloc Success; reset Success; pool Success; get Success; is 12345; free "
       "InvalidValue"},
      {"reset-stream-copy", "create Success; reset Success; copy InvalidResourceHandle"},
      {"reset-stream-destroy", "create Success; reset Success; destroy InvalidResourceHandle"},
      {"reset-stream-launch", "create Success; reset Success; kernel InvalidResourceHandle"},
      {"reset-stream-query", "create Success; reset Success; query InvalidResourceHandle"},
      {"reset-stream-synchronize", "create Success; reset Success; synchronize InvalidResourceHandle"},
      {"reset-thread", "value 0; kernel Success; reset Success; copy InvalidValue; last InvalidValue; kernel Success"},
      // Calls to no function: the H200 starts the kernel again, for ever.
      {"call-16", "kernel InvalidPc; malloc InvalidPc"},
      {"call-data", "kernel InvalidPc; malloc InvalidPc"},
      {"call-function-8", "symbol Success; kernel InvalidPc; copy InvalidPc; value -1"},
      {"call-high", "kernel InvalidPc; malloc InvalidPc"},
      {"call-low", "kernel InvalidPc; malloc InvalidPc"},
      {"call-nowhere-by-one-lane", "kernel InvalidPc"},
      // A GPU has the physical pages of registered memory, which live on. Here the memory is the program's own.
      {"copy-from-registered-unmapped", "register Success; copy InvalidValue; fill InvalidValue"},
      {"copy-to-registered-unmapped", "register Success; copy InvalidValue; fill InvalidValue"},
      {"registered-protected",
       "register Success; kernel IllegalAddress; value 3; load IllegalAddress; copy IllegalAddress; value -1; value "
       "-1; unregister IllegalAddress"},
      {"registered-read-only",
       "register Success; kernel IllegalAddress; value 3; load IllegalAddress; copy IllegalAddress; value -1; value "
       "-1; unregister IllegalAddress"},
      {"registered-unmapped",
       "register Success; kernel IllegalAddress; load IllegalAddress; copy IllegalAddress; value -1; copy "
       "IllegalAddress; value -1; unregister IllegalAddress"},
      {"register-page", "register Success; same page Success; adjacent Success; kernel Success; kernel IllegalAddress"},
      {"register-shared-file", "register Success; kernel Success; value 9"},  // the H200's file system forbade it
      // Sizes whose product has more than 64 bits.
      {"3d-rows-wrap", "3D InvalidValue; pointer null; pitch 512; width 8; height 9"},
      // The size of the buffer for printf depends on the chip there.
      {"reset-settings",
       "default 1024; set Success; default 1048576; set Success; default 8388608; set Success; cache Success; reset "
       "Success; get Success; is 1024; get Success; is 1048576; get Success; is 8388608; cache Success; is 0; device "
       "Success; is 0"},
  };
  return all;
}

TEST(ExecEdges, TheRuntimeAnswersAsAnH200) {
  std::ifstream file(SASSIM_BINARY_DIR "/unpacked/outputs/runtime_edges_h200.txt");
  const Answers recorded = answers(file);
  ASSERT_GT(recorded.size(), 140u);
  const Outcome outcome = exec("--functional --allow-faults --config h200 -o sm.count=2", "runtime_edges");
  std::istringstream lines(outcome.out);
  const Answers here = answers(lines, recorded);
  for (const auto& [name, answer] : recorded) {
    SCOPED_TRACE(name);
    const auto other = differences().find(name);
    const auto found = here.find(name);
    ASSERT_NE(found, here.end()) << outcome.out << outcome.err;
    // Other processes of the system may have taken the place where a page was: then it is known that it is gone.
    if (name == "registered-replaced") continue;
    // The C library may keep freed memory, which the kernel then reaches, or give it back to the system.
    if (name == "registered-freed") {
      EXPECT_THAT(found->second, testing::AnyOf(answer, "register Success; kernel IllegalAddress"));
      continue;
    }
    // What a failed cudaStreamCreate leaves in its handle, and calls that do nothing, differ there.
    if (name.starts_with("sticky")) {
      EXPECT_THAT(found->second,
                  HasSubstr("device Success; set device Success; properties Success; attribute Success"));
      EXPECT_THAT(found->second, testing::Not(HasSubstr("malloc Success")));
      continue;
    }
    EXPECT_EQ(found->second, other == differences().end() ? answer : other->second);
  }
}

// An H200 starts the kernel again, for ever (h200/launches.md#runtime-limits).
TEST(ExecEdges, ACallOfANullFunctionPointerIsAFault) {
  for (const char* config : {"v100", "h200"}) {
    const Outcome outcome = exec(std::string("--functional --config ") + config, "null_call");
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("cudaErrorInvalidPc; the kernel began once"));
    EXPECT_THAT(outcome.err, HasSubstr("call of a null function pointer"));
  }
}

std::string file(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The system places the program's memory elsewhere in every run.
TEST(ExecEdges, ResultsDoNotDependOnWhereTheHostPlacesMemory) {
  TestFolder folder;
  for (const char* mode : {"run registered", "run thread", "run stack", "run pinned", "run managed", "run variable",
                           "fault stack", "fault heap", "fault static", "fault behind"}) {
    SCOPED_TRACE(mode);
    std::string first;
    for (const int threads : {1, 2, 7, 1}) {
      // The program's heap is not the same either: the simulator allocates from it too.
      setenv("HOST_PAGES_BEFORE", std::to_string(4096 + 16 * threads).c_str(), 1);
      const std::filesystem::path json = folder.path() / "result.json";
      const Outcome outcome = exec("--config v100 -o sm.count=4 --allow-faults --threads " + std::to_string(threads) +
                                       " --json " + json.string(),
                                   std::string("host_pages ") + mode);
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      const std::string result = outcome.out + outcome.err + file(json);
      if (first.empty()) first = result;
      EXPECT_EQ(result, first);
      const bool faults = std::string(mode).starts_with("fault");
      EXPECT_THAT(outcome.out, HasSubstr(faults ? "cudaErrorIllegalAddress" : "cudaSuccess"));
      if (faults) {
        EXPECT_THAT(result,
                    testing::AnyOf(HasSubstr("an address of the host"), HasSubstr("0 bytes behind host memory 1")));
      }
    }
  }
}

// Each round is as the first: variables have their first values, and kernels find what they found then.
TEST(ExecEdges, ADeviceThatWasResetIsAsNew) {
  TestFolder folder;
  const std::filesystem::path json = folder.path() / "result.json";
  const Outcome outcome = exec("--config v100 -o sm.count=4 --json " + json.string(), "resets rounds");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::string expected;
  for (int round = 0; round < 3; ++round)
    expected += "results 6 6, managed " + std::to_string(2 + round) +
                "\nold memory: cudaErrorInvalidValue\nold stream: cudaErrorInvalidResourceHandle\n";
  EXPECT_THAT(outcome.out, testing::StartsWith(expected));
  const nlohmann::json result = nlohmann::json::parse(file(json));
  EXPECT_TRUE(result["complete"]);
  ASSERT_EQ(result["kernels"].size(), 12u) << "pending work is finished";
  for (std::size_t kernel = 0; kernel < 12; ++kernel)
    EXPECT_EQ(result["kernels"][kernel]["metrics"]["gpc__cycles_elapsed.max"],
              result["kernels"][kernel % 4]["metrics"]["gpc__cycles_elapsed.max"])
        << kernel;
}

TEST(ExecEdges, ThreadsMayResetTheDeviceAtAnyTime) {
  const Outcome outcome = exec("--functional --config v100 -o sm.count=2", "resets threads");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("results 6 6"));
}

}  // namespace
}  // namespace sassim
