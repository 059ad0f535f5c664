// SPDX-License-Identifier: Apache-2.0
// A bundle as it lies on the disk, unpacked into a folder.
#include "sim/bundle/bundle.h"

#include <filesystem>

#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_bundle(Bytes input) {
  const InputFile file(input);
  const std::filesystem::path folder = std::filesystem::path(scratch_folder()) / "bundle";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  bundle::unpack(file.path(), folder);
}

const Register bundle_parser("bundle", read_bundle);

}  // namespace
}  // namespace sassim::fuzz
