// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "sim/trace/memory_trace.h"
#include "sim/trace/open.h"
#include "sim/trace/summary.h"
#include "sim/trace/traceg_import.h"
#include "tests/unit/trace/streams.h"

namespace sassim::trace {
namespace {

std::string header(int version, const std::string& more = "") {
  return "-kernel name = _Z6vecaddPf\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (48,1,1)\n-shmem = 256\n-nregs "
         "= 12\n"
         "-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
         "-local mem base_addr = 0x00007f0002000000\n-nvbit version = 1.5\n-accelsim tracer version = " +
         std::to_string(version) + "\n" + more + "\n#traces format = ...\n\n";
}

/// Version 3 lines end after the addresses; 4 and 5 have an immediate.
std::string blocks(const std::string& last) {
  std::string text;
  for (int b = 0; b < 2; ++b) {
    text += "\n#BEGIN_TB\n\nthread block = " + std::to_string(b) + ",0,0\n";
    text += "\nwarp = 0\ninsts = 6\n";
    text += "0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 " + last + "\n";
    text += "0010 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f1000000" + std::to_string(b) + "00 4 " + last + "\n";
    text += "0020 00000007 0 STS.64 2 R0 R4 8 2 0x7f0000000010 8 -16 " + last + "\n";
    text += "0030 00000000 1 R5 LD.E.SYS 1 R2 4 2 0x0 " + last + "\n";
    text += "0040 80000001 0 ST.E.SYS 2 R2 R5 4 0 0x00007f1000000040 0x00007f1000000080 " + last + "\n";
    text += "0060 ffffffff 0 EXIT 0 0 " + last + "\n";
    text += "\nwarp = 1\ninsts = 1\n0060 0000ffff 0 EXIT 0 0 " + last + "\n";
    text += "\n#END_TB\n";
  }
  return text;
}

class Traceg : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }
  std::string error_of(const std::string& content) const {
    const std::string file = put("bad.traceg", content);
    try {
      load_traceg(file);
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
      EXPECT_EQ(std::string(e.what()).find(file), 0u) << e.what();
      return e.what();
    }
    return "";
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("traceg_" + std::to_string(::getpid()) + "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
};

void expect_content(BlockSource& trace) {
  const KernelInfo& kernel = trace.kernel();
  EXPECT_EQ(kernel.name, "_Z6vecaddPf");
  EXPECT_EQ(kernel.sm, 70);
  EXPECT_EQ(kernel.registers, 12u);
  EXPECT_EQ(kernel.shared_bytes(), 256u);
  EXPECT_FALSE(kernel.has_encodings);
  ASSERT_EQ(kernel.code.size(), 7u);
  EXPECT_EQ(kernel.code[0].text(), "IMAD.MOV.U32 R1, RZ, RZ, RZ");
  EXPECT_EQ(kernel.code[1].text(), "LDG.E.SYS R4, [R2.64]");
  EXPECT_EQ(kernel.code[2].text(), "STS.64 [R0], R4");
  EXPECT_EQ(kernel.code[5].text(), "NOP") << "never ran";
  ASSERT_EQ(trace.block_count(), 2u);
  const auto block = trace.block(BlockId(1));
  EXPECT_EQ(block->id, (Dim3{1, 0, 0}));
  ASSERT_EQ(block->warps.size(), 2u);
  const auto steps = play(*block->warps[0]);
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_EQ(steps[1].addresses[31], 0x7f1000000100u + 31 * 4);
  EXPECT_EQ(steps[1].space, isa::Space::global);
  EXPECT_EQ(steps[2].space, isa::Space::shared);
  EXPECT_EQ(steps[2].addresses[0], 0x10u) << "the window is taken off";
  EXPECT_EQ(steps[2].addresses[1], 0x18u);
  EXPECT_EQ(steps[2].addresses[2], 0x8u);
  EXPECT_TRUE(steps[3].lanes.none()) << "the guard was false everywhere";
  EXPECT_FALSE(steps[3].has_addresses);
  EXPECT_EQ(steps[4].addresses[31], 0x7f1000000080u);
  EXPECT_EQ(steps[4].space, isa::Space::global) << "a generic access outside the windows";
  EXPECT_EQ(play(*block->warps[1])[0].active, LaneMask(0xffff));
}

TEST_F(Traceg, ReadsVersionsThreeToFive) {
  expect_content(*load_traceg(put("3.traceg", header(3) + blocks(""))));
  for (const int version : {4, 5})
    expect_content(*load_traceg(put("4.traceg", header(version, "-enable lineinfo = 0\n") + blocks("0"))));
}

TEST_F(Traceg, ReadsSourceLines) {
  std::string text = blocks("0");
  for (std::size_t at = 0; (at = text.find("\n00", at)) != std::string::npos; at += 4) text.insert(at + 1, "17 ");
  expect_content(*load_traceg(put("a.traceg", header(5, "-enable lineinfo = 1\n") + text)));
}

TEST_F(Traceg, ReadsGzipAndXz) {
  const std::string text = header(4) + blocks("0");
  const std::string gz = (folder_ / "a.traceg.gz").string();
  gzFile file = gzopen(gz.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  expect_content(*load_traceg(gz));

  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  ASSERT_EQ(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                                    text.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  expect_content(*load_traceg(put("a.traceg.xz", packed)));
  for (const std::size_t cut : {size / 2, size - 1})
    EXPECT_THROW(load_traceg(put("cut.traceg.xz", packed.substr(0, cut))), InputError);
}

TEST_F(Traceg, OpensADirectoryInLaunchOrder) {
  put("kernel-1.traceg", header(4) + blocks("0"));
  put("kernel-2.traceg", header(4) + blocks("0"));
  put("kernelslist.g", "MemcpyHtoD,0x00007f1000000000,4096\nkernel-2.traceg\nkernel-1.traceg\n");
  const auto kernels = open(folder_.string());
  ASSERT_EQ(kernels.size(), 2u);
  expect_content(*kernels[0]);
  EXPECT_EQ(kernels[0]->hash(), kernels[1]->hash());
}

TEST_F(Traceg, MergesTheCodeThatRan) {
  const auto code = isa::assemble("B------:R-:W-:-:S04 MOV R1, R1 ;\nB------:R-:W0:-:S02 EXIT ;\n");
  isa::Disassembly listing{70, {{"_Z6vecaddPf", code}}};
  std::string one = header(4);
  one.replace(one.find("(2,1,1)"), 7, "(1,1,1)");
  one.replace(one.find("(48,1,1)"), 8, "(32,1,1)");
  const std::string lines =
      "\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n0000 ffffffff 1 R1 MOV 1 R1 0 0\n"
      "0010 ffffffff 0 EXIT 0 0 0\n#END_TB\n";
  const auto trace = load_traceg(put("a.traceg", one + lines), &listing);
  EXPECT_EQ(trace->kernel().code[0].control.stall, 4);
  listing.functions[0].code[0].opcode = "FADD";
  EXPECT_THROW(load_traceg(put("a.traceg", one + lines), &listing), InputError);
  listing.functions[0].name = "other";
  EXPECT_THROW(load_traceg(put("a.traceg", one + lines), &listing), InputError);
}

TEST_F(Traceg, SaysWhatIsWrongAndWhere) {
  const std::string good = header(4) + blocks("0");
  auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return error_of(text);
  };
  EXPECT_NE(with("version = 4", "version = 2").find("versions 3 to 5"), std::string::npos);
  EXPECT_NE(with("binary version = 70", "binary version = 30").find("30"), std::string::npos);
  EXPECT_NE(with("grid dim = (2,1,1)", "grid dim = (0,1,1)").find("dimension"), std::string::npos);
  EXPECT_NE(with("block dim = (48,1,1)", "block dim = (4096,1,1)").find("1024"), std::string::npos);
  EXPECT_NE(with("insts = 6", "insts = 7").find("announced"), std::string::npos);
  EXPECT_NE(with("warp = 1", "warp = 2").find("beyond"), std::string::npos);
  EXPECT_NE(with("warp = 1", "warp = 0").find("twice"), std::string::npos);
  EXPECT_NE(with("thread block = 1", "thread block = 0").find("twice"), std::string::npos);
  EXPECT_NE(with("thread block = 1", "thread block = 9").find("outside the grid"), std::string::npos);
  EXPECT_NE(with("0010 ffffffff", "0018 ffffffff").find("start of an instruction"), std::string::npos);
  EXPECT_NE(with("0010 ffffffff", "fffffff0 ffffffff").find("16 MiB"), std::string::npos);
  EXPECT_NE(with("1 R4 LDG", "1 R400 LDG").find("R0 to R255"), std::string::npos);
  EXPECT_NE(with("4 1 0x7f", "4 7 0x7f").find("address format 7"), std::string::npos);
}

TEST_F(Traceg, EveryTruncationIsAnError) {
  const std::string good = header(4) + blocks("0");
  const std::size_t end = good.rfind("#END_TB") + 7;
  for (std::size_t size = 0; size < end; size += 4) EXPECT_NE(error_of(good.substr(0, size)), "") << size;
  EXPECT_EQ(error_of(good.substr(0, end)), "");
}

// An Accel-Sim trace is imported whole or not at all: what is missing is an error of the file's line.

/// Two blocks of 40 threads; the last instruction line of each warp is EXIT.
const std::string kHeader =
    "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (40,1,1)\n-shmem = 256\n-nregs = 12\n"
    "-binary version = 70\n-accelsim tracer version = 4\n\n#traces format = ...\n";

std::string block(int number) {
  return "#BEGIN_TB\nthread block = " + std::to_string(number) +
         ",0,0\nwarp = 0\ninsts = 4\n"
         "0000 ffffffff 1 R1 MOV 0 0 0\n"
         "0010 0000000f 1 R4 LDG.E 1 R2 4 1 0x7f1000000000 4 0\n"
         "0020 00000000 1 R5 FADD 2 R4 R4 0 0\n"
         "0030 ffffffff 0 EXIT 0 0 0\n"
         "warp = 1\ninsts = 1\n0030 000000ff 0 EXIT 0 0 0\n#END_TB\n";
}

struct Outcome {
  std::string error;
  ExitStatus status = ExitStatus::done;
};

class WholeTraceg : public testing::Test {
 protected:
  ~WholeTraceg() override { std::filesystem::remove(file_); }

  Outcome import(const std::string& content) {
    std::ofstream(file_, std::ios::binary) << content;
    try {
      trace_ = load_traceg(file_);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find(file_), 0u) << error.what();
      return {std::string(error.what()).substr(file_.size()), error.status()};
    }
    return {};
  }
  /// The good trace with `from` replaced, the first time that it stands there.
  Outcome with(const std::string& from, const std::string& to) {
    std::string text = kHeader + block(0) + block(1);
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return import(text.replace(text.find(from), from.size(), to));
  }
  void expect(const Outcome& outcome, const std::string& part) {
    EXPECT_EQ(outcome.status, ExitStatus::bad_input);
    EXPECT_NE(outcome.error.find(part), std::string::npos) << "expected: " << part << "\nfound: " << outcome.error;
  }

  const std::string file_ =
      (std::filesystem::temp_directory_path() / ("whole_" + std::to_string(::getpid()) + ".traceg")).string();
  std::shared_ptr<MemoryTrace> trace_;
};

TEST_F(WholeTraceg, TheGoodOneIsGood) { EXPECT_EQ(import(kHeader + block(0) + block(1)).error, ""); }

TEST_F(WholeTraceg, EveryBlockOfTheGridIsThereOnce) {
  expect(import(kHeader), ":9: the file has 0 of the grid's 2 blocks, without 0,0,0");
  expect(import(kHeader + block(0)), "1 of the grid's 2 blocks, without 1,0,0");
  expect(import(kHeader + block(1)), "1 of the grid's 2 blocks, without 0,0,0");
  expect(import(kHeader + block(0) + block(0)), "block 0,0,0 appears twice");
  expect(import(kHeader + block(0) + block(1) + block(2)), "outside the grid");
}

TEST_F(WholeTraceg, TheHeaderSaysHowLargeTheLaunchWas) {
  expect(with("-grid dim = (2,1,1)\n", ""), "no '-grid dim = ...'");
  expect(with("-block dim = (40,1,1)\n", ""), "no '-block dim = ...'");
  expect(with("-nregs = 12\n", ""), "no '-nregs = ...'");
  expect(with("nregs = 12", "nregs = 0"), ":5: 0 registers");
  expect(with("nregs = 12", "nregs = 256"), ":5: 256 registers");
  expect(with("name = k", "name = k\x1b[2J"), ":1: the kernel's name has control characters");
}

TEST_F(WholeTraceg, EveryWarpOfABlockIsThereOnce) {
  expect(with("warp = 1\ninsts = 1\n0030 000000ff 0 EXIT 0 0 0\n", ""), ":18: the block has no warp 1");
  expect(with("warp = 1", "warp = 0"), ":18: warp 0 appears twice");
}

TEST_F(WholeTraceg, EveryThreadComesToItsExitAndStopsThere) {
  expect(with("0030 000000ff", "0030 0000007f"), "threads 0x00000080 of warp 1 did not reach EXIT");
  expect(with("insts = 1\n0030 000000ff 0 EXIT 0 0 0\n", "insts = 0\n"), "of warp 1 did not reach EXIT");
  expect(with("0030 000000ff", "0030 000001ff"), "threads 0x000001ff execute, but the warp has 0x000000ff");
  expect(with("insts = 1\n0030 000000ff 0 EXIT 0 0 0\n",
              "insts = 2\n0030 000000ff 0 EXIT 0 0 0\n0000 00000001 1 R1 MOV 0 0 0\n"),
         ":21: threads 0x00000001 continue after their EXIT");
}

TEST_F(WholeTraceg, EveryAccessHasItsAddresses) {
  expect(with("R2 4 1 0x7f1000000000 4 0", "R2 0 0"), ":15: LDG.E accesses memory, but the line has no addresses");
  expect(with("R2 4 1 0x7f1000000000 4 0", "R2 4 0 0x7f1000000000 0x7f1000000004"), ":15: expected an address");
  expect(with("R2 4 1", "R2 77 1"), ":15: a memory width of 77 bytes");
  EXPECT_EQ(with("0010 0000000f 1 R4 LDG.E 1 R2 4 1 0x7f1000000000 4 0", "0010 00000000 1 R4 LDG.E 1 R2 0 0").error, "")
      << "its guard was false everywhere";
}

TEST_F(WholeTraceg, RegistersAreR0ToR255) {
  for (const char* bad : {"R9x", "R300", "R", "R-1", "4", "UR4", "R1.5"})
    expect(with("1 R4 LDG", std::string("1 ") + bad + " LDG"), ":15: expected a destination (R0 to R255)");
  expect(with("LDG.E 1 R2", "LDG.E 1 R2x"), ":15: expected a source (R0 to R255)");
}

TEST_F(WholeTraceg, OpcodesThatAreNotKnownAreNamedWithTheirLine) {
  const Outcome unknown = with("FADD", "FROB.X");
  EXPECT_EQ(unknown.status, ExitStatus::not_supported);
  EXPECT_EQ(unknown.error, ":16: opcode 'FROB' is not in the opcode table");
  const Outcome broken = with("FADD", "FADD[");
  EXPECT_EQ(broken.error.find(":16:"), 0u) << broken.error;
}

TEST_F(WholeTraceg, AFalseGuardCountsNoThreads) {
  ASSERT_EQ(import(kHeader + block(0) + block(1)).error, "");
  const auto steps = play(*trace_->block(BlockId(0))->warps[0]);
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_TRUE(steps[2].lanes.none());
  EXPECT_EQ(summarize(*trace_).thread_instructions, 2u * (32 + 4 + 0 + 32 + 8));
}

}  // namespace
}  // namespace sassim::trace
