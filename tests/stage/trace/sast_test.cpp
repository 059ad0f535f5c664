// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/memory_trace.h"
#include "sim/trace/sast_file.h"
#include "sim/trace/sast_writer.h"
#include "tests/unit/trace/shapes.h"
#include "tests/unit/trace/streams.h"

namespace sassim::trace {
namespace {

class Sast : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("sast_" + std::to_string(::getpid()) + "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
};

KernelInfo small_kernel(int seed = 0) {
  KernelInfo kernel;
  kernel.name = "_Z6vecaddPKfS0_Pf";
  kernel.sm = 75;
  kernel.registers = 16;
  kernel.static_shared = 1024;
  kernel.grid = {2, 2, 1};
  kernel.block = {64, 1, 1};
  kernel.code = isa::assemble(R"(
      B------:R-:W0:-:S02  S2R R0, SR_TID.X ;
      B0-----:R-:W-:Y:S04  IMAD R2, R0, 0x4, RZ ;
      B------:R-:W0:-:S02  @P0 LDG.E R3, [R2.64] ;
      B0-----:R1:W-:-:S05  STG.E [R2.64], R3 ;
      B------:R-:W-:-:S05  EXIT ;
  )");
  for (std::size_t i = 0; i < kernel.code.size(); ++i)
    kernel.code[i].low = i * 0x123456789 + static_cast<std::uint64_t>(seed);
  kernel.constants = {{0, std::vector<std::uint8_t>(400, 7)}, {3, {1, 2, 3}}};
  return kernel;
}

std::shared_ptr<const BlockTrace> block_of(const KernelInfo& kernel, std::uint64_t linear, std::size_t steps = 30) {
  auto block = std::make_shared<BlockTrace>();
  block->id = block_position(kernel.grid, linear);
  std::mt19937 random(static_cast<unsigned>(linear));
  for (std::uint32_t w = 0; w < kernel.warps_per_block(); ++w)
    block->warps.push_back(record(kernel, random_steps(random, kernel.code.size(), steps)));
  return block;
}

std::vector<std::shared_ptr<SastKernel>> open_kernels(const std::string& path) {
  const auto file = SastFile::open(path);
  std::vector<std::shared_ptr<SastKernel>> kernels;
  for (std::size_t i = 0; i < file->kernels().size(); ++i) kernels.push_back(std::make_shared<SastKernel>(file, i));
  return kernels;
}

void read_everything(const std::string& path) {
  const auto kernels = open_kernels(path);
  for (const auto& kernel : kernels) {
    kernel->kernel();
    for (std::uint64_t i = 0; i < kernel->block_count(); ++i) {
      const auto block = kernel->block(BlockId(i));
      for (const auto& warp : block->warps) play(*warp);
    }
  }
}

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void spill(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// The one-line error, or "" when everything could be read.
std::string error_of(const std::string& path) {
  try {
    read_everything(path);
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
    return e.what();
  }
  return "";
}

std::string write_small(const std::string& path) {
  SastWriter writer(path);
  for (int k = 0; k < 2; ++k) {
    const KernelInfo kernel = small_kernel(k);
    const auto id = writer.begin_kernel(kernel);
    for (const std::uint64_t linear : {1, 0}) writer.add_block(id, *block_of(kernel, linear, 8));
  }
  writer.finish();
  return slurp(path);
}

TEST_F(Sast, ReturnsWhatWasWritten) {
  write_small(path("a.sast"));
  const auto kernels = open_kernels(path("a.sast"));
  ASSERT_EQ(kernels.size(), 2u);
  const KernelInfo expected = small_kernel(1), &back = kernels[1]->kernel();
  EXPECT_EQ(back.name, expected.name);
  EXPECT_EQ(back.sm, 75);
  EXPECT_EQ(back.grid, expected.grid);
  EXPECT_EQ(back.shared_bytes(), 1024u);
  ASSERT_EQ(back.code.size(), expected.code.size());
  for (std::size_t i = 0; i < back.code.size(); ++i) {
    EXPECT_EQ(back.code[i].text(), expected.code[i].text());
    EXPECT_EQ(back.code[i].low, expected.code[i].low);
    EXPECT_EQ(back.code[i].control, expected.code[i].control);
    EXPECT_EQ(back.code[i].pc, 16 * i);
  }
  ASSERT_EQ(back.constants.size(), 2u);
  EXPECT_EQ(back.constants[0].bytes, expected.constants[0].bytes);
  for (std::uint64_t i = 0; i < 2; ++i) {
    const auto block = kernels[1]->block(BlockId(i)), original = block_of(expected, i, 8);
    EXPECT_EQ(block->id, original->id);
    for (std::size_t w = 0; w < 2; ++w) EXPECT_EQ(play(*block->warps[w]), play(*original->warps[w]));
  }
}

TEST_F(Sast, HasTheHashOfTheSameTraceInMemory) {
  write_small(path("a.sast"));
  MemoryTrace memory(small_kernel(0));
  for (std::uint64_t i = 0; i < 2; ++i) memory.add(block_of(memory.kernel(), i, 8));
  const auto kernels = open_kernels(path("a.sast"));
  EXPECT_EQ(kernels[0]->hash(), memory.hash());
  EXPECT_NE(kernels[1]->hash(), memory.hash()) << "an encoding differs";
}

TEST_F(Sast, BlocksMayBeAddedAndReadByManyThreads) {
  KernelInfo kernel = small_kernel();
  kernel.grid = {64, 1, 1};
  SastWriter writer(path("a.sast"));
  const auto id = writer.begin_kernel(kernel);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = t; i < 64; i += 4) writer.add_block(id, *block_of(kernel, i));
    });
  for (auto& thread : threads) thread.join();
  writer.finish();
  threads.clear();
  const auto back = open_kernels(path("a.sast")).at(0);
  std::atomic<int> right = 0;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = t; i < 64; i += 4)
        if (play(*back->block(BlockId(i))->warps[1]) == play(*block_of(kernel, i)->warps[1])) ++right;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 64);
}

TEST_F(Sast, AnUnfinishedFileNeverGetsItsName) {
  {
    SastWriter writer(path("a.sast"));
    writer.begin_kernel(small_kernel());
    EXPECT_FALSE(std::filesystem::exists(path("a.sast")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Sast, APartOfTheGridIsATraceToo) {
  const KernelInfo kernel = small_kernel();
  SastWriter writer(path("a.sast"));
  const auto id = writer.begin_kernel(kernel);
  writer.add_block(id, *block_of(kernel, 2));
  writer.finish();
  const auto back = open_kernels(path("a.sast")).at(0);
  EXPECT_EQ(back->block_count(), 1u);
  EXPECT_EQ(back->block(BlockId(0))->id, (Dim3{0, 1, 0}));
}

TEST_F(Sast, EveryTruncationIsAnError) {
  const std::string good = write_small(path("good.sast"));
  std::filesystem::rename(path("good.sast"), path("bad.sast"));
  for (std::size_t size = good.size(); size-- > 0;) {
    std::filesystem::resize_file(path("bad.sast"), size);
    const std::string error = error_of(path("bad.sast"));
    ASSERT_NE(error, "") << "cut to " << size << " of " << good.size();
    ASSERT_NE(error.find("bad.sast"), std::string::npos);
    ASSERT_NE(error.find("byte"), std::string::npos) << error;
  }
}

TEST_F(Sast, EveryFlippedByteIsAnError) {
  const std::string good = write_small(path("good.sast"));
  std::filesystem::rename(path("good.sast"), path("bad.sast"));
  std::fstream file(path("bad.sast"), std::ios::binary | std::ios::in | std::ios::out);
  auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte).flush();
  };
  for (std::size_t at = 0; at < good.size(); ++at) {
    put(at, static_cast<char>(good[at] ^ (1 << (at % 8))));
    const std::string error = error_of(path("bad.sast"));
    put(at, good[at]);
    ASSERT_NE(error, "") << "byte " << at << " of " << good.size();
    ASSERT_NE(error.find("byte"), std::string::npos) << error;
  }
}

TEST_F(Sast, AddedBytesAreAnError) {
  const std::string good = write_small(path("good.sast"));
  spill(path("bad.sast"), good + std::string(1, '\0'));
  EXPECT_NE(error_of(path("bad.sast")), "");
}

/// The checksums as they would be had a writer made the file so.
std::string resealed(std::string bytes) {
  const std::size_t footer = bytes.size() - kSastFooterBytes;
  const auto view = [&](std::size_t at, std::size_t size) {
    return std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at, size);
  };
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  const std::uint64_t offset = number(footer), stored = number(footer + 8);
  EXPECT_EQ(stored, number(footer + 16)) << "the index is not compressed, so that it can be changed in place";
  const std::uint64_t index = TraceHash::of(view(offset, stored));
  std::memcpy(bytes.data() + footer + 24, &index, sizeof index);
  const std::uint64_t frame = frame_checksum(view(0, kSastHeaderBytes), view(offset, stored), view(footer, 32));
  std::memcpy(bytes.data() + footer + 32, &frame, sizeof frame);
  return bytes;
}

std::string write_one(const std::string& path, KernelInfo kernel = small_kernel()) {
  SastWriter writer(path);
  writer.add_block(writer.begin_kernel(kernel), *block_of(kernel, 0, 8));
  writer.finish();
  return slurp(path);
}

TEST_F(Sast, HeaderFlagsThatDoNotExistAreRefused) {
  std::string bytes = write_one(path("good.sast"));
  spill(path("same.sast"), resealed(bytes));
  EXPECT_EQ(error_of(path("same.sast")), "");
  bytes[12] = 1;
  spill(path("bad.sast"), resealed(bytes));
  EXPECT_NE(error_of(path("bad.sast")).find("byte 12: header flags 0x1"), std::string::npos);
}

TEST_F(Sast, TheIndexAndTheSectionGiveAKernelTheSameName) {
  std::string bytes = write_one(path("good.sast"));
  const std::size_t at = bytes.rfind("_Z6vecaddPKfS0_Pf");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 3] = 'V';
  spill(path("bad.sast"), resealed(bytes));
  EXPECT_NE(error_of(path("bad.sast")).find("the index names the kernel _Z6VecaddPKfS0_Pf"), std::string::npos);
}

TEST_F(Sast, APipeIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(path("pipe.sast").c_str(), 0600), 0);
  EXPECT_NE(error_of(path("pipe.sast")).find("is a folder, a pipe or a device"), std::string::npos);
}

TEST_F(Sast, SaysWhichVersionItReads) {
  std::string bytes = write_small(path("good.sast"));
  bytes[8] = 3;
  spill(path("bad.sast"), bytes);
  EXPECT_NE(error_of(path("bad.sast")).find("version 3, but this sassim reads versions 1 to 2"), std::string::npos);
  spill(path("text.sast"), "kernel: not a trace, but long enough to be one by its size alone .................");
  EXPECT_NE(error_of(path("text.sast")).find("not a .sast trace"), std::string::npos);
  EXPECT_THROW(SastFile::open(path("missing.sast")), InputError);
  EXPECT_THROW(SastFile::open(folder_.string()), InputError);
}

}  // namespace
}  // namespace sassim::trace

// A regular kernel takes at most one byte per executed warp instruction, in the file and in memory.
namespace sassim::trace {
namespace {

struct Sizes {
  double file = 0, memory = 0;  ///< bytes per step
};

Sizes sizes_of(std::uint32_t blocks, bool sgemm) {
  const auto path = std::filesystem::temp_directory_path() / ("size_" + std::to_string(::getpid()) + ".sast");
  KernelInfo kernel = kernel_of(700);
  kernel.grid = {blocks, 1, 1};
  auto pool = std::make_shared<BodyPool>();
  SastWriter writer(path.string());
  const auto id = writer.begin_kernel(kernel);
  double steps = 0, memory = 0;
  std::set<const StreamBody*> bodies;
  std::vector<std::shared_ptr<const BlockTrace>> all;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    all.push_back(block_of_shape(kernel, i, sgemm, pool));
    writer.add_block(id, *all.back());
    for (const auto& warp : all.back()->warps) {
      steps += static_cast<double>(warp->steps());
      memory += static_cast<double>(warp->origins().size_bytes());
      if (bodies.insert(warp->body().get()).second) memory += static_cast<double>(warp->body()->bytes().size());
    }
  }
  writer.finish();
  const Sizes sizes{static_cast<double>(std::filesystem::file_size(path)) / steps, memory / steps};
  std::filesystem::remove(path);
  return sizes;
}

TEST(Size, VectorAddTakesAtMostOneBytePerInstruction) {
  const Sizes sizes = sizes_of(1024, false);
  std::cout << "vector add: " << sizes.file << " bytes per warp instruction in the file, " << sizes.memory
            << " in memory\n";
  EXPECT_LE(sizes.file, 1.0);
  EXPECT_LE(sizes.memory, 1.25) << "24 bytes of addresses for 20 instructions";
}

TEST(Size, SgemmTakesAtMostOneBytePerInstruction) {
  const Sizes sizes = sizes_of(64, true);
  std::cout << "sgemm: " << sizes.file << " bytes per warp instruction in the file, " << sizes.memory << " in memory\n";
  EXPECT_LE(sizes.file, 1.0);
  EXPECT_LE(sizes.memory, 1.0);
}

}  // namespace
}  // namespace sassim::trace
