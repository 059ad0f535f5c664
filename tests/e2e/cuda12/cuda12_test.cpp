// SPDX-License-Identifier: Apache-2.0
// Programs that CUDA 12.4 compiled, on T4, V100 and H200. They check their own results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/exec/exec.h"

namespace sassim {
namespace {

class Cuda12 : public testing::TestWithParam<const char*> {
 protected:
  Outcome run(const std::string& program, const std::string& options = "--functional") {
    return exec(options + " --config " + GetParam(), program);
  }
};

TEST_P(Cuda12, RuntimesNewFunctionsAndStructsWork) {
  for (const char* program : {"runtime", "runtime_new_launch", "runtime_ptx"}) {
    const Outcome outcome = run(program);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "called 21\nPASS\n") << program;
  }
}

TEST_P(Cuda12, MinimaAndMaximaAreThoseOfTheHost) {
  const Outcome outcome = run("dpx");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("PASS\n")) << outcome.out;
}

TEST(Cuda12Images, ForSm90aRunOnAnH200Alone) {
  const Outcome outcome = exec("--functional --config h200", "dpx_90a");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("PASS\n"));
  const Outcome other = exec("--functional --config t4", "dpx_90a");
  EXPECT_THAT(other.err, testing::HasSubstr("sm_90")) << other.out;
  EXPECT_NE(other.status, 0);
}

TEST(Cuda12Images, ProductsOfWarpGroupsHaveTheBitsOfAnH200) {
  const Outcome outcome = exec("--functional --config h200", "warp_group");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,  // as printed on an H200, driver 580.159.04, 2026-11-28
            "halves, 128-byte swizzle: right, worst 0.0e+00, bits dbc357df\n"
            "halves, no swizzle: right, worst 0.0e+00, bits 78d6a3ef\n"
            "halves, 64-byte swizzle: right, worst 0.0e+00, bits 41f39241\n"
            "halves, 32-byte swizzle: right, worst 0.0e+00, bits 593661d3\n"
            "A in registers: right, worst 0.0e+00, bits c663ecef\n"
            "both transposed: right, worst 0.0e+00, bits 6f8818ff\n"
            "negated: right, worst 0.0e+00, bits 2779027c\n"
            "the first product: right, worst 0.0e+00, bits c7a22c82\n"
            "bfloats: right, worst 0.0e+00, bits e3919e6a\n"
            "TF32: right, worst 0.0e+00, bits 4bed6b12\n"
            "bytes: right, worst 0.0e+00, bits 38e16d85\n"
            "eight-bit floats: right, worst 0.0e+00, bits 56d9e694\n"
            "half sums: right, worst 0.0e+00, bits 0d398b32\n"
            "PASS\n");
}

TEST_P(Cuda12, KernelsAreTimed) {
  const std::string result = testing::TempDir() + "cuda12-" + GetParam() + ".json";
  const Outcome outcome = run("histogram n=8192", "--json " + result);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("PASS")) << outcome.out;
  std::ifstream in(result);
  const auto kernels = nlohmann::json::parse(in).at("kernels");
  ASSERT_EQ(kernels.size(), 2u);
  for (const auto& kernel : kernels) EXPECT_GT(kernel.at("metrics").at("gpc__cycles_elapsed.max"), 1000);
  std::filesystem::remove(result);
}

TEST_P(Cuda12, TheDisassemblerThatWasUsedIsNamed) {
  const std::string host = testing::TempDir() + "cuda12-host-" + GetParam() + ".json";
  EXPECT_EQ(run("runtime", "--functional --host-json " + host).status, 0);
  std::ifstream in(host);
  EXPECT_EQ(nlohmann::json::parse(in).at("disassemblers"), nlohmann::json::array({SASSIM_CUDA12_NVDISASM}));
  std::filesystem::remove(host);
}

INSTANTIATE_TEST_SUITE_P(Gpus, Cuda12, testing::Values("t4", "v100", "h200"));

class Cuda12Corpus : public testing::TestWithParam<const char*> {};

/// "name hash=0123456789abcdef ok" by name; the value is "0123456789abcdef ok".
std::map<std::string, std::string> kernels_in(const std::string& text) {
  std::map<std::string, std::string> kernels;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find(" hash="); at != std::string::npos) kernels[line.substr(0, at)] = line.substr(at + 6);
  return kernels;
}

// What CUDA 11.8 compiled gave these bytes on an H200. The operations are exact, so other code gives them too.
TEST_P(Cuda12Corpus, GivesTheBytesOfAnH200) {
  std::ifstream file(SASSIM_BINARY_DIR "/unpacked/outputs/corpus_h200.json");
  const auto hardware = nlohmann::json::parse(file).at("programs").at(GetParam());
  const Outcome outcome = exec("--functional --config h200", GetParam());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto kernels = kernels_in(outcome.out);
  EXPECT_EQ(kernels.size(), hardware.size());
  for (const auto& [name, hash] : hardware.items())
    EXPECT_EQ(kernels.count(name) ? kernels.at(name) : "missing", hash.get<std::string>() + " ok") << name;
}

TEST_P(Cuda12Corpus, PassesItsOwnChecksOnOtherGpus) {
  for (const char* gpu : {"t4", "v100"}) {
    const Outcome outcome = exec(std::string("--functional --config ") + gpu, GetParam());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto kernels = kernels_in(outcome.out);
    EXPECT_GE(kernels.size(), 4u);
    for (const auto& [name, result] : kernels) EXPECT_THAT(result, testing::EndsWith(" ok")) << gpu << ": " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Cuda12Corpus,
                         testing::Values("integer", "control", "memory", "warp", "atomics", "algorithms"));

}  // namespace
}  // namespace sassim
