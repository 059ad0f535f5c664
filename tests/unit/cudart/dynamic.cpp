// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/cudart/dynamic.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <memory>
#include <vector>

namespace sassim {
namespace {

struct Reader {
  Elf* elf;
  Dynamic found;
  std::vector<GElf_Versym> versions;           ///< by symbol
  std::map<GElf_Versym, std::string> names{};  ///< of versions

  void versions_of(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    versions.resize(header.sh_size / header.sh_entsize);
    for (std::size_t i = 0; i < versions.size(); ++i) gelf_getversym(data, static_cast<int>(i), &versions[i]);
  }

  void names_of_versions(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    GElf_Verdef entry{};
    for (int at = 0; gelf_getverdef(data, at, &entry) != nullptr; at += static_cast<int>(entry.vd_next)) {
      GElf_Verdaux name;
      gelf_getverdaux(data, at + static_cast<int>(entry.vd_aux), &name);
      names[entry.vd_ndx] = elf_strptr(elf, header.sh_link, name.vda_name);
      if (entry.vd_next == 0) break;
    }
  }

  void symbols(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    for (std::size_t i = 1; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      gelf_getsym(data, static_cast<int>(i), &symbol);
      const std::string name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (symbol.st_shndx == SHN_UNDEF)
        found.wanted.insert(name);
      else
        found.exported[name] = names[versions.at(i)];
    }
  }

  void flags(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Dyn entry;
      gelf_getdyn(data, static_cast<int>(i), &entry);
      if (entry.d_tag == DT_NEEDED) found.libraries.insert(elf_strptr(elf, header.sh_link, entry.d_un.d_val));
      if (entry.d_tag == DT_FLAGS_1) found.stays = (entry.d_un.d_val & DF_1_NODELETE) != 0;
    }
  }

  template <class Read>
  void each(GElf_Word type, Read read) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      gelf_getshdr(section, &header);
      if (header.sh_type == type) read(section, header);
    }
  }
};

}  // namespace

Dynamic read_library(const char* path) {
  elf_version(EV_CURRENT);
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(descriptor, ELF_C_READ, nullptr), &elf_end);
  Reader reader{.elf = elf.get(), .found = {}, .versions = {}};
  reader.each(SHT_GNU_versym, [&](auto* section, const auto& header) { reader.versions_of(section, header); });
  reader.each(SHT_GNU_verdef, [&](auto* section, const auto& header) { reader.names_of_versions(section, header); });
  reader.each(SHT_DYNSYM, [&](auto* section, const auto& header) { reader.symbols(section, header); });
  reader.each(SHT_DYNAMIC, [&](auto* section, const auto& header) { reader.flags(section, header); });
  close(descriptor);
  return reader.found;
}

}  // namespace sassim
