// SPDX-License-Identifier: Apache-2.0
// A damaged cubin is refused or read, never more: cut at every length, and with bytes overwritten.
#include <elf.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "sim/base/error.h"
#include "sim/isa/cubin.h"

namespace sassim::isa {
namespace {

class DamagedCubin : public ::testing::Test {
 protected:
  void SetUp() override {
    if (*SASSIM_CUDA_MISSING != '\0') GTEST_SKIP() << "the corpus is not compiled: " << SASSIM_CUDA_MISSING;
    std::ifstream in(std::filesystem::path(SASSIM_CORPUS) / "control.sm_90.cubin", std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    ASSERT_GT(bytes_.size(), 1000u);
  }
  bool reads(std::span<const std::uint8_t> bytes) {
    try {
      read_cubin(bytes, "damaged.cubin");
      return true;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("damaged.cubin")) << error.what();
      return false;
    }
  }
  std::vector<std::uint8_t> bytes_;
};

TEST_F(DamagedCubin, IsRefusedWhenCutShort) {
  EXPECT_TRUE(reads(bytes_));
  for (std::size_t length = 0; length < bytes_.size(); length += length < 4096 ? 1 : 61)
    EXPECT_FALSE(reads(std::span(bytes_).first(length))) << "cut at " << length;
}

TEST_F(DamagedCubin, OfANewerCudaIsRefusedByItsVersion) {
  bytes_[EI_ABIVERSION] = 9;
  try {
    read_cubin(bytes_, "new.cubin");
    ADD_FAILURE() << "it was read";
  } catch (const NotSupported& error) {
    EXPECT_STREQ(error.what(), "new.cubin: cubins of ABI version 9 are not supported; compile with CUDA 11, 12 or 13");
  }
}

TEST_F(DamagedCubin, SurvivesOverwrittenBytes) {
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    auto copy = bytes_;
    for (int edits = 1 + static_cast<int>(random() % 6); edits > 0; --edits)
      copy[random() % copy.size()] = static_cast<std::uint8_t>(random() % 3 == 0 ? 0xff : random());
    // Every second round damages the ELF header, whose fields lead everywhere.
    if (round % 2) copy[random() % 64] ^= static_cast<std::uint8_t>(1u << random() % 8);
    refused += !reads(copy);
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace sassim::isa
