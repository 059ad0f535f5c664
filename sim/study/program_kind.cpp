// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/study/execute.h"

namespace sassim::study {

namespace {

struct OpenElf {
  explicit OpenElf(const std::string& path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor < 0) throw InputError("{}: cannot read the program", path);
    elf_version(EV_CURRENT);
    elf = elf_begin(descriptor, ELF_C_READ, nullptr);
  }
  ~OpenElf() {
    elf_end(elf);
    close(descriptor);
  }
  OpenElf(const OpenElf&) = delete;
  OpenElf& operator=(const OpenElf&) = delete;
  int descriptor;
  Elf* elf = nullptr;
};

std::string needed_runtime(Elf* elf, Elf_Scn* section, const GElf_Shdr& header) {
  Elf_Data* data = elf_getdata(section, nullptr);
  const std::size_t count = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Dyn entry;
    if (!gelf_getdyn(data, static_cast<int>(i), &entry) || entry.d_tag != DT_NEEDED) continue;
    const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (name && std::string_view(name).starts_with("libcudart.so")) return name;
  }
  return {};
}

}  // namespace

ProgramKind inspect_program(const std::string& path) {
  const OpenElf file(path);
  ProgramKind kind;
  kind.elf = file.elf && elf_kind(file.elf) == ELF_K_ELF;
  std::size_t names = 0;
  if (!kind.elf || elf_getshdrstrndx(file.elf, &names) != 0) return kind;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(file.elf, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    const char* name = elf_strptr(file.elf, names, header.sh_name);
    if (name && std::string_view(name) == ".nv_fatbin") kind.has_device_code = true;
    if (header.sh_type == SHT_DYNAMIC) kind.runtime = needed_runtime(file.elf, section, header);
  }
  return kind;
}

}  // namespace sassim::study
