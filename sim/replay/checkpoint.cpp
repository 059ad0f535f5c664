// SPDX-License-Identifier: Apache-2.0
// Writes and reads checkpoint files: compressed, checksummed, refused for another GPU or trace.
#include "sim/replay/checkpoint.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/printable.h"
#include "sim/base/state_archive.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/section.h"

namespace sassim::replay {

namespace {

constexpr std::string_view kMagic = "sassim checkpoint 1\n";
/// Behind the magic; the content follows in pieces.
struct Head {
  std::uint64_t size = 0, hash = 0;
};
/// Of a piece; then its bytes.
struct Piece {
  std::uint64_t stored = 0, raw = 0, hash = 0;
  std::uint32_t stored_check = 0;
};
constexpr std::size_t kHeadBytes = 2 * sizeof(std::uint64_t);
constexpr std::size_t kPieceBytes = 3 * sizeof(std::uint64_t) + sizeof(std::uint32_t);
/// Small enough for trace::largest_content(), which limits how much content a compressed piece can have: even a piece
/// of zeros, which compresses best, stays below that limit.
constexpr std::size_t kPieceContent = 65536;

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

[[noreturn]] void other(const std::string& path, const char* what, const std::string& saved, const std::string& here) {
  throw InputError("{}: the checkpoint was made with {} '{}', but this run has '{}'; use the same to resume", path,
                   what, printable(saved), printable(here));
}

void check_key(const std::string& path, const CheckpointKey& saved, const CheckpointKey& here) {
  if (saved.version != here.version) other(path, "sassim", saved.version, here.version);
  if (saved.config_hash != here.config_hash)
    other(path, "configuration", saved.gpu + " " + saved.config_hash, here.gpu + " " + here.config_hash);
  if (saved.caches != here.caches) other(path, "--caches", saved.caches, here.caches);
  if (saved.traces.size() != here.traces.size())
    other(path, "number of kernels", std::to_string(saved.traces.size()), std::to_string(here.traces.size()));
  for (std::size_t i = 0; i < here.traces.size(); ++i)
    if (saved.traces[i] != here.traces[i])
      other(path, fmt::format("a trace whose kernel {} has the hash", i).c_str(), saved.traces[i], here.traces[i]);
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
  const std::string_view content = to.bytes();
  DurableFile file(path);
  StateWriter head;
  head(Head{content.size(), trace::TraceHash::of(bytes_of(content))});
  file.write(kMagic);
  file.write(head.bytes());
  for (std::size_t at = 0; at < content.size(); at += kPieceContent) {
    trace::Section section;
    const std::vector<std::uint8_t> stored = trace::pack_section(bytes_of(content.substr(at, kPieceContent)), section);
    StateWriter piece;
    piece(Piece{section.stored, section.raw, section.hash, section.stored_check});
    file.write(piece.bytes());
    file.write({reinterpret_cast<const char*>(stored.data()), stored.size()});
  }
  file.commit();
}

namespace {

/// Takes the first `size` bytes of `file`.
std::string_view take(const std::string& name, std::string_view& file, std::uint64_t size) {
  if (size > file.size()) throw InputError("{}: the checkpoint is cut or damaged: resume from another one", name);
  const std::string_view taken = file.substr(0, size);
  file.remove_prefix(size);
  return taken;
}

std::vector<std::uint8_t> take_piece(const std::string& name, std::string_view& file) {
  Piece piece;
  StateReader(take(name, file, kPieceBytes), name)(piece);
  trace::Section section;
  section.stored = piece.stored;
  section.raw = piece.raw;
  section.hash = piece.hash;
  section.stored_check = piece.stored_check;
  const std::string_view stored = take(name, file, piece.stored);
  try {
    return trace::unpack_section(bytes_of(stored), section, name);
  } catch (const InputError&) {
    throw InputError("{}: the checkpoint is damaged: a checksum does not match; resume from another one", name);
  }
}

/// What StateWriter wrote, all of it checked.
std::string content_of(const std::string& name, std::string_view file) {
  if (!file.starts_with(kMagic))
    throw InputError("{}: not a checkpoint of this version: expected a file that --checkpoint-every wrote", name);
  file.remove_prefix(kMagic.size());
  Head head;
  StateReader(take(name, file, kHeadBytes), name)(head);
  std::string content;
  while (!file.empty()) {
    const std::vector<std::uint8_t> piece = take_piece(name, file);
    content.append(piece.begin(), piece.end());
  }
  if (content.size() != head.size || trace::TraceHash::of(bytes_of(content)) != head.hash)
    throw InputError("{}: the checkpoint is cut or damaged: resume from another one", name);
  return content;
}

}  // namespace

Checkpoint read_checkpoint(const std::filesystem::path& path, const CheckpointKey& key) {
  const std::string name = path.string();
  const std::string content = content_of(name, read_input_file(path, kCheckpointFile));
  StateReader from(content, name);
  Checkpoint checkpoint;
  from(checkpoint.key);  // first: what follows is of this version
  check_key(name, checkpoint.key, key);
  from(checkpoint.launch, checkpoint.cycle, checkpoint.done, checkpoint.state);
  if (!from.at_end() || checkpoint.launch >= key.traces.size() || checkpoint.done.size() != checkpoint.launch)
    throw InputError("{}: the checkpoint is damaged: resume from another one", name);
  return checkpoint;
}

}  // namespace sassim::replay
