// SPDX-License-Identifier: Apache-2.0
// The headers of cubins of CUDA 11, 12 and 13, on an image that CUDA 11.8 made.
#include "sim/isa/cubin.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "sim/isa/cubin_info.h"
#include "sim/isa/toolkit.h"

namespace sassim::isa {
namespace {

std::vector<std::uint8_t> image() {
  std::ifstream in(SASSIM_BINARY_DIR "/unpacked/seeds/cubin/add-90", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::uint8_t> with_header(std::uint8_t abi, std::uint32_t version, std::uint32_t flags) {
  std::vector<std::uint8_t> bytes = image();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_ident[EI_ABIVERSION] = abi;
  header.e_version = version;
  header.e_flags = flags;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TEST(Cubin, OfCuda13HasItsArchitectureInOtherBits) {
  EXPECT_EQ(toolkit_of(image()), 118);
  const std::vector<std::uint8_t> older = with_header(7, 124, 0x5a0d5a);  // sm_90a
  EXPECT_EQ(read_cubin(older, "k").sm, 90);
  EXPECT_EQ(toolkit_of(older), 124);
  const std::vector<std::uint8_t> newer = with_header(8, 1, 0x06004b04);
  EXPECT_EQ(read_cubin(newer, "k").sm, 75);
  EXPECT_EQ(toolkit_of(newer), 130);
}

TEST(Cubin, OfAnAbiThatNobodyHasSeenIsRefused) {
  try {
    read_cubin(with_header(9, 1, 0x06004b04), "k.cubin");
    FAIL();
  } catch (const NotSupported& error) {
    EXPECT_STREQ(error.what(), "k.cubin: cubins of ABI version 9 are not supported; compile with CUDA 11, 12 or 13");
  }
}

TEST(Cubin, WhatIsNoCubinHasNoToolkit) {
  EXPECT_EQ(toolkit_of({}), 0);
  EXPECT_EQ(toolkit_of(std::vector<std::uint8_t>(64, 'x')), 0);
}

TEST(CubinAttributes, UnknownOnesAreSkippedByTheirForm) {
  // An unknown one of each form, then the number of barriers, which CUDA 13 writes here.
  const std::vector<std::uint8_t> section = {1, 0xf0, 0, 0,              //
                                             2, 0xf1, 9, 0,              //
                                             3, 0x5f, 7, 7,              //
                                             4, 0xf2, 4, 0, 1, 2, 3, 4,  //
                                             2, 0x4c, 5, 0};
  CubinKernel kernel;
  kernel.barriers = 0;
  const std::vector<CubinAttribute> all = read_cubin_attributes(section, "here");
  for (const CubinAttribute& attribute : all) apply_kernel_attribute(attribute, kernel);
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(kernel.barriers, 5u);
}

}  // namespace
}  // namespace sassim::isa
