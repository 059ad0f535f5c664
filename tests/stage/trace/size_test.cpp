// SPDX-License-Identifier: Apache-2.0
// A regular kernel takes at most one byte per executed warp instruction, in the file and in memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <set>

#include "sim/trace/sast_file.h"
#include "sim/trace/sast_writer.h"
#include "tests/unit/trace/shapes.h"

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
