// SPDX-License-Identifier: Apache-2.0
// The runtime is loaded into other people's programs: it has the code that a run needs, and no studies, plots or pages.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/cudart/dynamic.h"

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

// The names under which programs find the library, and the functions that they find in it.
namespace sassim {
namespace {

TEST(Exports, BothInterfacesAreOneLibrary) {
  const std::filesystem::path driver = std::filesystem::path(SASSIM_CUDART).parent_path() / "libcuda.so.1";
  EXPECT_TRUE(std::filesystem::equivalent(driver, SASSIM_CUDART));
}

/// The loader finds a function only under the version that a program was linked with: that of CUDA's own library, and
/// for the driver, which has none, any.
TEST(Exports, FunctionsHaveTheVersionsOfCuda) {
  const Dynamic library = read_library();
  ASSERT_FALSE(library.exported.empty());
  for (const auto& [name, version] : library.exported) {
    if (name == version || version == "sassim") continue;  // the version itself; what libcudart.so.12 is made of
    const bool runtime = name.starts_with("cuda") || name.starts_with("__cuda") || name == "sc_main";
    EXPECT_TRUE(runtime || name.starts_with("cu")) << name;
    EXPECT_EQ(version, runtime ? "libcudart.so.11.0" : "libcuda.so.1") << name;
  }
}

#define SASSIM_ENTRY(name, version, symbol) #symbol,
#define SASSIM_ENTRY_PER_THREAD SASSIM_ENTRY
constexpr const char* kEntries[] = {
#include "sim/driver/entry_points.inc"
};

TEST(Exports, EveryFunctionOfTheDriverAnswers) {
  const Dynamic library = read_library();
  for (const char* name : kEntries) EXPECT_TRUE(library.exported.contains(name)) << name;
}

}  // namespace
}  // namespace sassim

// libcudart.so.12 has the names of CUDA 12's runtime, under its version, and no state of its own.
#ifdef SASSIM_CUDART12
#include <gmock/gmock.h>

#include <fstream>

#include "tests/unit/cudart/dynamic.h"

namespace sassim {
namespace {

std::set<std::string> names_of_cuda12() {
  std::set<std::string> names;
  std::ifstream in(SASSIM_SOURCE_DIR "/sim/cuda/runtimes/names-12");
  for (std::string name; std::getline(in, name);) names.insert(name);
  return names;
}

TEST(Runtime12, HasTheNamesOfCuda12) {
  std::set<std::string> exported;
  for (const auto& [name, version] : read_library(SASSIM_CUDART12).exported) {
    EXPECT_EQ(version, "libcudart.so.12") << name;
    if (name != version) exported.insert(name);
  }
  EXPECT_GT(exported.size(), 400u);
  EXPECT_THAT(exported, testing::ContainerEq(names_of_cuda12()));
}

TEST(Runtime12, LeadsIntoTheLibraryThatHasTheState) {
  const Dynamic library = read_library(SASSIM_CUDART12), state = read_library();
  EXPECT_THAT(library.libraries, testing::Contains("libcudart.so.11.0"));
  for (const std::string& wanted : library.wanted) {
    const bool ours = wanted.starts_with("cuda") || wanted.starts_with("__cuda") || wanted.starts_with("sassim");
    EXPECT_TRUE(!ours || state.exported.contains(wanted)) << wanted;
  }
}

}  // namespace
}  // namespace sassim
#endif

// A program may call the runtime until its very end, so nothing of libcudart may be destroyed before
// (sim/cuda/undestroyed.cpp).
namespace sassim {
namespace {

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
      "liblz4.", "libzstd.", "liblzma.", "libz.", "libxxhash.", "libelf.", "libre2.", "libfmt.", "libstdc++.", "libm.",
      "libgcc_s.", "libc.", "ld-linux",
      // Its configuration is read when the session begins, and never again.
      "libyaml-cpp.",
      // The registry of loggers is not used (sim/base/log.cpp).
      "libspdlog.",
      // Those of TLM, of data types and of traces are not used; the others are destroyed after the runtime's end.
      "libsystemc",
      // Instruments a build of tools/lab/sanitize.
      "libasan.", "libubsan.", "libtsan."};
  for (const std::string& name : read_library().libraries)
    EXPECT_TRUE(std::ranges::any_of(kKnown, [&](std::string_view known) { return name.starts_with(known); })) << name;
}

}  // namespace
}  // namespace sassim
