// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/parser.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "sim/base/error.h"

namespace sassim::fuzz {

std::vector<Parser>& parsers() {
  static std::vector<Parser> all;
  return all;
}

bool feed(const Parser& parser, Bytes input) {
  try {
    parser.read(input);
    return true;
  } catch (const Error& error) {
    const std::string_view text = error.what();
    const bool of_input = error.status() == ExitStatus::bad_input || error.status() == ExitStatus::not_supported ||
                          error.status() == ExitStatus::usage;
    if (!of_input || text.empty())
      throw std::logic_error(fmt::format("{}: refused with status {} and the text '{}'", parser.name,
                                         static_cast<int>(error.status()), text));
    return false;
  }
}

InputFile::InputFile(Bytes input) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
  if (descriptor_ < 0) throw std::runtime_error("no file in memory can be had");
  for (std::size_t at = 0; at < input.size();) {
    const ssize_t count = ::write(descriptor_, input.data() + at, input.size() - at);
    if (count <= 0) throw std::runtime_error("a file in memory cannot be written");
    at += static_cast<std::size_t>(count);
  }
  path_ = fmt::format("/proc/self/fd/{}", descriptor_);
}

InputFile::~InputFile() { ::close(descriptor_); }

const std::string& scratch_folder() {
  static const std::string folder = [] {
    const auto path = std::filesystem::temp_directory_path() / fmt::format("sassim-fuzz-{}", getpid());
    std::filesystem::create_directories(path);
    return path.string();
  }();
  return folder;
}

void write_file(const std::string& path, Bytes content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace sassim::fuzz
