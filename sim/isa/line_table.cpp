// SPDX-License-Identifier: Apache-2.0
// Runs the DWARF line program of a cubin to find the CUDA source line of each instruction.
#include "sim/isa/line_table.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "sim/isa/architecture.h"

namespace sassim::isa {

namespace {

struct Damaged : std::runtime_error {
  Damaged() : std::runtime_error("damaged line table") {}
};

class DwarfBytes {
 public:
  DwarfBytes(const std::vector<std::uint8_t>& bytes, std::size_t at, std::size_t end)
      : bytes_(bytes), at_(at), end_(end) {
    if (end > bytes.size() || at > end) throw Damaged();
  }
  std::size_t at() const { return at_; }
  bool done() const { return at_ >= end_; }
  void skip(std::uint64_t count) {
    if (count > end_ - at_) throw Damaged();
    at_ += count;
  }
  template <class T>
  T take() {
    T value;
    const std::size_t from = at_;
    skip(sizeof value);
    std::memcpy(&value, bytes_.data() + from, sizeof value);
    return value;
  }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }
  std::string text() {
    std::string value;
    for (char c = take<char>(); c != '\0'; c = take<char>()) value += c;
    return value;
  }

 private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_, end_;
};

/// Runs a line number program: it emits sequences of rows (address, file, line) with rising addresses.
class LineProgram {
 public:
  LineProgram(const Cubin& cubin, const CubinSection& section, const CubinKernel& kernel)
      : cubin_(cubin), section_(section), kernel_(kernel), layout_(architecture(cubin.sm).code) {
    table_.files.emplace_back();
    table_.lines.resize(layout_.index(cubin.sections[kernel.section].size));
    table_.calls.resize(table_.lines.size());
  }

  LineTable read() {
    for (std::size_t at = 0; at + 4 < section_.bytes.size();) at = unit(at);
    return std::move(table_);
  }

 private:
  std::size_t unit(std::size_t at) {
    DwarfBytes head(section_.bytes, at, section_.bytes.size());
    const std::size_t end = at + 4 + head.take<std::uint32_t>();
    DwarfBytes in(section_.bytes, head.at(), end);
    const auto version = in.take<std::uint16_t>();
    if (version < 2 || version > 4) return end;
    const auto header = in.take<std::uint32_t>();
    const std::size_t program = in.at() + header;
    step_ = in.take<std::uint8_t>();
    if (version == 4) in.skip(1);  // operations per instruction
    in.skip(1);                    // default_is_stmt
    base_ = in.take<std::int8_t>();
    range_ = std::max<std::uint8_t>(in.take<std::uint8_t>(), 1);
    opcode_base_ = in.take<std::uint8_t>();
    lengths_.assign(1, 0);
    for (int i = 1; i < opcode_base_; ++i) lengths_.push_back(in.take<std::uint8_t>());
    read_files(in);
    DwarfBytes code(section_.bytes, program, end);
    run(code);
    return end;
  }

  void read_files(DwarfBytes& in) {
    std::vector<std::string> folders = {""};
    for (std::string name = in.text(); !name.empty(); name = in.text()) folders.push_back(name);
    first_file_ = table_.files.size();
    for (std::string name = in.text(); !name.empty(); name = in.text()) {
      const std::uint64_t folder = in.uleb();
      in.uleb();
      in.uleb();
      const bool relative = name.front() != '/' && folder < folders.size() && !folders[folder].empty();
      table_.files.push_back(relative ? folders[folder] + "/" + name : name);
    }
  }

  void restart() {
    address_ = context_ = 0, file_ = line_ = 1, ours_ = false;
    last_.reset();
    rows_.clear();
  }

  /// Reads an address and notes whether its symbol is in this kernel's section.
  void set_address(DwarfBytes& in) {
    const std::size_t at = in.at();
    address_ = in.take<std::uint64_t>();
    ours_ = false;
    for (const CubinRelocation& relocation : section_.relocations) {
      if (relocation.offset != at || relocation.symbol >= cubin_.symbols.size()) continue;
      const CubinSymbol& symbol = cubin_.symbols[relocation.symbol];
      ours_ = symbol.section == kernel_.section;
      address_ += symbol.value + static_cast<std::uint64_t>(relocation.addend);
    }
  }

  struct Row {
    SourceLine line, call;
  };

  /// Assigns the instructions from the last row up to this one to the last row's line.
  void row(bool end) {
    if (ours_ && last_) {
      const std::uint64_t after = layout_.index(address_ + layout_.instruction_bytes() - 1);
      for (std::uint64_t i = layout_.index(*last_); i < std::min<std::uint64_t>(after, table_.lines.size()); ++i)
        table_.lines[i] = rows_.back().line, table_.calls[i] = rows_.back().call;
    }
    const std::uint64_t file = first_file_ + file_ - 1;
    const bool known = file_ != 0 && file < table_.files.size();
    Row now{{known ? static_cast<std::uint32_t>(file) : 0, static_cast<std::uint32_t>(line_)}, {}};
    if (context_ != 0 && context_ <= rows_.size()) {
      const Row& caller = rows_[context_ - 1];
      now.call = caller.call.line != 0 ? caller.call : caller.line;
    }
    rows_.push_back(now);
    last_.reset();
    if (ours_ && !end) last_ = address_;
  }

  /// DW_LNE_NVIDIA_inlined_call: observed in cubins of CUDA 11.8, where nvdisasm -gi prints the same calls.
  static constexpr std::uint8_t kInlinedCall = 0x90;

  void extended(DwarfBytes& in) {
    const std::uint64_t length = in.uleb();
    const std::size_t end = in.at() + length;
    if (length == 0) return;
    const auto opcode = in.take<std::uint8_t>();
    if (opcode == 1) {
      row(true);
      restart();
    } else if (opcode == 2 && length == 9) {
      set_address(in);
    } else if (opcode == kInlinedCall) {
      context_ = in.uleb();
    }
    if (end < in.at()) throw Damaged();
    in.skip(end - in.at());
  }

  void run(DwarfBytes& in) {
    restart();
    while (!in.done()) {
      const auto opcode = in.take<std::uint8_t>();
      if (opcode >= opcode_base_) {
        const std::uint32_t adjusted = opcode - opcode_base_;
        address_ += std::uint64_t{adjusted / range_} * step_;
        line_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(base_) + adjusted % range_);
        row(false);
      } else {
        standard(opcode, in);
      }
    }
  }

  void standard(std::uint8_t opcode, DwarfBytes& in) {
    switch (opcode) {
      case 0:
        return extended(in);
      case 1:
        return row(false);
      case 2:
        address_ += in.uleb() * step_;
        return;
      case 3:
        line_ += static_cast<std::uint64_t>(in.sleb());
        return;
      case 4:
        file_ = in.uleb();
        return;
      case 8:
        address_ += std::uint64_t{(255u - opcode_base_) / range_} * step_;
        return;
      case 9:
        address_ += in.take<std::uint16_t>();
        return;
      default:
        for (int i = 0; i < lengths_[opcode]; ++i) in.uleb();
    }
  }

  const Cubin& cubin_;
  const CubinSection& section_;
  const CubinKernel& kernel_;
  const CodeLayout layout_;
  LineTable table_;
  std::uint32_t step_ = 1;
  std::int8_t base_ = 0;
  std::uint8_t range_ = 1, opcode_base_ = 1;
  std::vector<std::uint8_t> lengths_;
  std::size_t first_file_ = 1;
  std::uint64_t address_ = 0, file_ = 1, line_ = 1;
  std::uint64_t context_ = 0;  // the row, counted from 1, that calls the function in which this one is inlined
  bool ours_ = false;
  std::optional<std::uint64_t> last_;  // the address of the last row
  std::vector<Row> rows_;              // of this sequence
};

}  // namespace

LineTable read_line_table(const Cubin& cubin, const CubinKernel& kernel) try {
  for (const CubinSection& section : cubin.sections)
    if (section.name == ".debug_line") return LineProgram(cubin, section, kernel).read();
  return {};
} catch (const Damaged&) {
  return {};
}

}  // namespace sassim::isa
