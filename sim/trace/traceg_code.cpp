// SPDX-License-Identifier: Apache-2.0
// Makes a kernel's code from the lines of an Accel-Sim trace, or checks it against a given disassembly.
#include "sim/trace/traceg_code.h"

#include <algorithm>
#include <cctype>

#include "sim/base/error.h"
#include "sim/trace/memory_ops.h"

namespace sassim::trace {
namespace {

/// A million instructions; the largest kernels have tens of thousands.
constexpr std::uint32_t kLastPc = 16u << 20;

/// Hands out the sources of a line in order.
class Sources {
 public:
  explicit Sources(const TracegInstruction& line) : line_(line) {}
  bool left() const { return next_ < line_.source_count; }
  std::string name() { return left() ? reg(line_.sources[next_++]) : "RZ"; }
  static std::string reg(std::uint8_t index) { return index == isa::kRZ ? "RZ" : fmt::format("R{}", index); }

 private:
  const TracegInstruction& line_;
  unsigned next_ = 0;
};

/// The operand for a role of the opcode table; "" if the trace does not have it and the table does not need it.
std::string operand_for(char role, const isa::OpcodeRow& row, const TracegInstruction& line, Sources& sources) {
  const bool wide = row.space == isa::Space::global || row.space == isa::Space::generic;
  switch (role) {
    case 'D':
      return line.dest_count ? Sources::reg(line.dests[0]) : "RZ";
    case 'd':
      return line.dest_count ? Sources::reg(line.dests[0]) : "";
    case 'P':
    case 'Q':
      return "PT";
    case 'A':
    case 'B':
    case 'C':
    case 'E':
      return sources.name();
    case 'a':
    case 'b':
    case 'c':
    case 'e':
      return sources.left() ? sources.name() : "";
    case 'M':
      return fmt::format("[{}{}]", sources.name(), wide ? ".64" : "");
    case 'H':
      return fmt::format("[{}]", sources.name());
    case 'm':
      return sources.left() ? fmt::format("[{}]", sources.name()) : "";
    case 'K':
      return sources.left() ? fmt::format("c[0x0][{}]", sources.name()) : "c[0x0][0x0]";
    case 'S':
      return "SRZ";
    default:
      return "";
  }
}

}  // namespace

TracegCode::TracegCode(const TracegHeader& header) : layout_(isa::architecture(header.sm).code) {
  kernel_.name = header.name;
  kernel_.sm = header.sm;
  kernel_.registers = header.registers;
  kernel_.dynamic_shared = header.shared;
  kernel_.grid = header.grid;
  kernel_.block = header.block;
  kernel_.has_encodings = false;
}

void TracegCode::add(const LineReader& in, const TracegInstruction& line) {
  auto& variants = by_pc_[line.pc];
  for (const Variant& variant : variants)
    if (variant.operands == line.operands) return;
  if (!layout_.is_instruction(line.pc))
    in.fail(
        fmt::format("PC {:#x} is not the start of an instruction of {} bytes", line.pc, layout_.instruction_bytes()));
  if (line.pc >= kLastPc) in.fail(fmt::format("PC {:#x} is beyond 16 MiB of code", line.pc));
  if (variants.size() == 64) in.fail(fmt::format("more than 64 different instructions at PC {:#x}", line.pc));
  const auto index = static_cast<std::uint32_t>(layout_.index(line.pc));
  variants.push_back({std::string(line.operands), text_of(line), index, in.line()});
  code_size_ = std::max(code_size_, index + 1);
}

std::string TracegCode::text_of(const TracegInstruction& line) const {
  std::string text(line.opcode);
  const isa::OpcodeRow* known =
      isa::find_opcode(line.opcode.substr(0, line.opcode.find('.')), isa::architecture(kernel_.sm).set);
  const isa::OpcodeRow row = known ? *known : isa::OpcodeRow{{}, {}, {}, {}, {}, "D a a a a", {}};
  Sources sources(line);
  bool first = true;
  for (std::size_t at = 0; at < row.roles.size();) {
    const std::string operand = operand_for(row.roles[at], row, line, sources);
    if (!operand.empty()) text += (first ? " " : ", ") + operand;
    first = first && operand.empty();
    const std::size_t space = row.roles.find(' ', at);
    at = space == std::string_view::npos ? row.roles.size() : space + 1;
  }
  return text;
}

std::uint32_t TracegCode::index(const TracegInstruction& line) const {
  for (const Variant& variant : by_pc_.at(line.pc))
    if (variant.operands == line.operands) return variant.index;
  throw InputError("the trace changed while it was read");
}

void TracegCode::place_variants() {
  std::vector<std::uint32_t> pcs;
  for (const auto& [pc, variants] : by_pc_) pcs.push_back(pc);
  std::ranges::sort(pcs);
  std::uint32_t next = code_size_;
  for (const std::uint32_t pc : pcs)
    for (std::size_t i = 1; i < by_pc_[pc].size(); ++i) by_pc_[pc][i].index = next++;
  kernel_.code.assign(next, isa::parse_instruction("NOP"));
}

/// In the order of the file, so that an error names the first wrong line.
void TracegCode::read_variants(const std::string& file, bool decodable) {
  std::vector<const Variant*> all;
  for (const auto& [pc, variants] : by_pc_)
    for (const Variant& variant : variants) all.push_back(&variant);
  std::ranges::sort(all, {}, [](const Variant* variant) { return variant->line; });
  for (const Variant* variant : all) {
    const std::string place = fmt::format("{}:{}", file, variant->line);
    isa::Instruction& instruction = kernel_.code[variant->index];
    instruction = isa::parse_instruction(variant->text, place);
    if (!decodable) continue;
    if (!isa::find_opcode(instruction.opcode, isa::architecture(kernel_.sm).set))
      throw NotSupported("{}: opcode '{}' is not in the opcode table", place, instruction.opcode);
    try {
      isa::decode(instruction, kernel_.sm);
    } catch (const Error& error) {
      throw Error(error.status(), fmt::format("{}: {}", place, error.what()));
    }
  }
}

void TracegCode::classify(const isa::Instruction& instruction) {
  const isa::OpcodeRow* row = isa::find_opcode(instruction.opcode, isa::architecture(kernel_.sm).set);
  const isa::Decoded decoded = row ? isa::decode(instruction, kernel_.sm) : isa::Decoded{};
  spaces_.push_back(row ? row->space : isa::Space::none);
  // Bulk and tensor copies specify a box of memory differently; QSPC only tests an address.
  const bool other =
      instruction.opcode.starts_with("UTMA") || instruction.opcode.starts_with("UBLK") || instruction.opcode == "QSPC";
  accesses_.push_back(!other && decoded.space != isa::Space::none && accesses_memory(decoded.op));
  exits_.push_back(decoded.flow == isa::ControlFlow::exit);
}

void TracegCode::finish(const std::string& file, const isa::Disassembly* real) {
  place_variants();
  read_variants(file, real == nullptr);
  if (real) use_real_code(file, *real);
  for (std::uint32_t i = 0; i < kernel_.code.size(); ++i) {
    kernel_.code[i].pc = static_cast<std::uint32_t>(layout_.pc(i));
    classify(kernel_.code[i]);
  }
}

void TracegCode::use_real_code(const std::string& file, const isa::Disassembly& real) {
  const isa::Function* function = real.find(kernel_.name);
  if (!function) throw InputError("{}: kernel {} is not in the cubin", file, kernel_.name);
  if (real.sm != 0 && real.sm != kernel_.sm)
    throw InputError("{}: the trace is of sm_{}, but the cubin is for sm_{}", file, kernel_.sm, real.sm);
  for (const auto& [pc, variants] : by_pc_) {
    const std::size_t at = layout_.index(pc);
    const std::string& ran = kernel_.code[variants[0].index].opcode;
    const std::string found = at < function->code.size() ? function->code[at].opcode : "nothing";
    if (variants.size() > 1)
      throw InputError("{}:{}: PC {:#x} has several instructions (a called function); control bits cannot be merged",
                       file, variants[1].line, pc);
    if (ran != found)
      throw InputError("{}:{}: the trace has {} at PC {:#x}, but the cubin has {}", file, variants[0].line, ran, pc,
                       found);
  }
  kernel_.code = function->code;
  kernel_.has_encodings = std::ranges::all_of(kernel_.code, [](const auto& i) { return (i.low | i.high) != 0; });
}

}  // namespace sassim::trace
