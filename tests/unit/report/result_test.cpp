// SPDX-License-Identifier: Apache-2.0
#include "sim/report/result.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/base/error.h"
#include "sim/report/kernel_json.h"
#include "sim/report/launch_list.h"
#include "sim/report/ncu_stream.h"
#include "sim/report/result_stream.h"
#include "sim/report/source_page.h"
#include "tests/support/test_folder.h"

namespace sassim::report {
namespace {

KernelReport sample() {
  KernelReport kernel;
  kernel.name = "vadd";
  kernel.grid = {4, 2, 1};
  kernel.block = {128, 1, 1};
  kernel.trace_hash = "abc";
  kernel.warp_instructions = 320;
  kernel.metrics.read("smsp__inst_executed.sum", "inst", 320, true);
  kernel.metrics.read("sm__cycles_active.avg", "cycle", 12.5, false);
  kernel.lines.push_back({16, "FADD R1, R2, R3", 32, {{"wait", 128}}});
  return kernel;
}

TEST(Result, JsonHasTheContractsShape) {
  RunReport run;
  run.config_name = "t4";
  run.kernels.push_back(sample());
  run.host = {2.0, 1, 320, 1000};
  const auto json = to_json(run);
  EXPECT_EQ(json["schema"], "sassim-result/1");
  EXPECT_EQ(json["kernels"][0]["metrics"]["smsp__inst_executed.sum"], 320);
  EXPECT_TRUE(json["kernels"][0]["metrics"]["smsp__inst_executed.sum"].is_number_integer());
  EXPECT_EQ(json["complete"], true);
  EXPECT_FALSE(json.contains("host")) << "the same input gives the same bytes";
}

// The names of the parts are written once in a row of kernels, and read back for all of them.
TEST(Result, BreakdownsSurviveTheRoundTrip) {
  KernelReport kernel = sample();
  kernel.metrics.read("sm__a.pct", "%", 3, false);
  kernel.metrics.read("sm__throughput.pct", "%", 3, false, {"sm__a.pct"});
  KernelWriter writer;
  KernelReader reader;
  for (const bool first : {true, false}) {
    const auto json = writer.write(kernel);
    EXPECT_EQ(json.contains("breakdown"), first);
    EXPECT_EQ(reader.read(json, "x").metrics.find("sm__throughput.pct")->row->parts,
              std::vector<std::string>{"sm__a.pct"});
  }
}

TEST(Result, WhatDiffersFromRunToRunIsApart) {
  EXPECT_EQ(to_json(HostReport{2.0, 1, 320, 1000}).dump(),
            R"({"seconds":2.0,"threads":1,"warp_instructions":320,"warp_instructions_per_second":160.0,)"
            R"("peak_rss_bytes":1000})");
}

TEST(Result, AKernelThatFaultedSurvivesTheRoundTrip) {
  KernelReport kernel;
  kernel.name = "store";
  kernel.fault = {"illegal address", "illegal address: kernel store", 80, "STG.E [R2], R0"};
  const auto json = to_json(kernel);
  EXPECT_TRUE(json.at("metrics").empty());
  EXPECT_EQ(json["fault"]["pc"], 80);
  EXPECT_EQ(to_json(kernel_from_json(json, "test")).dump(), json.dump());
}

TEST(KernelRow, UnitsAndSassAreSaidOnceAndReadEverywhere) {
  KernelReport second = sample();
  second.metrics.read("more.pct", "%", 1.5, false);
  second.lines.push_back({32, "EXIT", 4, {{"wait", 8}}});
  KernelReport third = sample();
  third.lines[0].text = "another kernel of this name";
  KernelWriter writer;
  KernelReader reader;
  const auto check = [&](const KernelReport& kernel) {
    const auto json = writer.write(kernel);
    EXPECT_EQ(to_json(reader.read(json, "test")).dump(), to_json(kernel).dump());
    return json;
  };
  EXPECT_EQ(check(sample()).dump(), to_json(sample()).dump()) << "the first is whole";
  const auto json = check(second);
  EXPECT_EQ(json["units"].dump(), R"({"more.pct":"%"})");
  EXPECT_FALSE(json["lines"][0].contains("sass"));
  EXPECT_EQ(json["lines"][1]["sass"], "EXIT");
  EXPECT_EQ(check(third)["lines"][0]["sass"], "another kernel of this name");
  EXPECT_EQ(check(sample())["lines"][0]["sass"], "FADD R1, R2, R3");
}

// What a compact row says less is what its reader knows from the kernel before.
TEST(KernelRow, ACompactRowReadsTheSame) {
  KernelReport second = sample(), other = sample();
  second.metrics.read("smsp__inst_executed.sum", "inst", 321, true);
  second.lines[0].executed = 7;
  second.lines[0].memory = {1, 2, 3, 4, 5};
  other.metrics.read("more.pct", "%", 1.5, false);
  for (const KernelForm form : {KernelForm::compact, KernelForm::between}) {
    KernelWriter writer(form);
    KernelReader reader;
    for (const KernelReport& kernel : {sample(), second, other, second, second}) {
      const auto json = writer.write(kernel);
      EXPECT_EQ(to_json(reader.read(json, "test")).dump(), to_json(kernel).dump());
    }
    ++second.warp_instructions;
    const auto json = writer.write(second);
    EXPECT_FALSE(json.contains("metrics"));
    EXPECT_TRUE(json["values"].is_array());
    EXPECT_TRUE(json["lines"][0].is_array());
    EXPECT_EQ(writer.write(second).contains("again"), form == KernelForm::between);
  }
}

TEST(KernelRow, AKernelThatRepeatsNoneIsRefused) {
  EXPECT_THROW(KernelReader().read({{"again", true}}, "test"), InputError);
}

TEST(JsonText, KernelsThatRepeatHaveTheTextThatTheyHaveAlone) {
  KernelReport other = sample();
  other.metrics.read("more.pct", "%", 1.5, false);
  for (const KernelForm form : {KernelForm::whole, KernelForm::compact}) {
    JsonText text(form);
    KernelWriter writer(form);
    for (const KernelReport& kernel :
         {sample(), sample(), sample(), sample(), other, sample(), sample(), sample(), other}) {
      const std::string piece = text.kernel(kernel);
      EXPECT_EQ(nlohmann::ordered_json::parse(piece.substr(piece.find('{'))), writer.write(kernel));
    }
  }
}

TEST(KernelRow, ValuesOfAnotherKernelsNamesAreRefused) {
  KernelReport other = sample();  // as many metrics, one of them another
  other.metrics = {};
  other.metrics.read("smsp__inst_executed.sum", "inst", 320, true);
  other.metrics.read("more.pct", "%", 1.5, false);
  KernelWriter writer(KernelForm::compact);
  KernelReader reader;
  reader.read(writer.write(sample()), "test");
  writer.write(other);  // its reader does not see it
  EXPECT_THROW(reader.read(writer.write(other), "test"), InputError);
  EXPECT_THROW(KernelReader().read(writer.write(other), "test"), InputError);
}

TEST(JsonStream, AFileInPiecesIsWhatItIsAtOnce) {
  const TestFolder folder;
  RunReport run;
  run.config_name = "t4";
  run.config_json = R"({"sm": {"count": 40}})";
  run.kernels = {sample(), sample()};
  JsonStream stream(folder / "result.json", run);
  for (const KernelReport& kernel : run.kernels) stream.add(kernel);
  EXPECT_FALSE(std::filesystem::exists(folder / "result.json")) << "not before it is whole";
  stream.finish(true);
  std::ifstream in(folder / "result.json");
  EXPECT_EQ(nlohmann::ordered_json::parse(in).dump(), to_json(run).dump());
}

TEST(Result, AKernelSurvivesTheRoundTrip) {
  const auto json = to_json(sample());
  EXPECT_EQ(to_json(kernel_from_json(json, "test")).dump(), json.dump());
}

TEST(Result, ForeignJsonIsRefusedWithItsPlace) {
  try {
    kernel_from_json({{"name", "x"}}, "a.json");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("a.json: not a kernel result"), 0u);
  }
}

TEST(Slice, EveryFormSaysSo) {
  KernelReport whole = sample(), slice = sample();
  slice.slice_blocks = 3;
  const TestFolder folder;
  const auto text_of = [&](auto&& stream, const std::string& file, const KernelReport& kernel) {
    stream.add(kernel);
    stream.finish();
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  const std::string file = folder / "f";
  for (const KernelReport* kernel : {&whole, &slice}) {
    const bool sliced = kernel == &slice;
    const auto says = [&](const std::string& text, const char* words) {
      EXPECT_EQ(text.find(words) != std::string::npos, sliced) << text;
    };
    says(text_of(CsvStream(file), file, *kernel), "\n0,vadd,sassim__slice_blocks,block,3\n");
    says(text_of(NcuStream(file, "t4", 75), file, *kernel), "\"sassim (slice: 3 of 8 blocks)\"");
    const std::string lines = text_of(SourceCsv(file), file, *kernel);
    EXPECT_NE(lines.find(",slice_blocks\n"), std::string::npos);
    says(lines, ",3\n");
    says(LaunchList({}).line(*kernel), "  slice: 3 of 8 blocks\n");
  }
}

}  // namespace
}  // namespace sassim::report
