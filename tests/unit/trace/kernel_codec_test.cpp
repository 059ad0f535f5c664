// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/kernel_codec.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "sim/trace/kernel.h"

namespace sassim::trace {
namespace {

KernelInfo kernel_for(int sm) {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.sm = sm;
  kernel.code = isa::assemble("MOV R0, RZ ;\nNOP ;\nEXIT ;\n");
  return kernel;
}

TEST(KernelCodec, ReadsBackEachArchitectureThatCanBeTraced) {
  for (const isa::Architecture& architecture : isa::architectures()) {
    const KernelInfo read = decode_kernel(encode_kernel(kernel_for(architecture.sm)), "k.sast");
    EXPECT_EQ(read.sm, architecture.sm);
    ASSERT_EQ(read.code.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(read.code[i].pc, architecture.code.pc(i));
    EXPECT_EQ(read.code_bytes(), architecture.code.bytes(3));
  }
}

TEST(KernelCodec, NamesAnArchitectureThatIsUnknown) {
  try {
    decode_kernel(encode_kernel(kernel_for(61)), "k.sast");
    FAIL() << "sm_61 was read";
  } catch (const NotSupported& error) {
    EXPECT_EQ(error.what(), "k.sast: " + isa::unknown_architecture(61));
  }
}

}  // namespace
}  // namespace sassim::trace
