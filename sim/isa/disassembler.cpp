// SPDX-License-Identifier: Apache-2.0
// Gets the SASS listing of a cubin from nvdisasm, or from a folder of kept listings, and parses it.
#include "sim/isa/disassembler.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/printable.h"
#include "sim/isa/child_output.h"
#include "sim/isa/function_listing.h"
#include "sim/isa/memory_file.h"
#include "sim/isa/short_listing.h"
#include "sim/isa/toolkit.h"

namespace sassim::isa {
namespace {

/// Opens the file again. Not by this process's number: it may have changed its user, whose programs may not look.
constexpr const char* kStandardInput = "/proc/self/fd/0";

/// The listing of a cubin from the folder in SASSIM_LISTINGS, stored under the cubin's hash; empty if there is none.
std::string kept_listing(const std::string& path) { return read_whole_file(path).value_or(""); }

/// Stores a listing to save time later; a failure to store it is ignored.
void keep_listing(const std::string& path, const std::string& text) try {
  write_durably(path, text);
} catch (const InputError&) {
}

std::string listing_path(const XXH128_hash_t& hash, const std::string& functions) {
  const char* folder = std::getenv("SASSIM_LISTINGS");
  if (folder == nullptr || *folder == '\0') return "";
  return fmt::format("{}/{:016x}{:016x}{}{}.sass", folder, hash.high64, hash.low64, functions.empty() ? "" : "-",
                     functions);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The largest cubins take about ten seconds on a slow machine; with a damaged one, the disassembler may never end.
std::chrono::seconds longest_run() {
  constexpr unsigned kUsual = 120, kMost = 1'000'000;
  const char* chosen = std::getenv("SASSIM_NVDISASM_SECONDS");
  if (chosen == nullptr || *chosen == '\0') return std::chrono::seconds(kUsual);
  unsigned seconds = 0;
  const char* end = chosen + std::strlen(chosen);
  const auto read = std::from_chars(chosen, end, seconds);
  if (read.ec != std::errc() || read.ptr != end || seconds == 0 || seconds > kMost)
    throw InputError("SASSIM_NVDISASM_SECONDS: expected 1 to {} seconds, not '{}'", kMost, printable(chosen));
  return std::chrono::seconds(seconds);
}

/// A listing has about 20 bytes for each byte of code.
std::size_t longest_text(std::size_t cubin_bytes) { return (std::size_t{16} << 20) + 256 * cubin_bytes; }

/// `functions`: symbol numbers with commas; empty: all.
std::string run_nvdisasm(const std::string& program, std::span<const std::uint8_t> cubin, std::string_view name,
                         const std::string& functions) {
  using End = ChildOutput::End;
  const MemoryFile file(cubin);
  const std::chrono::seconds time = longest_run();
  std::vector<std::string> command{program, "-hex", "-ndf", kStandardInput};
  if (!functions.empty()) command.insert(command.end(), {"-fun", functions});
  ChildOutput output = run_for_output(command, file.descriptor(), {time, longest_text(cubin.size())});
  switch (output.end) {
    case End::well:
      return std::move(output.text);
    case End::too_late:
      throw InputError(
          "{}: {} had not ended after {} s and was stopped: the cubin may be damaged; SASSIM_NVDISASM_SECONDS=N "
          "gives it more time",
          name, printable(program), time.count());
    case End::too_long:
      throw InputError("{}: {} printed over {} bytes for a cubin of {}: the cubin may be damaged", name,
                       printable(program), longest_text(cubin.size()), cubin.size());
    case End::badly:
      break;
  }
  throw InputError("{}: {} refused it: {}", name, printable(program), printable(first_line(output.text)));
}

Disassembly parse(std::string_view text, std::string_view name, const std::string& program) {
  return parse_disassembly(text, program.empty() ? fmt::format("{} (disassembled)", name)
                                                 : fmt::format("{} (disassembled by {})", name, printable(program)));
}

/// Guarded by the mutex of disassemble().
std::set<std::string>& used() {
  static std::set<std::string> programs;
  return programs;
}

/// Takes the first disassembler whose listing can be read.
Disassembly run_and_parse(std::span<const std::uint8_t> cubin, std::string_view name, const std::string& functions,
                          const std::string& kept) {
  const std::vector<std::string> programs = disassemblers_for(cubin, name);
  for (std::size_t i = 0;; ++i) try {
      const std::string text = run_nvdisasm(programs[i], cubin, name, functions);
      Disassembly listing = parse(text, name, programs[i]);
      used().insert(programs[i]);
      if (!kept.empty()) keep_listing(kept, shortened_listing(text));
      return listing;
    } catch (const InputError&) {
      if (i + 1 == programs.size()) throw;
    }
}

std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

std::set<std::string> used_disassemblers() {
  const std::lock_guard lock(one_at_a_time());
  return used();
}

std::shared_ptr<const Disassembly> disassemble(std::span<const std::uint8_t> cubin, std::string_view name) {
  return disassemble_functions(cubin, name, {});
}

std::shared_ptr<const Disassembly> disassemble_functions(std::span<const std::uint8_t> cubin, std::string_view name,
                                                         std::span<const std::uint32_t> symbols) {
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::string>;
  static std::map<Key, std::shared_ptr<const Disassembly>> known;
  const XXH128_hash_t hash = XXH3_128bits(cubin.data(), cubin.size());
  const std::string chosen = fmt::format("{}", fmt::join(symbols, ","));
  const Key key{hash.high64, hash.low64, chosen};
  const std::lock_guard lock(one_at_a_time());
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const std::string kept = listing_path(hash, chosen);
  const std::string text = kept.empty() ? "" : kept_listing(kept);
  auto result = std::make_shared<const Disassembly>(
      text.empty() ? run_and_parse(cubin, name, chosen, kept) : parse(completed_listing(text, cubin, name), name, ""));
  known.emplace(key, result);
  return result;
}

}  // namespace sassim::isa
