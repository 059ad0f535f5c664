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

TEST_P(Cuda12, KernelsLaunchKernels) {
  const Outcome outcome = run("device_launch");
  EXPECT_EQ(outcome.out, "children ok\n") << outcome.err;
  EXPECT_EQ(run("device_launch wait").out, "order ok\n");
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

TEST(Cuda12Images, CopiesOfTensorsHaveTheBytesOfAnH200) {
  const Outcome outcome = exec("--functional --config h200", "tensor_copies");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const char* const printed =  // on an H200, driver 580.159.04, 2026-11-29; the last line of the program was not
      "one dimension: done, 166773a9\n"
      "inside: done, 4b2aab55\n"
      "beyond the end: done, 31a8f79a\n"
      "before the beginning: done, 16d30c4b\n"
      "128-byte swizzle: done, 0e25a8f3\n"
      "64-byte swizzle: done, 16020f45\n"
      "32-byte swizzle: done, dff39ac4\n"
      "short rows, 128-byte swizzle: done, 1fb5be48\n"
      "short rows, 64-byte swizzle: done, 1d946645\n"
      "three dimensions: done, df0f30a1\n"
      "four dimensions: done, 496fc83f\n"
      "five dimensions: done, 42498c3d\n"
      "steps: done, d41750a5\n"
      "bytes: done, 0512d85a\n"
      "doubles: done, ecac02a2\n"
      "NaN around halves: done, e6171c0a\n"
      "NaN around bfloats: done, e6171c0a\n"
      "NaN around floats: done, 1c4899f3\n"
      "NaN around doubles: done, 7b07e549\n"
      "flushed: done, f571b460\n"
      "TF32: done, c70e0988\n"
      "TF32, flushed: done, c70e0988\n"
      "im2col of lines: done, 33992e1f\n"
      "im2col of lines, moved: done, c57b5df3\n"
      "im2col of images: done, d5d5556f\n"
      "im2col of images, moved: done, 5fbfc8c0\n"
      "im2col with steps: done, 3d9f77de\n"
      "im2col with steps, inside: done, 51c7244a\n"
      "im2col of volumes: done, 35b2171d\n"
      "stored: done, ae21a941\n"
      "stored beyond the end: done, bb07e413\n"
      "stored with a swizzle: done, a4d2d71c\n"
      "stored as im2col of whole images: done, 793449c0\n"
      "added: done, 656cf2b9\n"
      "added halves: done, 9ecf4be6\n"
      "added bfloats: done, 87816a73\n"
      "added floats: done, 52e638c8\n"
      "added subnormals: done, 98640ac5\n"
      "minima: done, 46c21398\n"
      "maxima of halves: done, d057b72d\n"
      "exclusive or: done, 380f7fce\n"
      "incremented: done, 0d47acbe\n"
      "bulk store: done, 7c73cd0c\n"
      "u32: done, 15aa2461\n"
      "u64: done, 899762ba\n"
      "f32: done, 58820cd2\n"
      "f16: done, cb47dad3\n"
      "minimum s32: done, c5097aea\n"
      "xor u64: done, 5b1b31e5\n"
      "maximum f16: done, fb9bc036\n"
      "f64: done, 75e9cabb\n"
      "bf16: done, a990a01e\n"
      "dec u32: done, 25b0db5d\n"
      "to two blocks: done, 58df4bf5\n"
      "to the other block: done, c935c43b\n";
  EXPECT_THAT(outcome.out, testing::StartsWith(printed));
  EXPECT_THAT(outcome.out, testing::HasSubstr("added in the other block: done"));
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
