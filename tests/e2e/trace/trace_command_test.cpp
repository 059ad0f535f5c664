// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/trace/open.h"
#include "sim/trace/sast_file.h"
#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Output {
  int status = -1;
  std::string text;  ///< both streams
};

Output sassim(const std::string& arguments) {
  Output output;
  FILE* pipe = ::popen((std::string(SASSIM_COMMAND) + " " + arguments + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.text.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

/// An Accel-Sim trace of two blocks: MOV, FADD of the moved register, EXIT.
class TraceCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    std::string text =
        "-kernel name = _Z1kPf\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
        "-binary version = 70\n-accelsim tracer version = 4\n\n#traces format = ...\n";
    for (const char* block : {"0,0,0", "1,0,0"})
      text += std::string("\n#BEGIN_TB\nthread block = ") + block +
              "\nwarp = 0\ninsts = 3\n0000 ffffffff 1 R1 MOV 0 0 0\n0010 ffffffff 1 R2 FADD 2 R1 R1 0 0\n"
              "0020 ffffffff 0 EXIT 0 0 0\n#END_TB\n";
    put("kernel-1.traceg", text);
    put("kernelslist.g", "kernel-1.traceg\n");
    // The FADD follows the MOV it depends on by stall 1 (0x000fe2 in the second word).
    put("code.sass",
        "\t\tFunction : _Z1kPf\n\t.headerflags\t@\"EF_CUDA_SM70 EF_CUDA_PTX_SM(EF_CUDA_SM70)\"\n"
        "        /*0000*/                   MOV R1, c[0x0][0x28] ;   /* 0x00000a0000017a02 */\n"
        "                                                            /* 0x000fe20000000f00 */\n"
        "        /*0010*/                   FADD R2, R1, R1 ;        /* 0x0000000101027221 */\n"
        "                                                            /* 0x000fe20000000000 */\n"
        "        /*0020*/                   EXIT ;                   /* 0x000000000000794d */\n"
        "                                                            /* 0x000fea0003800000 */\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void put(const std::string& name, const std::string& content) { std::ofstream(folder_ / name) << content; }
  std::string content(const std::string& name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("trace_command_" + std::to_string(::getpid()) + "_" +
                                                testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(TraceCommand, ImportsAndTellsWhatThereIs) {
  const Output import = sassim("trace import " + folder_.string() + " " + path("a.sast"));
  EXPECT_EQ(import.status, 0) << import.text;
  EXPECT_THAT(import.text, HasSubstr("1 kernels, 2 blocks, 6 warp instructions"));
  const Output info = sassim("trace info " + path("a.sast"));
  EXPECT_EQ(info.status, 0) << info.text;
  EXPECT_THAT(info.text, HasSubstr("kernel 0: _Z1kPf"));
  EXPECT_THAT(info.text, HasSubstr("scoreboard mode"));
  EXPECT_THAT(info.text, HasSubstr("fp32"));
  const Output json = sassim("trace info " + path("a.sast") + " --json -");
  EXPECT_THAT(json.text, HasSubstr("\"warp_instructions\": 6"));
}

TEST_F(TraceCommand, EveryReportSaysThatThereAreNoControlBits) {
  ASSERT_EQ(sassim("trace import " + folder_.string() + " " + path("a.sast")).status, 0);
  for (const std::string& trace : {path("a.sast"), folder_.string()}) {
    const Output run = sassim("run " + trace + " --config v100 --json " + path("a.json"));
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_THAT(run.text, HasSubstr("note: the trace has no control bits: a scoreboard keeps dependences"));
    const auto json = nlohmann::json::parse(content("a.json"));
    EXPECT_EQ(json["caches"], "cold");
    EXPECT_EQ(json["kernels"][0]["dependence_mode"], "scoreboard");
    EXPECT_EQ(json["kernels"][0]["trace"], trace);
    EXPECT_EQ(json["kernels"][0]["trace_hash"].get<std::string>().size(), 16u);
  }
  const Output explore =
      sassim("explore " + path("a.sast") + " --config v100 --vary l1.hit_latency=28,40 --out " + path("out"));
  EXPECT_THAT(explore.text, HasSubstr("note: _Z1kPf: the trace has no control bits"));
  EXPECT_THAT(content("out/index.html"), HasSubstr("the trace has no control bits"));
  const auto points = nlohmann::json::parse(content("out/points.json"));
  EXPECT_EQ(points["dependence_modes"], nlohmann::json::array({"scoreboard"}));
  EXPECT_EQ(points["caches"], "cold");
}

TEST_F(TraceCommand, ReportsOnControlBitsSayThatTheyWereUsed) {
  ASSERT_EQ(sassim("trace import " + folder_.string() + " " + path("a.sast") + " --cubin " + path("code.sass")).status,
            0);
  for (const auto& [option, mode] :
       {std::pair{"", "control_bits"}, {" -o sm.issue.dependence=scoreboard", "scoreboard"}}) {
    const Output run = sassim("run " + path("a.sast") + " --config v100 --json " + path("a.json") + option);
    EXPECT_THAT(run.text, Not(HasSubstr("no control bits")));
    EXPECT_EQ(nlohmann::json::parse(content("a.json"))["kernels"][0]["dependence_mode"], mode);
  }
}

TEST_F(TraceCommand, InstructionsWhoseGuardWasFalseCountNoThreads) {
  std::string text = content("kernel-1.traceg");
  for (std::size_t at = 0; (at = text.find("0010 ffffffff", at)) != std::string::npos; ++at)
    text.replace(at + 5, 8, "00000000");
  put("kernel-1.traceg", text);
  ASSERT_EQ(sassim("run " + folder_.string() + " --config v100 --json " + path("a.json")).status, 0);
  const auto metrics = nlohmann::json::parse(content("a.json"))["kernels"][0]["metrics"];
  EXPECT_EQ(metrics["smsp__inst_executed.sum"], 6);
  EXPECT_EQ(metrics["smsp__thread_inst_executed.sum"], 4 * 32);
  EXPECT_EQ(metrics["smsp__thread_inst_executed_pred_on.sum"], 4 * 32);
  EXPECT_EQ(sassim("trace lint " + folder_.string()).status, 0);
}

// tools/lab/scoreboard_cost writes a trace as Accel-Sim's tracer does.
TEST_F(TraceCommand, ImportsWhatTheTracerWritesOfCompiledKernels) {
  for (const char* name : {"sm_70/stencil9_shared", "sm_75/scan_sums", "sm_90/scatter_add"}) {
    const std::string trace = std::string(SASSIM_BINARY_DIR "/traces/") + name + ".sast";
    const std::string convert = std::string(SASSIM_SOURCE_DIR "/tools/lab/scoreboard_cost --sassim ") + SASSIM_COMMAND +
                                " --traceg " + trace + " " + path("b.traceg");
    ASSERT_EQ(std::system(convert.c_str()), 0) << name;
    const Output import = sassim("trace import " + path("b.traceg") + " " + path("b.sast"));
    ASSERT_EQ(import.status, 0) << import.text;
    const auto info = [](const std::string& file) {
      return nlohmann::json::parse(sassim("trace info --json - " + file).text)["kernels"][0];
    };
    const auto recorded = info(trace), imported = info(path("b.sast"));
    for (const char* same : {"name", "grid", "block", "registers", "blocks", "warps", "warp_instructions", "mix"})
      EXPECT_EQ(recorded[same], imported[same]) << name << ": " << same;
    EXPECT_EQ(sassim("trace lint " + path("b.sast")).status, 0) << name;
  }
}

TEST_F(TraceCommand, ImportOfAPartIsRefusedAndLeavesNoFile) {
  std::string text = content("kernel-1.traceg");
  put("kernel-1.traceg", text.substr(0, text.rfind("\n#BEGIN_TB")));
  for (const std::string& command : {"trace import " + folder_.string() + " " + path("a.sast"),
                                     "run " + folder_.string() + " --config v100", "trace info " + folder_.string()}) {
    const Output cut = sassim(command);
    EXPECT_EQ(cut.status, 3) << command;
    EXPECT_THAT(cut.text, HasSubstr("1 of the grid's 2 blocks"));
  }
  EXPECT_FALSE(std::filesystem::exists(path("a.sast")));
}

TEST_F(TraceCommand, DumpsByBlockAndWarp) {
  const Output dump = sassim("trace dump " + folder_.string() + " --block 1 --warp 0 --limit 2");
  EXPECT_EQ(dump.status, 0) << dump.text;
  EXPECT_THAT(dump.text, HasSubstr("block 1 (1,0,0) warp 0: 3 steps"));
  EXPECT_THAT(dump.text, HasSubstr("ffffffff  000010  FADD R2, R1, R1"));
  EXPECT_THAT(dump.text, Not(HasSubstr("block 0")));
  EXPECT_THAT(dump.text, HasSubstr("--limit 2 reached"));
}

TEST_F(TraceCommand, LintFindsDependencesThatTheConfigurationSaysAreTooClose) {
  const Output import =
      sassim("trace import " + folder_.string() + " " + path("a.sast") + " --cubin " + path("code.sass"));
  ASSERT_EQ(import.status, 0) << import.text;
  EXPECT_EQ(sassim("trace lint " + path("a.sast")).status, 0);
  const Output lint = sassim("trace lint " + path("a.sast") + " --config v100");
  EXPECT_EQ(lint.status, 1) << lint.text;
  EXPECT_THAT(lint.text, HasSubstr("dependence at 0x10: reads R1 of MOV at 0x0 after 1 cycles"));
}

// What the compiler scheduled keeps to the latencies of the GPU it was compiled for.
TEST_F(TraceCommand, FindsNothingInTheBundledTraces) {
  for (const auto& [config, folder] : {std::pair{"v100", "sm_70"}, {"t4", "sm_75"}, {"h200", "sm_90"}}) {
    const Output lint =
        sassim(std::string("trace lint --config ") + config + " " SASSIM_BINARY_DIR "/traces/" + folder + "/*.sast");
    EXPECT_EQ(lint.status, 0) << lint.text;
    const auto files = std::filesystem::directory_iterator(SASSIM_BINARY_DIR "/traces/" + std::string(folder));
    const auto kernels =
        std::count_if(begin(files), end(files), [](const auto& file) { return file.path().extension() == ".sast"; });
    EXPECT_EQ(lint.text, std::to_string(kernels) + " kernels, 0 findings\n");
  }
}

TEST_F(TraceCommand, SlicesKernelsAndBlocks) {
  const Output slice = sassim("trace slice " + folder_.string() + " " + path("b.sast") + " --kernel 0 --blocks 1");
  EXPECT_EQ(slice.status, 0) << slice.text;
  const Output dump = sassim("trace dump " + path("b.sast"));
  EXPECT_THAT(dump.text, HasSubstr("block 1 (1,0,0)"));
  EXPECT_THAT(dump.text, Not(HasSubstr("block 0")));
  EXPECT_EQ(sassim("trace slice " + folder_.string() + " " + path("c.sast") + " --blocks 7").status, 2);
  EXPECT_FALSE(std::filesystem::exists(path("c.sast")));
}

TEST_F(TraceCommand, SlicesForAnArchiveAreLargerAndTheSameTraces) {
  const std::string trace = SASSIM_SOURCE_DIR "/traces/sm_70/vector_add.sast";
  const Output slice = sassim("trace slice --uncompressed " + trace + " " + path("a.sast"));
  ASSERT_EQ(slice.status, 0) << slice.text;
  EXPECT_GT(std::filesystem::file_size(path("a.sast")), std::filesystem::file_size(trace) * 5 / 4);
  const auto hash = [](const std::string& file) {
    return nlohmann::json::parse(sassim("trace info --json - " + file).text)["kernels"][0]["hash"];
  };
  EXPECT_EQ(hash(path("a.sast")), hash(trace));
}

TEST_F(TraceCommand, BadInputIsOneLineAndStatusThree) {
  for (const std::string& content : {std::string("no trace at all"), std::string(100, 'x'), std::string()}) {
    put("bad.sast", content);
    const Output info = sassim("trace info " + path("bad.sast"));
    EXPECT_EQ(info.status, 3) << info.text;
    EXPECT_EQ(std::count(info.text.begin(), info.text.end(), '\n'), 1) << info.text;
    EXPECT_THAT(info.text, HasSubstr("bad.sast"));
  }
  EXPECT_EQ(sassim("trace info " + path("missing.sast")).status, 3);
  EXPECT_EQ(sassim("trace info").status, 2);
  EXPECT_EQ(sassim("trace dump " + folder_.string() + " --kernel nothing").status, 2);
  EXPECT_EQ(sassim("trace dump " + folder_.string() + " --block x").status, 2);
}

// A file of format version 1 (tests/data/version-1, recorded from the program beside it) says what its remake in the
// present version says, and gives the same results.

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
