// SPDX-License-Identifier: Apache-2.0
// Every parser of this project as a function of bytes: what libFuzzer drives (driver.cpp) and what
// tests/e2e/damaged feeds with damaged files. The parsers of a module are a file of
// parsers/; each has seeds in seeds.tar.xz.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Parser {
  std::string_view name;
  std::string_view what;      ///< it reads, for the table of docs/robustness.md
  void (*read)(Bytes input);  ///< throws sassim::Error when it refuses the input; any other way out is a defect
};

/// For test output.
inline void PrintTo(const Parser& parser, std::ostream* out) { *out << parser.name; }

/// Those linked into this program.
std::vector<Parser>& parsers();

/// `const Register cubin_parser("cubin", "An ELF file of ptxas", read);`
struct Register {
  Register(std::string_view name, std::string_view what, void (*read)(Bytes)) {
    parsers().push_back({name, what, read});
  }
};

/// True: the parser took the input. False: it refused it. Throws std::logic_error when the refusal is not one that a
/// person may see: the status of a defect, or no text.
bool feed(const Parser& parser, Bytes input);

inline std::string_view text_of(Bytes input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

/// The input as a file, for parsers that want a path. One file at a time; the next one replaces it.
class InputFile {
 public:
  /// A file in memory without a name of its own.
  explicit InputFile(Bytes input);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

/// A folder of this process below $TMPDIR, for parsers that want one or want names. Whoever sets TMPDIR removes it.
const std::string& scratch_folder();
void write_file(const std::string& path, Bytes content);

using Input = std::vector<std::uint8_t>;

/// Damages good inputs (damage.cpp): one to four edits of one of `seeds`, which must not be empty: bits, bytes and
/// numbers changed, parts cut, moved, repeated or taken from another seed, and now and then a hundred thousand
/// brackets. The same round gives the same bytes on every machine.
Input damage(const std::vector<Input>& seeds, std::uint64_t round);

}  // namespace sassim::fuzz
