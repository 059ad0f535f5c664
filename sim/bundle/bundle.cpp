// SPDX-License-Identifier: Apache-2.0
// Packs a result with its configuration and traces into one file for `sassim bundle`, and unpacks it.
#include "sim/bundle/bundle.h"

#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/bundle/bundle_index.h"
#include "sim/trace/open.h"
#include "sim/trace/traceg_import.h"

namespace sassim::bundle {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostIndex = std::uint64_t{16} << 20, kMostConfig = std::uint64_t{1} << 20;

Part part_of(const std::string& name, std::string_view text) {
  RunningHash hash;
  hash.add(text);
  return {name, text.size(), hash.value()};
}

}  // namespace

Trace find_trace(const std::string& name) {
  if (!fs::exists(name)) throw InputError("{}: no such trace", name);
  Trace trace{name, {}};
  if (trace::is_traceg(name))
    for (const std::string& file : trace::traceg_files(name)) trace.files.emplace_back(file);
  else if (fs::is_regular_file(name))
    trace.files.emplace_back(name);
  else
    throw InputError("{}: not a file; a bundle takes .sast files and Accel-Sim traces", name);
  return trace;
}

BundleWriter::BundleWriter(Recipe recipe) : recipe_(std::move(recipe)) {
  for (const Trace& trace : recipe_.traces)
    for (const fs::path& file : trace.files) traces_.push_back(measure(trace_part(traces_.size(), file), file));
}

void BundleWriter::write(const fs::path& path, const fs::path& result, const std::string& version) const {
  Index index{version, recipe_, {part_of(kConfig, recipe_.config)}};
  index.parts.insert(index.parts.end(), traces_.begin(), traces_.end());
  index.parts.push_back(measure(kResult, result));
  std::size_t next_trace = 0;
  std::vector<fs::path> files;
  for (Trace& trace : index.recipe.traces)
    for (fs::path& file : trace.files) {
      files.push_back(file);
      file = traces_[next_trace++].name;
    }
  ArchiveWriter archive(path);
  archive.add(kIndex, index_text(index));
  archive.add(kConfig, recipe_.config);
  for (std::size_t i = 0; i < files.size(); ++i) archive.add_file(traces_[i], files[i]);
  archive.add_file(index.parts.back(), result);
  archive.finish();
}

Bundle unpack(const fs::path& path, const fs::path& folder) {
  ArchiveReader archive(path);
  const std::string place = fmt::format("{}, part {}", path.string(), kIndex);
  Index index = read_index(archive.text(kIndex, kMostIndex), place);
  fs::create_directory(folder / "traces");
  for (const Part& part : index.parts) {
    if (part.name == kConfig && part.bytes > kMostConfig)
      throw InputError("{}: {} has {} bytes, but at most {} are allowed", place, kConfig, part.bytes, kMostConfig);
    archive.extract(part, folder / part.name);
  }
  archive.expect_end();
  Bundle bundle{std::move(index.version), std::move(index.recipe), folder / kResult};
  bundle.recipe.config = read_whole_file(folder / kConfig).value_or("");
  for (Trace& trace : bundle.recipe.traces)
    for (fs::path& file : trace.files) file = folder / file;
  return bundle;
}

}  // namespace sassim::bundle
