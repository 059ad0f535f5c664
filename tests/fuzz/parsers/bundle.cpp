// SPDX-License-Identifier: Apache-2.0
// Bundles.
#include "sim/bundle/bundle.h"

#include <filesystem>

#include "sim/bundle/bundle_index.h"
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

const Register bundle_parser("bundle", "A bundle as it lies on the disk, unpacked into a folder", read_bundle);

void read_bundle_index(Bytes input) { bundle::read_index(std::string(text_of(input)), "bundle.json"); }

const Register bundle_index_parser("bundle_index", "bundle.json, which says what a bundle holds", read_bundle_index);

}  // namespace
}  // namespace sassim::fuzz
