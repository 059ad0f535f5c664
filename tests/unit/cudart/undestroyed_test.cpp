// SPDX-License-Identifier: Apache-2.0
// A program may call the runtime until its very end, so nothing of libcudart may be destroyed before
// (sim/cuda/undestroyed.cpp).
#include <fcntl.h>
#include <gelf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace sassim {
namespace {

/// What the loader reads of the library.
struct Dynamic {
  std::set<std::string> wanted;     ///< symbols that other libraries define
  std::set<std::string> libraries;  ///< DT_NEEDED
  bool stays = false;               ///< dlclose() does not unload it
};

void read_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Dynamic& found) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Sym symbol;
    gelf_getsym(data, static_cast<int>(i), &symbol);
    if (symbol.st_shndx == SHN_UNDEF) found.wanted.insert(elf_strptr(elf, header.sh_link, symbol.st_name));
  }
}

void read_flags(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Dynamic& found) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Dyn entry;
    gelf_getdyn(data, static_cast<int>(i), &entry);
    if (entry.d_tag == DT_NEEDED) found.libraries.insert(elf_strptr(elf, header.sh_link, entry.d_un.d_val));
    if (entry.d_tag == DT_FLAGS_1) found.stays = (entry.d_un.d_val & DF_1_NODELETE) != 0;
  }
}

Dynamic read_library() {
  elf_version(EV_CURRENT);
  Dynamic found;
  const int descriptor = open(SASSIM_CUDART, O_RDONLY | O_CLOEXEC);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(descriptor, ELF_C_READ, nullptr), &elf_end);
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    gelf_getshdr(section, &header);
    if (header.sh_type == SHT_DYNSYM) read_symbols(elf.get(), section, header, found);
    if (header.sh_type == SHT_DYNAMIC) read_flags(elf.get(), section, header, found);
  }
  close(descriptor);
  return found;
}

TEST(Undestroyed, NoStaticObjectOfTheRuntimeIsDestroyedAtExit) {
  const Dynamic library = read_library();
  ASSERT_TRUE(library.wanted.contains("on_exit")) << "the symbols were not read";
  EXPECT_FALSE(library.wanted.contains("__cxa_atexit"));
  // A thread-local object with a destructor is gone in the destructors of the program's own thread-local objects.
  EXPECT_FALSE(library.wanted.contains("__cxa_thread_atexit"));
  EXPECT_FALSE(library.wanted.contains("__cxa_thread_atexit_impl"));
}

TEST(Undestroyed, TheRuntimeStaysWhenAProgramUnloadsItsLibraries) { EXPECT_TRUE(read_library().stays); }

/// Static objects of other libraries are destroyed at exit. A new library joins this list after a look at its own:
/// which does the runtime use after it has begun?
TEST(Undestroyed, TheLibrariesThatItNeedsAreKnown) {
  constexpr std::array kKnown = {
      // No static object has a destructor.
      "liblz4.", "libzstd.", "liblzma.", "libz.", "libxxhash.", "libelf.", "libfmt.", "libstdc++.", "libm.",
      "libgcc_s.", "libc.", "ld-linux",
      // Its configuration is read when the session begins, and never again.
      "libyaml-cpp.",
      // The registry of loggers is not used (sim/base/log.cpp).
      "libspdlog.",
      // Those of TLM, of data types and of traces are not used; the others are destroyed after the runtime's end.
      "libsystemc",
      // Draws plots, which the runtime does not.
      "libcairo.",
      // Matches patterns of the command's options, which the runtime does not.
      "libre2.",
      // Instruments a build of tools/lab/sanitize.
      "libasan.", "libubsan.", "libtsan."};
  for (const std::string& name : read_library().libraries)
    EXPECT_TRUE(std::ranges::any_of(kKnown, [&](std::string_view known) { return name.starts_with(known); })) << name;
}

}  // namespace
}  // namespace sassim
