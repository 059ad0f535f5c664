// SPDX-License-Identifier: Apache-2.0
// Finds nvdisasm and ptxas of CUDA 11.8 or 12.4, and chooses the one that can read a cubin.
#include "sim/isa/toolkit.h"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "sim/base/data_folder.h"
#include "sim/base/error.h"
#include "sim/base/printable.h"
#include "sim/isa/ptx.h"

namespace sassim::isa {
namespace {

constexpr const char* kDebian = "/usr/bin/nvdisasm";  // CUDA 11.8 of Debian 12
constexpr const char* kNewer = "/bin/nvdisasm";       // below the folder of CUDA 12.4
constexpr int kCuda12 = 120, kCuda13 = 130;

bool runs(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

/// The value of a variable that names a program or folder; empty if it is not set.
std::string chosen(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

int toolkit_of(std::span<const std::uint8_t> cubin) {
  constexpr std::uint16_t kMachine = 190;  // EM_CUDA
  constexpr int kAbi = 7;                  // EI_ABIVERSION up to CUDA 12
  Elf64_Ehdr header;
  if (cubin.size() < sizeof header) return 0;
  std::memcpy(&header, cubin.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != kMachine) return 0;
  // Up to CUDA 12 its version takes the place of that of the ELF format.
  return header.e_ident[EI_ABIVERSION] > kAbi ? 130 : static_cast<int>(header.e_version);
}

std::string cuda12_folder() {
  if (const std::string named = chosen("SASSIM_CUDA12"); !named.empty()) {
    if (runs(named + kNewer)) return named;
    throw NotSupported(
        "SASSIM_CUDA12 names '{}', where bin/nvdisasm cannot be run; tools/unpack_cuda12 unpacks it there",
        printable(named));
  }
  const std::string unpacked = source_folder("build/cuda-12.4");
  return !unpacked.empty() && runs(unpacked + kNewer) ? unpacked : "";
}

std::vector<std::string> disassemblers_for(std::span<const std::uint8_t> cubin, std::string_view name) {
  if (const std::string named = chosen("SASSIM_NVDISASM"); !named.empty()) {
    if (runs(named)) return {named};
    throw NotSupported("SASSIM_NVDISASM names '{}', which is not a program that can be run", printable(named));
  }
  const int maker = toolkit_of(cubin);
  const std::string folder = cuda12_folder();
  std::vector<std::string> found;
  if (!folder.empty()) found.push_back(folder + kNewer);
  if (runs(kDebian)) found.insert(maker < kCuda12 ? found.begin() : found.end(), kDebian);
  if (maker >= kCuda13 && folder.empty())
    throw NotSupported(
        "{}: a cubin of CUDA 13 needs the disassembler of CUDA 12.4: unpack it with tools/bootstrap --with-cuda12, or "
        "name "
        "its folder in SASSIM_CUDA12",
        name);
  if (found.empty())
    throw NotSupported(
        "{}: decoding a cubin needs nvdisasm of CUDA 11.8 or 12.4, and there is no {}: install it with tools/bootstrap "
        "--with-cuda or --with-cuda12, or name another in SASSIM_NVDISASM",
        name, kDebian);
  return found;
}

std::string find_ptxas() {
  const std::string folder = cuda12_folder();
  if (const std::string newer = folder + "/bin/ptxas"; !folder.empty() && runs(newer)) return newer;
  const std::string debian = "/usr/bin/ptxas";
  return runs(debian) ? debian : "";
}

}  // namespace sassim::isa
