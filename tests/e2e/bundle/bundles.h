// SPDX-License-Identifier: Apache-2.0
// What the tests of bundles share.
#pragma once

#include <string>
#include <vector>

#include "sim/base/input_file.h"
#include "sim/bundle/bundle.h"
#include "sim/bundle/bundle_index.h"
#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {

inline const std::string kBundledTrace = SASSIM_BINARY_DIR "/traces/sm_75/bitonic_global.sast";

inline std::string bytes_of(const std::string& file) { return read_whole_file(file).value(); }

/// A bundle of two small kernels with an option and a changed key.
inline Outcome make_bundle(const std::string& file, const std::string& more = "") {
  return sassim_run("bundle " + file + " " + kBundledTrace +
                    " " SASSIM_BINARY_DIR "/traces/sm_75/scan_sums.sast --config t4 -o l1.size=64KiB --caches keep " +
                    more);
}

/// A part of a bundle that is put together by hand.
struct Piece {
  std::string name, content;
};

inline std::vector<bundle::Part> parts_of(const std::vector<Piece>& pieces) {
  std::vector<bundle::Part> parts;
  for (const Piece& piece : pieces) {
    bundle::RunningHash hash;
    hash.add(piece.content);
    parts.push_back({piece.name, piece.content.size(), hash.value()});
  }
  return parts;
}

inline void write_archive(const std::string& file, const std::string& index, const std::vector<Piece>& pieces) {
  bundle::ArchiveWriter archive(file);
  archive.add(bundle::kIndex, index);
  for (const Piece& piece : pieces) archive.add(piece.name, piece.content);
  archive.finish();
}

}  // namespace sassim
