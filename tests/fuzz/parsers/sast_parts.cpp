// SPDX-License-Identifier: Apache-2.0
// The static section of a kernel and a block of it, behind compression and checksums: the length of the first in front.
#include "sim/trace/block_codec.h"
#include "sim/trace/bytes.h"
#include "sim/trace/kernel_codec.h"
#include "tests/fuzz/parser.h"
#include "tests/fuzz/walk.h"

namespace sassim::fuzz {
namespace {

class OneBlock : public trace::BlockSource {
 public:
  OneBlock(trace::KernelInfo kernel, Bytes block) : kernel_(std::move(kernel)), block_(block) {}
  const trace::KernelInfo& kernel() const override { return kernel_; }
  std::uint64_t block_count() const override { return 1; }
  std::shared_ptr<const trace::BlockTrace> block(BlockId) override {
    return trace::decode_block(block_, kernel_, "block", nullptr);
  }
  std::string hash() const override { return ""; }

 private:
  trace::KernelInfo kernel_;
  Bytes block_;
};

void read_sast_parts(Bytes input) {
  trace::ByteReader in(input, "parts");
  const Bytes kernel = in.blob();
  OneBlock source(trace::decode_kernel(kernel, "kernel"), in.bytes(in.left()));
  walk(source);
}

const Register sast_parts_parser("sast_parts", read_sast_parts);

}  // namespace
}  // namespace sassim::fuzz
