// SPDX-License-Identifier: Apache-2.0
// The names that a library offers, and lists of names.
#pragma once

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <set>
#include <string>

namespace sassim {

/// The functions that a library defines.
inline std::set<std::string> functions_of(const char* path) {
  elf_version(EV_CURRENT);
  std::set<std::string> names;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  Elf* const elf = elf_begin(descriptor, ELF_C_READ, nullptr);
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    gelf_getshdr(section, &header);
    if (header.sh_type != SHT_DYNSYM) continue;
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      gelf_getsym(elf_getdata(section, nullptr), static_cast<int>(i), &symbol);
      if (symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
        names.insert(elf_strptr(elf, header.sh_link, symbol.st_name));
    }
  }
  elf_end(elf);
  close(descriptor);
  return names;
}

/// The first word of each line.
inline std::set<std::string> first_words(const char* path) {
  std::ifstream in(path);
  std::set<std::string> words;
  for (std::string word; in >> word; in.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) words.insert(word);
  return words;
}

}  // namespace sassim
