// SPDX-License-Identifier: Apache-2.0
// Parses header and instruction lines of an Accel-Sim trace, and refuses malformed ones.
#include "sim/trace/traceg_line.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "sim/base/error.h"
#include "sim/isa/architecture.h"

namespace sassim::trace {
namespace {

constexpr unsigned kWidestAccess = 32;  ///< bytes per thread

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

/// Reads the words of a line one after the other.
class Words {
 public:
  Words(const LineReader& in, std::string_view line) : in_(in), line_(line) {}

  std::string_view word(const char* what) {
    const std::size_t begin = line_.find_first_not_of(' ', at_);
    if (begin == std::string_view::npos) in_.fail(fmt::format("expected {}, but the line ends", what));
    at_ = std::min(line_.find(' ', begin), line_.size());
    return line_.substr(begin, at_ - begin);
  }

  template <class T>
  T number(const char* what, int base) {
    std::string_view text = word(what);
    if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size())
      in_.fail(fmt::format("expected {}, found '{}'", what, text.substr(0, 40)));
    return value;
  }

  std::uint8_t reg(const char* what) {
    const std::string_view text = word(what);
    unsigned value = 256;
    const char* end = text.data() + text.size();
    const bool whole = text.starts_with('R') && std::from_chars(text.data() + 1, end, value).ptr == end;
    if (!whole || value > 255) in_.fail(fmt::format("expected {} (R0 to R255), found '{}'", what, text.substr(0, 40)));
    return static_cast<std::uint8_t>(value);
  }

  std::size_t at() const { return at_; }

 private:
  const LineReader& in_;
  std::string_view line_;
  std::size_t at_ = 0;
};

Dim3 dimensions(const LineReader& in, std::string_view value) {
  std::string spaced(value);
  for (char& c : spaced)
    if (c == '(' || c == ')' || c == ',') c = ' ';
  Words words(in, spaced);
  Dim3 dim;
  dim.x = words.number<std::uint32_t>("a dimension (x,y,z)", 10);
  dim.y = words.number<std::uint32_t>("a dimension (x,y,z)", 10);
  dim.z = words.number<std::uint32_t>("a dimension (x,y,z)", 10);
  if (dim.x == 0 || dim.y == 0 || dim.z == 0 || dim.x > 0x7fffffff || dim.y > 65535 || dim.z > 65535)
    in.fail("a dimension is zero or larger than CUDA allows");
  return dim;
}

/// Checks a name as for .sast traces: it is printed on terminals and written to files.
std::string kernel_name(const LineReader& in, std::string_view name) {
  if (std::ranges::any_of(name, [](unsigned char c) { return c < ' '; }))
    in.fail("the kernel's name has control characters");
  return std::string(name);
}

std::uint32_t registers(const LineReader& in, std::uint32_t count) {
  if (count == 0 || count > 255) in.fail(fmt::format("{} registers per thread; expected 1 to 255", count));
  return count;
}

void header_line(const LineReader& in, std::string_view line, TracegHeader& header) {
  const std::size_t equal = line.find('=');
  if (equal == std::string_view::npos) in.fail("expected '-key = value'");
  const std::string_view key = trim(line.substr(1, equal - 1)), value = trim(line.substr(equal + 1));
  Words words(in, value);
  if (key == "kernel name") header.name = kernel_name(in, value);
  if (key == "grid dim") header.grid = dimensions(in, value);
  if (key == "block dim") header.block = dimensions(in, value);
  if (key == "shmem") header.shared = words.number<std::uint32_t>("bytes of shared memory", 10);
  if (key == "nregs") header.registers = registers(in, words.number<std::uint32_t>("a number of registers", 10));
  if (key == "binary version") header.sm = words.number<int>("an architecture such as 70", 10);
  if (key == "shmem base_addr") header.shared_base = words.number<std::uint64_t>("an address", 16);
  if (key == "local mem base_addr") header.local_base = words.number<std::uint64_t>("an address", 16);
  if (key == "accelsim tracer version") header.version = words.number<int>("a version", 10);
  if (key == "enable lineinfo") header.line_numbers = words.number<int>("0 or 1", 10) != 0;
}

enum class AddressMode : unsigned { list = 0, stride = 1, deltas = 2 };

void read_addresses(const LineReader& in, Words& words, TracegInstruction& out) {
  const auto mode = words.number<unsigned>("an address format (0, 1 or 2)", 10);
  if (mode > 2) in.fail(fmt::format("unknown address format {}; known: 0, 1 and 2", mode));
  out.has_addresses = true;
  // The tracer prints a base address even if no thread took part.
  std::uint64_t address = mode == 0 ? 0 : words.number<std::uint64_t>("a base address", 16);
  const auto stride =
      static_cast<AddressMode>(mode) == AddressMode::stride ? words.number<std::int64_t>("a stride", 10) : 0;
  bool first = true;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if (!(out.mask >> lane & 1)) continue;
    if (static_cast<AddressMode>(mode) == AddressMode::list)
      address = words.number<std::uint64_t>("an address", 16);
    else if (!first && static_cast<AddressMode>(mode) == AddressMode::stride)
      address += static_cast<std::uint64_t>(stride);
    else if (!first)
      address += static_cast<std::uint64_t>(words.number<std::int64_t>("a difference of addresses", 10));
    first = false;
    out.addresses[lane] = address;
  }
}

}  // namespace

TracegHeader read_traceg_header(LineReader& in) {
  TracegHeader header;
  std::string_view line;
  bool started = false;
  while (!started && in.next(line)) {
    if (line.starts_with('-')) header_line(in, line, header);
    started = line.starts_with('#');
  }
  if (!started)
    in.fail("expected '#traces format' or '#BEGIN_TB' after the header: not an Accel-Sim trace, or cut off");
  if (header.name.empty()) in.fail("the header has no '-kernel name'");
  for (const auto& [missing, key] : {std::pair{header.grid.x == 0, "grid dim"},
                                     {header.block.x == 0, "block dim"},
                                     {header.registers == 0, "nregs"}})
    if (missing) in.fail(fmt::format("the header has no '-{} = ...'", key));
  if (header.version < 3 || header.version > 5)
    throw NotSupported("{}: tracer version {}; versions 3 to 5 can be imported", in.path(), header.version);
  isa::architecture(header.sm, fmt::format("{}: binary version {}", in.path(), header.sm));
  if (header.block.count() > 1024)
    in.fail(fmt::format("a block of {} threads; at most 1024 are possible", header.block.count()));
  return header;
}

void parse_traceg_instruction(const LineReader& in, std::string_view line, bool line_numbers, TracegInstruction& out) {
  Words words(in, line);
  if (line_numbers) words.word("a source line");
  out.pc = words.number<std::uint32_t>("a PC", 16);
  out.mask = words.number<std::uint32_t>("a mask", 16);
  const std::size_t begin = words.at();
  out.dest_count = words.number<unsigned>("a number of destinations", 10);
  if (out.dest_count > out.dests.size())
    in.fail(fmt::format("{} destinations; at most 2 are possible", out.dest_count));
  for (unsigned i = 0; i < out.dest_count; ++i) out.dests[i] = words.reg("a destination");
  out.opcode = words.word("an opcode");
  out.source_count = words.number<unsigned>("a number of sources", 10);
  if (out.source_count > out.sources.size())
    in.fail(fmt::format("{} sources; at most 8 are possible", out.source_count));
  for (unsigned i = 0; i < out.source_count; ++i) out.sources[i] = words.reg("a source");
  out.operands = line.substr(begin, words.at() - begin);
  out.has_addresses = false;
  const auto width = words.number<unsigned>("a memory width", 10);
  if (width == 0) return;
  if (width > kWidestAccess || !std::has_single_bit(width))
    in.fail(fmt::format("a memory width of {} bytes; expected 1, 2, 4, 8, 16 or 32", width));
  // The addresses of bulk and tensor copies describe boxes of memory, not the accesses of a warp's threads.
  if (out.opcode.starts_with("UTMA") || out.opcode.starts_with("UBLK")) return;
  read_addresses(in, words, out);
}

}  // namespace sassim::trace
