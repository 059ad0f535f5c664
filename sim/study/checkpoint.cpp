// SPDX-License-Identifier: Apache-2.0
#include "sim/study/checkpoint.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/printable.h"
#include "sim/base/state_archive.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/section.h"

namespace sassim::study {

namespace {

constexpr std::string_view kMagic = "sassim checkpoint 1\n";
/// How the content lies behind the magic; all of it is written.
struct Frame {
  std::uint64_t stored = 0, raw = 0, hash = 0;
  std::uint32_t stored_check = 0;
};
constexpr std::size_t kFrameBytes = 3 * sizeof(std::uint64_t) + sizeof(std::uint32_t);

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

[[noreturn]] void other(const std::string& path, const char* what, const std::string& saved, const std::string& here) {
  throw InputError("{}: the checkpoint is of {} '{}', this run has '{}': resume with what it was made with", path, what,
                   printable(saved), printable(here));
}

void check_key(const std::string& path, const CheckpointKey& saved, const CheckpointKey& here) {
  if (saved.version != here.version) other(path, "sassim", saved.version, here.version);
  if (saved.config_hash != here.config_hash)
    other(path, "configuration", saved.gpu + " " + saved.config_hash, here.gpu + " " + here.config_hash);
  if (saved.caches != here.caches) other(path, "--caches", saved.caches, here.caches);
  if (saved.traces.size() != here.traces.size())
    other(path, "a run whose number of kernels is", std::to_string(saved.traces.size()),
          std::to_string(here.traces.size()));
  for (std::size_t i = 0; i < here.traces.size(); ++i)
    if (saved.traces[i] != here.traces[i])
      other(path, fmt::format("another trace: the hash of kernel {} is", i).c_str(), saved.traces[i], here.traces[i]);
}

}  // namespace

std::string checkpoint_name(const Checkpoint& checkpoint, const std::filesystem::path& trace) {
  StateWriter key;
  key(checkpoint.key);
  return fmt::format("{}-launch{}-cycle{}-{:016x}.checkpoint", trace.stem().string(), checkpoint.launch,
                     checkpoint.cycle, trace::TraceHash::of(bytes_of(key.bytes())));
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  StateWriter to;
  to(checkpoint);
  trace::Section section;
  const std::vector<std::uint8_t> stored = trace::pack_section(bytes_of(to.bytes()), section);
  StateWriter frame;
  frame(Frame{section.stored, section.raw, section.hash, section.stored_check});
  DurableFile file(path);
  file.write(kMagic);
  file.write(frame.bytes());
  file.write({reinterpret_cast<const char*>(stored.data()), stored.size()});
  file.commit();
}

namespace {

/// What StateWriter wrote, all of it checked.
std::string content_of(const std::string& name, std::string_view file) {
  if (!file.starts_with(kMagic))
    throw InputError("{}: not a checkpoint of this version: expected a file that --checkpoint-every wrote", name);
  file.remove_prefix(kMagic.size());
  if (file.size() < kFrameBytes) throw InputError("{}: the checkpoint is cut: resume from another one", name);
  Frame frame;
  StateReader(file, name)(frame);
  file.remove_prefix(kFrameBytes);
  if (frame.stored != file.size())
    throw InputError("{}: the checkpoint is cut or damaged: {} bytes of {} are there; resume from another one", name,
                     file.size(), frame.stored);
  trace::Section section;
  section.stored = frame.stored;
  section.raw = frame.raw;
  section.hash = frame.hash;
  section.stored_check = frame.stored_check;
  try {
    const std::vector<std::uint8_t> content = trace::unpack_section(bytes_of(file), section, name);
    return std::string(content.begin(), content.end());
  } catch (const InputError&) {
    throw InputError("{}: the checkpoint is damaged: a checksum does not hold; resume from another one", name);
  }
}

}  // namespace

Checkpoint read_checkpoint(const std::filesystem::path& path, const CheckpointKey& key) {
  const std::string name = path.string();
  const auto text = read_whole_file(path);
  if (!text) throw InputError("{}: the checkpoint is not there or cannot be read", name);
  const std::string content = content_of(name, *text);
  StateReader from(content, name);
  Checkpoint checkpoint;
  from(checkpoint.key);  // first: what follows is of this version
  check_key(name, checkpoint.key, key);
  from(checkpoint.launch, checkpoint.cycle, checkpoint.done, checkpoint.state);
  if (!from.at_end() || checkpoint.launch >= key.traces.size() || checkpoint.done.size() != checkpoint.launch)
    throw InputError("{}: the checkpoint is damaged: resume from another one", name);
  return checkpoint;
}

}  // namespace sassim::study
