// SPDX-License-Identifier: Apache-2.0
// Compiles the PTX of a program to a cubin with ptxas, once for each text and architecture.
#include "sim/isa/ptx.h"

#include <elf.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <chrono>
#include <map>
#include <mutex>
#include <tuple>

#include "sim/base/error.h"
#include "sim/base/printable.h"
#include "sim/isa/child_output.h"
#include "sim/isa/memory_file.h"
#include "sim/isa/ptx_cache.h"
#include "sim/isa/toolkit.h"

namespace sassim::isa {
namespace {

constexpr std::chrono::seconds kLongest{600};  // large kernels take minutes on a slow machine
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

std::vector<std::uint8_t> run_ptxas(const std::string& program, std::string_view text, int sm, std::string_view name) {
  using End = ChildOutput::End;
  const MemoryFile file({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  // Warnings would come into the output, where the cubin is.
  const ChildOutput output =
      run_for_output({program, "-w", fmt::format("-arch=sm_{}", sm), "-o", "/proc/self/fd/1", "/proc/self/fd/0"},
                     file.descriptor(), {kLongest, kMostBytes});
  if (output.end == End::too_late)
    throw InputError("{}: {} had not ended after {} s", name, printable(program), kLongest.count());
  if (output.end != End::well || !output.text.starts_with(ELFMAG))
    throw InputError("{}: {} refused its PTX: {}", name, printable(program),
                     printable(output.text.substr(0, output.text.find('\n'))));
  return {output.text.begin(), output.text.end()};
}

std::vector<std::uint8_t> kept_or_compiled(std::string_view text, int sm, std::string_view name) {
  const std::string program = find_ptxas();
  if (program.empty())
    throw NotSupported("{}: compiling PTX needs ptxas: install it with tools/bootstrap --with-cuda or --with-cuda12",
                       name);
  const KeptCubin kept(text, sm, program);
  if (auto cubin = kept.read()) return *std::move(cubin);
  std::vector<std::uint8_t> cubin = run_ptxas(program, text, sm, name);
  kept.keep(cubin);
  return cubin;
}

}  // namespace

std::vector<std::uint8_t> compile_ptx(std::string_view text, int sm, std::string_view name) {
  static std::mutex mutex;
  static std::map<std::tuple<std::uint64_t, std::uint64_t, int>, std::vector<std::uint8_t>> known;
  text = text.substr(0, text.find('\0'));
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  const std::lock_guard lock(mutex);
  const auto [found, added] = known.try_emplace({hash.high64, hash.low64, sm});
  if (!added && !found->second.empty()) return found->second;
  return found->second = kept_or_compiled(text, sm, name);
}

}  // namespace sassim::isa
