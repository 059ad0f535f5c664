// SPDX-License-Identifier: Apache-2.0
// Writes and reads a kernel's code, launch shape and constants as the bytes of a .sast section.
#include "sim/trace/kernel_codec.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/isa/architecture.h"
#include "sim/isa/assembly.h"
#include "sim/trace/bytes.h"

namespace sassim::trace {
namespace {

void write_dim(ByteWriter& out, const Dim3& dim) {
  out.varint(dim.x);
  out.varint(dim.y);
  out.varint(dim.z);
}

/// Reads a size of a grid or block: at least one in each dimension and at most CUDA's limits.
Dim3 read_dim(ByteReader& in, const char* what, std::uint64_t x, std::uint64_t yz) {
  Dim3 dim;
  dim.x = static_cast<std::uint32_t>(in.varint(x, what));
  dim.y = static_cast<std::uint32_t>(in.varint(yz, what));
  dim.z = static_cast<std::uint32_t>(in.varint(yz, what));
  if (dim.count() == 0) in.fail(fmt::format("{} is zero in one dimension", what));
  return dim;
}

/// Bits: stall 0-3, yield 4, write counter 5-7, read counter 8-10, wait mask 11-16, reuse 17-19.
std::uint32_t pack(const isa::ControlBits& c) {
  return static_cast<std::uint32_t>(c.stall | (c.yield ? 1 : 0) << 4 | c.write_counter << 5 | c.read_counter << 8 |
                                    c.wait_mask << 11 | c.reuse << 17);
}

isa::ControlBits unpack(std::uint32_t word) {
  isa::ControlBits c;
  c.stall = word & 15;
  c.yield = (word >> 4 & 1) != 0;
  c.write_counter = word >> 5 & 7;
  c.read_counter = word >> 8 & 7;
  c.wait_mask = word >> 11 & 63;
  c.reuse = word >> 17 & 7;
  return c;
}

/// Writes the code column by column: similar bytes are adjacent, which compresses better.
void write_code(ByteWriter& out, const std::vector<isa::Instruction>& code) {
  out.varint(code.size());
  for (const auto& i : code) out.u64(i.low);
  for (const auto& i : code) out.u64(i.high);
  for (const auto& i : code) out.u32(pack(i.control));
  for (const auto& i : code) out.text(i.opcode.empty() ? std::string() : i.text());
}

std::vector<isa::Instruction> read_code(ByteReader& in, isa::CodeLayout layout, std::string_view place) {
  constexpr std::size_t kLeastBytes = 8 + 8 + 4 + 1;
  const std::size_t n = in.count("the number of instructions", kLeastBytes);
  std::vector<std::uint64_t> low(n), high(n);
  std::vector<std::uint32_t> control(n);
  for (auto& word : low) word = in.u64();
  for (auto& word : high) word = in.u64();
  for (auto& word : control) word = in.u32();
  std::vector<isa::Instruction> code(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string text = in.text();
    const std::uint64_t pc = layout.pc(i);
    if (!text.empty()) code[i] = isa::parse_instruction(text, fmt::format("{}, PC {:#x}", place, pc));
    code[i].pc = static_cast<std::uint32_t>(pc);
    code[i].low = low[i];
    code[i].high = high[i];
    if (control[i] >> 20) in.fail("an instruction has control bits above bit 19");
    code[i].control = unpack(control[i]);
  }
  return code;
}

}  // namespace

std::vector<std::uint8_t> encode_kernel(const KernelInfo& k) {
  ByteWriter out;
  out.text(k.name);
  out.varint(static_cast<std::uint64_t>(k.sm));
  for (const std::uint32_t v : {k.registers, k.static_shared, k.dynamic_shared, k.local_bytes, k.barriers})
    out.varint(v);
  write_dim(out, k.grid);
  write_dim(out, k.block);
  out.u64(k.code_address);
  out.u64(k.constant_address);
  out.u32(k.preferred_shared_carveout);
  out.u8(k.has_encodings ? 1 : 0);
  write_code(out, k.code);
  out.varint(k.constants.size());
  for (const ConstantBank& bank : k.constants) {
    out.u8(bank.bank);
    out.blob(bank.bytes);
  }
  if (!k.made_on.empty()) out.text(k.made_on);
  return out.take();
}

KernelInfo decode_kernel(std::span<const std::uint8_t> bytes, std::string_view place) {
  ByteReader in(bytes, place);
  KernelInfo k;
  k.name = in.text();
  k.sm = static_cast<int>(in.varint(1000, "the architecture"));
  const isa::Architecture& architecture = isa::architecture(k.sm, place);
  for (std::uint32_t* v : {&k.registers, &k.static_shared, &k.dynamic_shared, &k.local_bytes, &k.barriers})
    *v = static_cast<std::uint32_t>(in.varint(0xffffffffu, "a resource of the kernel"));
  k.grid = read_dim(in, "the grid", 0x7fffffff, 65535);
  k.block = read_dim(in, "the block", 1024, 1024);
  if (k.block.count() > 1024) in.fail(fmt::format("a block of {} threads; at most 1024 are possible", k.block.count()));
  k.code_address = in.u64();
  k.constant_address = in.u64();
  k.preferred_shared_carveout = in.u32();
  const std::uint8_t encodings = in.u8();
  if (encodings > 1) in.fail(fmt::format("'has encodings' is {}; it is 0 or 1", encodings));
  k.has_encodings = encodings == 1;
  k.code = read_code(in, architecture.code, place);
  k.constants.resize(in.count("the number of constant banks", 2));
  for (ConstantBank& bank : k.constants) {
    bank.bank = in.u8();
    const auto content = in.blob();
    bank.bytes.assign(content.begin(), content.end());
  }
  if (in.left() != 0) k.made_on = in.text();
  in.expect_end();
  return k;
}

}  // namespace sassim::trace
