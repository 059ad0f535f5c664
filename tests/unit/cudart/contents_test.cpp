// SPDX-License-Identifier: Apache-2.0
// The runtime is loaded into other people's programs: it has the code that a run needs, and no studies, plots or pages.
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sassim {
namespace {

/// Names of the functions and objects that the library defines, as the linker has them; local ones too.
std::vector<std::string> defined_symbols() {
  elf_version(EV_CURRENT);
  std::vector<std::string> names;
  const int descriptor = open(SASSIM_CUDART, O_RDONLY | O_CLOEXEC);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(descriptor, ELF_C_READ, nullptr), &elf_end);
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    gelf_getshdr(section, &header);
    if (header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      gelf_getsym(data, static_cast<int>(i), &symbol);
      if (symbol.st_shndx != SHN_UNDEF) names.emplace_back(elf_strptr(elf.get(), header.sh_link, symbol.st_name));
    }
  }
  close(descriptor);
  return names;
}

/// Those of the module's namespace, sassim::NAME.
std::vector<std::string> of_module(const std::vector<std::string>& symbols, std::string_view module) {
  const std::string mangled = fmt::format("N6sassim{}{}", module.size(), module);
  std::vector<std::string> found;
  for (const std::string& symbol : symbols)
    if (symbol.find(mangled) != std::string::npos) found.push_back(symbol);
  return found;
}

TEST(Contents, TheRuntimeHasNoCodeForStudiesPlotsAndPages) {
  const std::vector<std::string> symbols = defined_symbols();
  for (const char* module : {"cuda", "emu", "arch", "replay"})
    ASSERT_FALSE(of_module(symbols, module).empty()) << module << ": the symbols were not read";
  for (const char* module : {"campaign", "explore", "sweep", "validate", "model", "plot", "page", "bundle", "cli"})
    EXPECT_THAT(of_module(symbols, module), testing::IsEmpty()) << module;
}

}  // namespace
}  // namespace sassim
