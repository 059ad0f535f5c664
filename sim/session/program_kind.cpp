// SPDX-License-Identifier: Apache-2.0
// Reads in an ELF file which CUDA runtime a program uses, and why it made no call.
#include "sim/session/program_kind.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "sim/base/error.h"

namespace sassim::session {

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

/// Shared libraries whose calls fail on any driver but NVIDIA's (docs/driver.md).
bool has_runtime_inside(std::string_view name) {
  constexpr std::string_view kNames[] = {"libcublas.so",   "libcublasLt.so", "libcurand.so",
                                         "libcusparse.so", "libcusolver.so", "libcudnn"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view known) { return name.starts_with(known); });
}

void read_dynamic(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ProgramKind& kind) {
  kind.dynamic = true;
  Elf_Data* data = elf_getdata(section, nullptr);
  const std::size_t count = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Dyn entry;
    if (!gelf_getdyn(data, static_cast<int>(i), &entry) || (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH))
      continue;
    const char* text = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    const std::string_view name = text ? text : "";
    if (entry.d_tag == DT_RPATH)
      kind.search_path = name;
    else if (name.starts_with("libcudart.so"))
      kind.runtime = name;
    else if (has_runtime_inside(name))
      kind.closed_library = name;
  }
}

bool contains(Elf_Scn* section, std::string_view text) {
  const Elf_Data* data = elf_rawdata(section, nullptr);
  return data && data->d_buf && memmem(data->d_buf, data->d_size, text.data(), text.size()) != nullptr;
}

}  // namespace

ProgramKind inspect_program(const std::string& path) {
  const OpenElf file(path);
  ProgramKind kind;
  kind.elf = file.elf && elf_kind(file.elf) == ELF_K_ELF;
  kind.bits32 = kind.elf && gelf_getclass(file.elf) == ELFCLASS32;
  std::size_t names = 0;
  if (!kind.elf || elf_getshdrstrndx(file.elf, &names) != 0) return kind;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(file.elf, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    const char* name = elf_strptr(file.elf, names, header.sh_name);
    if (name && std::string_view(name) == ".nv_fatbin") kind.has_device_code = true;
    if (name && std::string_view(name) == ".rodata") kind.loads_driver = contains(section, "libcuda.so");
    if (header.sh_type == SHT_DYNAMIC) read_dynamic(file.elf, section, header, kind);
  }
  return kind;
}

std::string how_to_compile() {
  constexpr const char* kDebian = "/usr/bin/nvcc";
  std::string text = fmt::format("compile it with CUDA 11, 12 or 13: {} -ccbin g++-11 -cudart shared", kDebian);
  if (access(kDebian, X_OK) != 0) text += " (tools/bootstrap --with-cuda installs it)";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string first = folder + "/nvcc";
    if (access(first.c_str(), X_OK) != 0) continue;
    std::error_code other;
    if (!std::filesystem::equivalent(first, kDebian, other))
      text += fmt::format("; the nvcc that comes first on the PATH is another one, {}", first);
    break;
  }
  return text;
}

std::string why_no_calls(const std::string& path, const ProgramKind& kind) {
  const std::string what = "no CUDA calls came through sassim; ";
  if (!kind.elf)
    return what + fmt::format(
                      "{} is a script; are the programs that it starts linked with '-cudart shared' against CUDA 11, "
                      "12 or 13?",
                      path);
  if (kind.bits32) return what + fmt::format("{} is a 32-bit program; the runtime is for 64-bit ones", path);
  if (!kind.runtime.empty() && !kind.search_path.empty())
    return what +
           fmt::format("{} looks for {} in {} first (RPATH); link it without -rpath, or with -Wl,--enable-new-dtags",
                       path, kind.runtime, kind.search_path);
  if (!kind.dynamic) return what + fmt::format("{} is linked statically and loads no runtime", path);
  if (kind.loads_driver)
    return what + fmt::format(
                      "{} can load the driver, as the static runtime and users of the driver interface do, but has "
                      "not called it; if it has the static runtime, link it with the shared one; {}",
                      path, how_to_compile());
  return what +
         fmt::format("is {}, or the program that it starts, linked with '-cudart shared' against CUDA 11, 12 or 13?",
                     path);
}

}  // namespace sassim::session
