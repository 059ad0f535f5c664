// SPDX-License-Identifier: Apache-2.0
// Finds the program and our libcudart for `sassim exec`; refuses programs that cannot run on it.
#include "sim/session/find_program.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "sim/base/data_folder.h"
#include "sim/base/error.h"
#include "sim/isa/toolkit.h"

namespace sassim::session {

namespace fs = std::filesystem;

namespace {

/// The runtimes that can be replaced, by the name under which a program asks for one; the first one is for programs
/// that ask for none themselves.
constexpr std::array kRuntimes = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};

}  // namespace

fs::path find_runtime(const std::string& asked) {
  std::vector<fs::path> places;
  if (!asked.empty()) {
    places.emplace_back(asked);
  } else {
    const fs::path here = own_file().parent_path();
    for (const char* folder : {"lib", "../lib/sassim", "../lib"}) places.push_back(here / folder / kRuntimes.front());
  }
  for (const fs::path& place : places)
    if (fs::exists(place)) return fs::canonical(place);
  throw InputError("cannot find {} (looked for {}); build the target 'cudart'", kRuntimes.front(),
                   places.front().string());
}

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (!fs::is_regular_file(name)) throw InputError("{}: no such program", name);
    return name;
  }
  const char* search = std::getenv("PATH");
  std::istringstream folders(search ? search : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path candidate = fs::path(folder) / name;
        access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate))
      return candidate;
  throw InputError("{}: no such program on the PATH (write ./{} for one in this folder)", name, name);
}

void check_program(const fs::path& program, const ProgramKind& kind) {
  if (kind.bits32 && (kind.has_device_code || !kind.runtime.empty()))
    throw NotSupported("{}: a 32-bit program; CUDA 11 and 12 have 64-bit programs only", program.string());
  if (!kind.runtime.empty() && std::find(kRuntimes.begin(), kRuntimes.end(), kind.runtime) == kRuntimes.end())
    throw NotSupported("{}: needs {}, sassim has {}; {}", program.string(), kind.runtime, fmt::join(kRuntimes, ", "),
                       how_to_compile());
  if (!kind.closed_library.empty())
    throw NotSupported(
        "{}: needs {}, which has NVIDIA's CUDA runtime inside and only runs on NVIDIA's own driver; link the library "
        "from its static archive, which uses the program's runtime (-lcublas_static -lcublasLt_static -lculibos and "
        "the "
        "like, with -cudart shared; docs/driver.md)",
        program.string(), kind.closed_library);
  // A program without device code may load a library that has some, or start another program.
  if (kind.has_device_code && kind.runtime.empty())
    throw NotSupported(
        "{}: linked with the static CUDA runtime, which cannot be replaced; build it with the shared one: "
        "NVCC_APPEND_FLAGS='-cudart shared' make, or cmake -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared; {}",
        program.string(), how_to_compile());
}

}  // namespace sassim::session
