// SPDX-License-Identifier: Apache-2.0
// Loads a cubin as the driver does: places code and variables in device memory, relocates them, decodes kernels.
#include "sim/emu/core/module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "sim/base/error.h"
#include "sim/emu/core/builtins.h"
#include "sim/emu/core/micro_op.h"
#include "sim/isa/assembly.h"
#include "sim/isa/cubin.h"
#include "sim/isa/disassembler.h"
#include "sim/isa/function_listing.h"

namespace sassim::emu {
namespace {

constexpr std::uint8_t kUserConstants = 3;

bool is_code(const isa::CubinSection& section) { return section.name.starts_with(".text."); }
bool is_memory(const isa::CubinSection& section) {
  return section.name == ".nv.global" || section.name == ".nv.global.init" || section.name == ".nv.constant3";
}

}  // namespace

struct Module::Impl {
  Impl(std::span<const std::uint8_t> bytes, DeviceMemory& device, const std::string& file, const std::string& text)
      : memory(device), name(file), cubin(isa::read_cubin(bytes, file)) {
    addresses.resize(cubin.sections.size());
    place_sections();
    fill_memory();
    describe_kernels();
    if (!text.empty())
      load_all(isa::parse_disassembly(text, file));
    else if (is_large() && find_symbols())
      image.assign(bytes.begin(), bytes.end());
    else
      load_all(*isa::disassemble(bytes, file));
  }
  ~Impl() {
    for (std::size_t i = 0; i < addresses.size(); ++i)
      if (is_memory(cubin.sections[i])) memory.free(addresses[i]);
  }

  void place_sections() {
    for (std::size_t i = 0; i < cubin.sections.size(); ++i) {
      const isa::CubinSection& section = cubin.sections[i];
      if (!is_memory(section) || section.size == 0) continue;
      addresses[i] = memory.allocate(section.size, std::max<std::uint64_t>(section.alignment, 256));
      if (addresses[i] == 0) throw InputError("{}: no device memory left for section '{}'", name, section.name);
    }
    // The last function gets the lowest addresses. This is assumed: misses in an H200's instruction caches fit this
    // order.
    for (std::size_t i = cubin.sections.size(); i-- != 0;)
      if (is_code(cubin.sections[i])) addresses[i] = memory.reserve_code(cubin.sections[i].size);
    for (const isa::CubinSymbol& symbol : cubin.symbols) {
      if (symbol.kind != isa::CubinSymbol::Kind::object || symbol.section == 0) continue;
      const isa::CubinSection& section = cubin.sections[symbol.section];
      if (!is_memory(section)) continue;
      variables[symbol.name] = {symbol.name, addresses[symbol.section] + symbol.value, symbol.size,
                                section.name == ".nv.constant3"};
    }
  }

  /// The address of a symbol, for code and data that refer to it.
  std::uint64_t address_of(const isa::CubinSymbol& symbol) const {
    if (symbol.section != 0)
      return addresses[symbol.section] + symbol.value;  // a symbol in shared memory has no section base
    return builtin_address(symbol.name);
  }

  std::vector<std::uint8_t> relocated(const isa::CubinSection& section) const {
    std::vector<std::uint8_t> bytes = section.bytes;
    bytes.resize(section.size);
    for (const isa::CubinRelocation& relocation : section.relocations)
      isa::relocate(bytes, relocation, target_of(relocation));
    return bytes;
  }

  std::uint64_t target_of(const isa::CubinRelocation& relocation) const {
    return address_of(cubin.symbols[relocation.symbol]) + static_cast<std::uint64_t>(relocation.addend);
  }

  void fill_memory() {
    for (std::size_t i = 0; i < cubin.sections.size(); ++i) {
      const isa::CubinSection& section = cubin.sections[i];
      if (!is_memory(section) || section.size == 0 || section.bytes.empty()) continue;
      const std::vector<std::uint8_t> bytes = relocated(section);
      memory.write(addresses[i], bytes.data(), bytes.size());
    }
  }

  static const isa::Function& function(const isa::Disassembly& listing, const std::string& wanted,
                                       const std::string& file) {
    for (const isa::Function& candidate : listing.functions)
      if (candidate.name == wanted) return candidate;
    throw InputError("{}: the disassembly does not have function '{}'", file, wanted);
  }

  /// Appends a function's code to a kernel. Its branch targets count from the start of the function.
  void append(Kernel& kernel, const isa::CubinKernel& source, std::vector<isa::Instruction> code) const {
    const isa::CodeLayout layout = kernel.layout();
    const auto base = static_cast<std::uint32_t>(kernel.code_bytes());
    for (const isa::CubinRelocation& relocation : cubin.sections[source.section].relocations) {
      const std::uint64_t index = layout.index(relocation.offset);
      if (index >= code.size()) throw InputError("{}: a relocation of '{}' is beyond its code", name, source.name);
      patch(code[index], kernel.architecture(), relocation.type, target_of(relocation));
      const std::string& symbol = cubin.symbols[relocation.symbol].name;
      kernel.uses_heap |= symbol == "malloc" || symbol == "free";
    }
    kernel.regions.push_back({addresses[source.section], base, static_cast<std::uint32_t>(layout.bytes(code.size()))});
    for (isa::Instruction& instruction : code) {
      instruction.pc += base;
      const bool absolute = instruction.has("ABS") || instruction.opcode == "JMP";
      if (base != 0 && !absolute)
        for (isa::Operand& operand : instruction.operands)
          if (operand.kind == isa::OperandKind::label) operand.value += base;
      kernel.code.push_back(std::move(instruction));
    }
    append_source(kernel, source);
  }

  /// Appends the source lines of the function that append() took last.
  void append_source(Kernel& kernel, const isa::CubinKernel& source) const {
    isa::LineTable table = isa::read_line_table(cubin, source);
    const auto before = static_cast<std::uint32_t>(kernel.source.files.size());
    for (std::string& file : table.files) kernel.source.files.push_back(std::move(file));
    append_lines(kernel.source.lines, std::move(table.lines), before, kernel.code.size());
    append_lines(kernel.source.calls, std::move(table.calls), before, kernel.code.size());
  }

  static void append_lines(std::vector<isa::SourceLine>& to, std::vector<isa::SourceLine> from, std::uint32_t files,
                           std::size_t instructions) {
    for (isa::SourceLine& line : from) line.file += files;
    from.resize(instructions - to.size());
    to.insert(to.end(), from.begin(), from.end());
  }

  static void patch(isa::Instruction& instruction, const isa::Architecture& architecture, std::uint32_t type,
                    std::uint64_t address) {
    if (type == static_cast<std::uint32_t>(architecture.call) && !instruction.operands.empty()) {
      isa::Operand& target = instruction.operands.back();
      target.kind = isa::OperandKind::label;
      target.value = static_cast<std::int64_t>(address);
      return;
    }
    isa::relocate(instruction, type, address);
  }

  /// Modules of libraries have hundreds of kernels, of which a program uses a few.
  bool is_large() const {
    constexpr std::uint64_t kLarge = 256 << 10;  // the disassembler takes about half a second for it
    std::uint64_t bytes = 0;
    for (const isa::CubinKernel& source : cubin.kernels) bytes += cubin.sections[source.section].size;
    return bytes > kLarge;
  }
  /// False if a function has no symbol, by which the disassembler could be asked for it.
  bool find_symbols() {
    std::map<std::uint32_t, std::uint32_t> by_section;
    for (std::uint32_t i = 0; i < cubin.symbols.size(); ++i) {
      const isa::CubinSymbol& symbol = cubin.symbols[i];
      if (symbol.section != 0 && is_code(cubin.sections[symbol.section])) by_section[symbol.section] = i;
    }
    for (const isa::CubinKernel& source : cubin.kernels) {
      const auto found = by_section.find(source.section);
      if (found == by_section.end()) return false;
      if (!source.entry)
        called_symbols.push_back(found->second);
      else
        kernels[source.name].symbol = found->second;
    }
    return true;
  }

  void describe_kernels() {
    std::uint64_t called_bytes = 0;
    for (const isa::CubinKernel& source : cubin.kernels)
      if (!source.entry) called_bytes += cubin.sections[source.section].size;
    for (const isa::CubinKernel& source : cubin.kernels) {
      if (!source.entry) continue;
      auto kernel = std::make_unique<Kernel>();
      describe(*kernel, source);
      const std::uint64_t bytes = cubin.sections[source.section].size + called_bytes;
      kernel->regions = {{kernel->code_address, 0, static_cast<std::uint32_t>(bytes)}};
      kernels[source.name] = {std::move(kernel), &source};
    }
  }

  void load(Kernel& kernel, const isa::CubinKernel& source, const isa::Disassembly& listing) {
    kernel.regions.clear();
    append(kernel, source, function(listing, source.name, name).code);
    for (const isa::CubinKernel& other : cubin.kernels)
      if (!other.entry) append(kernel, other, function(listing, other.name, name).code);
    kernel.program = decode_program(kernel.code, kernel.sm);
  }
  void load_all(const isa::Disassembly& listing) {
    for (auto& [kernel_name, entry] : kernels) load(*entry.kernel, *entry.source, listing);
  }

  const Kernel* find(const std::string& wanted) const {
    const auto found = kernels.find(wanted);
    return found == kernels.end() ? nullptr : found->second.kernel.get();
  }
  /// `wanted` is a kernel of the module.
  void make_ready(const std::string& wanted) {
    const Entry& entry = kernels.at(wanted);
    if (entry.kernel->program) return;
    std::vector<std::uint32_t> symbols{entry.symbol};
    symbols.insert(symbols.end(), called_symbols.begin(), called_symbols.end());
    load(*entry.kernel, *entry.source, *isa::disassemble_functions(image, name, symbols));
  }

  void describe(Kernel& kernel, const isa::CubinKernel& source) const {
    kernel.name = source.name;
    kernel.sm = cubin.sm;
    kernel.registers = source.registers;
    kernel.static_shared = source.static_shared;
    kernel.local_bytes = source.stack_bytes;
    kernel.barriers = source.barriers;
    kernel.param_bytes = source.parameter_bytes;
    kernel.param_base = source.parameter_base;
    kernel.max_threads = source.max_threads;
    kernel.cluster = {source.cluster[0], source.cluster[1], source.cluster[2]};
    for (const isa::KernelParameter& parameter : source.parameters) {
      kernel.param_offsets.push_back(parameter.offset);
      kernel.param_sizes.push_back(parameter.size);
    }
    kernel.code_address = addresses[source.section];
    for (const isa::CubinBank& bank : source.banks) {
      const isa::CubinSection& section = cubin.sections[bank.section];
      if (bank.bank == 0) {
        for (const isa::CubinRelocation& relocation : section.relocations)
          if (relocation.type == static_cast<std::uint32_t>(isa::RelocationType::texture_object))
            kernel.texture_slots.emplace_back(static_cast<std::uint32_t>(relocation.offset),
                                              cubin.symbols[relocation.symbol].name);
        continue;
      }
      if (bank.bank == kUserConstants)
        kernel.device_constants[bank.bank] = {addresses[bank.section], section.size};
      else
        kernel.constants[bank.bank] = relocated(section);
    }
  }

  DeviceMemory& memory;
  std::string name;
  isa::Cubin cubin;
  std::vector<std::uint64_t> addresses;  ///< by section
  struct Entry {
    std::unique_ptr<Kernel> kernel;
    const isa::CubinKernel* source = nullptr;
    std::uint32_t symbol = 0;  ///< of a kernel that is disassembled by itself
  };
  std::map<std::string, Entry> kernels;
  std::vector<std::uint32_t> called_symbols;  ///< of functions that kernels may call
  std::vector<std::uint8_t> image;            ///< the cubin, if kernels are disassembled one by one
  std::map<std::string, Variable> variables;
};

Module::Module(std::span<const std::uint8_t> cubin, DeviceMemory& memory, const std::string& name,
               const std::string& disassembly)
    : impl_(std::make_unique<Impl>(cubin, memory, name, disassembly)), sm_(impl_->cubin.sm) {}

Module::~Module() = default;

const Kernel* Module::find_kernel(const std::string& name) const { return impl_->find(name); }

const Kernel& Module::kernel(const std::string& name) const {
  if (const Kernel* found = find_kernel(name)) {
    impl_->make_ready(name);
    return *found;
  }
  throw InputError("{}: there is no kernel '{}'; it has: {}", impl_->name, name, fmt::join(kernel_names(), ", "));
}

const Variable* Module::find_variable(const std::string& name) const {
  const auto found = impl_->variables.find(name);
  return found == impl_->variables.end() ? nullptr : &found->second;
}

std::vector<std::string> Module::kernel_names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : impl_->kernels) names.push_back(name);
  return names;
}

}  // namespace sassim::emu
