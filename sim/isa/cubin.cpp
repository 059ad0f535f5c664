// SPDX-License-Identifier: Apache-2.0
// Reads the sections, symbols, relocations and kernels of a cubin by libelf, and refuses damaged files.
#include "sim/isa/cubin.h"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "sim/base/error.h"
#include "sim/isa/architecture.h"
#include "sim/isa/cubin_info.h"

namespace sassim::isa {
namespace {

constexpr std::size_t kMaxSections = 65000;
constexpr std::uint64_t kMaxMemory = std::uint64_t{1}
                                     << 40;  // above the memory of any GPU: a larger size means a damaged file
constexpr std::uint16_t kMachineCuda = 190;  // EM_CUDA
constexpr int kAbi12 = 7, kAbi13 = 8;        // EI_ABIVERSION up to CUDA 12 and since CUDA 13
constexpr std::uint8_t kEntryFlag = 0x10;    // STO_CUDA_ENTRY in st_other

struct ElfClose {
  void operator()(Elf* elf) const { elf_end(elf); }
};

class CubinReader {
 public:
  CubinReader(std::span<const std::uint8_t> bytes, std::string_view file)
      : bytes_(bytes.begin(), bytes.end()), file_(file) {}

  Cubin read() {
    open();
    read_sections();
    read_symbols();
    read_relocations();
    find_kernels();
    read_attributes();
    attach_banks();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { throw InputError("{}: expected a cubin: {}", file_, what); }
  [[noreturn]] void fail(std::string_view section, std::string_view what) const {
    throw InputError("{}: section '{}': {}", file_, section, what);
  }

  void open() {
    if (elf_version(EV_CURRENT) == EV_NONE) fail("libelf is too old");
    if (bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0)
      fail("it does not start with an ELF header");
    elf_.reset(elf_memory(reinterpret_cast<char*>(bytes_.data()), bytes_.size()));
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF || gelf_getclass(elf_.get()) != ELFCLASS64)
      fail("it is not a 64-bit ELF file");
    GElf_Ehdr header;
    if (gelf_getehdr(elf_.get(), &header) == nullptr) fail("its ELF header is damaged");
    if (header.e_machine != kMachineCuda) fail(fmt::format("its machine is {}, not CUDA (190)", header.e_machine));
    const int version = header.e_ident[EI_ABIVERSION];
    if (version > kAbi13)
      throw NotSupported("{}: cubins of ABI version {} are not supported; compile with CUDA 11, 12 or 13", file_,
                         version);
    out_.sm = static_cast<int>((version > kAbi12 ? header.e_flags >> 8 : header.e_flags) & 0xff);
    architecture_ = &architecture(out_.sm, file_);
    std::size_t count = 0;
    if (elf_getshdrnum(elf_.get(), &count) != 0 || elf_getshdrstrndx(elf_.get(), &name_section_) != 0)
      fail("its section table is damaged");
    // For a file with truncated tables, libelf reports no sections.
    const auto within = [&](std::uint64_t offset, std::uint64_t records, std::uint64_t size) {
      return offset <= bytes_.size() && records * size <= bytes_.size() - offset;
    };
    if (header.e_shoff == 0 || !within(header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr)) ||
        !within(header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr)))
      fail("its section or segment table reaches beyond the end of the file");
    if (count > kMaxSections) fail("it has more than 65000 sections");
    out_.sections.resize(count);
    headers_.resize(count);
  }

  void read_sections() {
    for (std::size_t i = 1; i < out_.sections.size(); ++i) {
      Elf_Scn* scn = elf_getscn(elf_.get(), i);
      if (scn == nullptr || gelf_getshdr(scn, &headers_[i]) == nullptr) fail(fmt::format("section {} is damaged", i));
      const GElf_Shdr& header = headers_[i];
      CubinSection& section = out_.sections[i];
      const char* name = elf_strptr(elf_.get(), name_section_, header.sh_name);
      if (name == nullptr) fail(fmt::format("section {} has no name", i));
      section.name = name;
      section.size = header.sh_size;
      section.alignment = std::max<std::uint64_t>(1, header.sh_addralign);
      if (section.size > kMaxMemory) fail(section.name, "its size is impossibly large");
      if (header.sh_type == SHT_NOBITS || section.size == 0) continue;
      if (header.sh_offset > bytes_.size() || header.sh_size > bytes_.size() - header.sh_offset)
        fail(section.name, "it reaches beyond the end of the file");
      const auto start = bytes_.begin() + static_cast<std::ptrdiff_t>(header.sh_offset);
      section.bytes.assign(start, start + static_cast<std::ptrdiff_t>(header.sh_size));
      if (section.name == ".nv.global.init") out_.global_init = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = 1; i < out_.sections.size(); ++i)
      if (out_.sections[i].name == ".nv.global") out_.global_zero = static_cast<std::uint32_t>(i);
  }

  /// Reads a table of fixed-size records in a section; copies each, because sections of a damaged file may be
  /// unaligned.
  template <class Record, class Use>
  void each(std::size_t section, Use use) const {
    const auto& bytes = out_.sections[section].bytes;
    if (bytes.size() % sizeof(Record) != 0)
      fail(out_.sections[section].name, "its size is not a whole number of records");
    for (std::size_t at = 0; at + sizeof(Record) <= bytes.size(); at += sizeof(Record)) {
      Record record;
      std::memcpy(&record, bytes.data() + at, sizeof(Record));
      use(record);
    }
  }

  void read_symbols() {
    for (std::size_t i = 1; i < headers_.size(); ++i) {
      if (headers_[i].sh_type != SHT_SYMTAB || !out_.symbols.empty()) continue;
      each<Elf64_Sym>(i, [&](const Elf64_Sym& record) {
        CubinSymbol symbol;
        const char* name = elf_strptr(elf_.get(), headers_[i].sh_link, record.st_name);
        if (name == nullptr) fail(out_.sections[i].name, "a symbol's name is outside of the string table");
        symbol.name = name;
        symbol.value = record.st_value;
        symbol.size = record.st_size;
        symbol.section = record.st_shndx < headers_.size() ? record.st_shndx : 0;
        const int type = ELF64_ST_TYPE(record.st_info);
        symbol.kind = type == STT_FUNC      ? CubinSymbol::Kind::function
                      : type == STT_OBJECT  ? CubinSymbol::Kind::object
                      : type == STT_SECTION ? CubinSymbol::Kind::section
                                            : CubinSymbol::Kind::none;
        if (symbol.kind == CubinSymbol::Kind::section && symbol.name.empty() && symbol.section != 0)
          symbol.name = out_.sections[symbol.section].name;
        entry_.push_back((record.st_other & kEntryFlag) != 0);
        out_.symbols.push_back(std::move(symbol));
      });
    }
  }

  void read_relocations() {
    for (std::size_t i = 1; i < headers_.size(); ++i) {
      const GElf_Shdr& header = headers_[i];
      if (header.sh_type != SHT_REL && header.sh_type != SHT_RELA) continue;
      const std::size_t target = header.sh_info;
      if (target == 0 || target >= headers_.size()) fail(out_.sections[i].name, "it names no section to relocate");
      const auto add = [&](std::uint64_t offset, std::uint64_t info, std::int64_t addend) {
        const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(info));
        if (symbol >= out_.symbols.size()) fail(out_.sections[i].name, "it names a symbol that does not exist");
        if (offset >= std::max<std::uint64_t>(1, out_.sections[target].size))
          fail(out_.sections[i].name, "a relocation is outside of its section");
        out_.sections[target].relocations.push_back(
            {offset, static_cast<std::uint32_t>(ELF64_R_TYPE(info)), symbol, addend});
      };
      if (header.sh_type == SHT_REL)
        each<Elf64_Rel>(
            i, [&](const Elf64_Rel& r) { add(r.r_offset, r.r_info, addend_in_place(out_.sections[target].bytes, r)); });
      else
        each<Elf64_Rela>(i, [&](const Elf64_Rela& r) { add(r.r_offset, r.r_info, r.r_addend); });
    }
  }

  /// In sections named .rel... the addend is in the relocated data itself: data words, or bits 63:32 of an instruction.
  static std::int64_t addend_in_place(std::span<const std::uint8_t> bytes, const Elf64_Rel& record) {
    const auto type = static_cast<RelocationType>(ELF64_R_TYPE(record.r_info));
    const bool data64 = type == RelocationType::word64 || type == RelocationType::generic64;
    const bool data32 = type == RelocationType::word32 || type == RelocationType::generic32;
    const bool low = type == RelocationType::immediate || type == RelocationType::immediate_low;
    const std::uint64_t at = record.r_offset + (low ? 4 : 0);
    const std::size_t size = data64 ? 8 : data32 || low ? 4 : 0;
    if (size == 0 || at > bytes.size() || bytes.size() - at < size) return 0;
    std::int64_t addend = 0;
    std::memcpy(&addend, bytes.data() + at, size);
    return addend;
  }

  void find_kernels() {
    for (std::size_t i = 1; i < headers_.size(); ++i) {
      const CubinSection& section = out_.sections[i];
      if (!section.name.starts_with(".text.")) continue;
      CubinKernel kernel;
      kernel.name = section.name.substr(6);
      kernel.section = static_cast<std::uint32_t>(i);
      if (const std::uint32_t unit = architecture_->code.unit_bytes(); section.bytes.size() % unit != 0)
        fail(section.name, fmt::format("its size is not a whole number of {}-byte {}", unit,
                                       unit == architecture_->code.instruction_bytes() ? "instructions" : "groups"));
      kernel.registers = static_cast<std::uint32_t>(headers_[i].sh_info >> 24);
      kernel.barriers = static_cast<std::uint32_t>(headers_[i].sh_flags >> 20 & 0x7f);
      for (std::size_t s = 0; s < out_.symbols.size(); ++s)
        if (out_.symbols[s].section == i && out_.symbols[s].name == kernel.name) kernel.entry = entry_[s];
      out_.kernels.push_back(std::move(kernel));
    }
  }

  CubinKernel* kernel_of_symbol(std::uint32_t index) {
    if (index >= out_.symbols.size()) return nullptr;
    for (CubinKernel& kernel : out_.kernels)
      if (kernel.name == out_.symbols[index].name) return &kernel;
    return nullptr;
  }

  void read_attributes() {
    for (std::size_t i = 1; i < headers_.size(); ++i) {
      const CubinSection& section = out_.sections[i];
      const std::string place = fmt::format("{}: section '{}'", file_, section.name);
      if (section.name == ".nv.info") {
        for (const CubinAttribute& attribute : read_cubin_attributes(section.bytes, place))
          if (CubinKernel* kernel = kernel_of_symbol(attribute.word(0))) apply_module_attribute(attribute, *kernel);
      } else if (section.name.starts_with(".nv.info.")) {
        for (CubinKernel& kernel : out_.kernels) {
          if (section.name.compare(9, std::string::npos, kernel.name) != 0) continue;
          for (const CubinAttribute& attribute : read_cubin_attributes(section.bytes, place))
            apply_kernel_attribute(attribute, kernel);
          std::sort(kernel.parameters.begin(), kernel.parameters.end(),
                    [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
        }
      }
    }
  }

  void attach_banks() {
    for (std::uint32_t i = 1; i < out_.sections.size(); ++i) {
      const std::string& name = out_.sections[i].name;
      for (CubinKernel& kernel : out_.kernels) {
        if (name == ".nv.shared." + kernel.name) {
          if (out_.sections[i].size > (std::uint64_t{1} << 20)) fail(name, "more shared memory than any GPU has");
          const auto bytes = static_cast<std::uint32_t>(out_.sections[i].size);
          kernel.static_shared = bytes - std::min(bytes, architecture_->system_shared);
        }
        if (!name.starts_with(".nv.constant")) continue;
        const std::size_t digits = std::min(name.find('.', 12), name.size());
        const std::string_view owner = std::string_view(name).substr(digits);
        const int bank = digits == 13 ? name[12] - '0' : digits == 14 ? (name[12] - '0') * 10 + name[13] - '0' : -1;
        if (bank < 0 || bank > 31) continue;
        if (owner.empty() || owner.substr(1) == kernel.name)
          kernel.banks.push_back({static_cast<std::uint8_t>(bank), i});
      }
    }
  }

  std::vector<std::uint8_t> bytes_;
  std::string file_;
  std::unique_ptr<Elf, ElfClose> elf_;
  std::size_t name_section_ = 0;
  std::vector<GElf_Shdr> headers_;
  std::vector<bool> entry_;
  const Architecture* architecture_ = nullptr;
  Cubin out_;
};

}  // namespace

Cubin read_cubin(std::span<const std::uint8_t> bytes, std::string_view file) { return CubinReader(bytes, file).read(); }

const CubinKernel* Cubin::find(std::string_view kernel) const {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const CubinKernel& k) { return k.name == kernel; });
  return found == kernels.end() ? nullptr : &*found;
}

const CubinSymbol* Cubin::find_symbol(std::string_view name) const {
  const auto found = std::find_if(symbols.begin(), symbols.end(), [&](const CubinSymbol& s) { return s.name == name; });
  return found == symbols.end() ? nullptr : &*found;
}

}  // namespace sassim::isa
