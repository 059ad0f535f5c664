// SPDX-License-Identifier: Apache-2.0
// Unpacks text traces by zlib or liblzma while they are read, and gives errors with file and line.
#include "sim/trace/line_reader.h"

#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sim/base/error.h"

namespace sassim::trace {
namespace {

constexpr std::size_t kBuffer = 1 << 18;
/// A memory instruction has at most 32 addresses of 19 characters.
constexpr std::size_t kLongestLine = 1 << 16;
/// `xz -9` needs 65 MiB.
constexpr std::uint64_t kXzMemory = 128u << 20;

}  // namespace

struct LineReader::Source {
  virtual ~Source() = default;
  virtual std::size_t read(char* to, std::size_t most) = 0;
};

/// zlib reads uncompressed files too.
struct LineReader::Gzip : Source {
  explicit Gzip(const std::string& file) : path(file), handle(gzopen(file.c_str(), "rb")) {
    if (!handle) throw InputError("{}: cannot be opened: {}", path, std::strerror(errno));
  }
  ~Gzip() override { gzclose(handle); }
  std::size_t read(char* to, std::size_t most) override {
    const int n = gzread(handle, to, static_cast<unsigned>(most));
    int error = Z_OK;
    const char* message = gzerror(handle, &error);
    if (n < 0 || error == Z_BUF_ERROR) throw InputError("{}: damaged or cut off: {}", path, message);
    return static_cast<std::size_t>(n);
  }
  std::string path;
  gzFile handle;
};

struct LineReader::Xz : Source {
  explicit Xz(const std::string& file) : path(file), handle(std::fopen(file.c_str(), "rb"), &std::fclose) {
    if (!handle) throw InputError("{}: cannot be opened: {}", path, std::strerror(errno));
    if (lzma_stream_decoder(&stream, kXzMemory, LZMA_CONCATENATED) != LZMA_OK)
      throw std::runtime_error("liblzma cannot be started");
  }
  ~Xz() override { lzma_end(&stream); }
  std::size_t read(char* to, std::size_t most) override {
    stream.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream.avail_out = most;
    while (stream.avail_out > 0 && !ended) {
      if (stream.avail_in == 0) {
        stream.next_in = input.data();
        stream.avail_in = std::fread(input.data(), 1, input.size(), handle.get());
      }
      const lzma_ret result = lzma_code(&stream, stream.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
      ended = result == LZMA_STREAM_END;
      if (result != LZMA_OK && !ended)
        throw InputError("{}: damaged or cut off after {} bytes (liblzma error {})", path, stream.total_in,
                         static_cast<int>(result));
    }
    return most - stream.avail_out;
  }
  std::string path;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> handle;
  lzma_stream stream = LZMA_STREAM_INIT;
  std::array<std::uint8_t, 1 << 16> input{};
  bool ended = false;
};

LineReader::LineReader(std::string path) : path_(std::move(path)), buffer_(kBuffer) {
  if (!std::filesystem::exists(path_)) throw InputError("{}: no such file", path_);
  if (!std::filesystem::is_regular_file(path_))
    throw InputError("{}: is a folder, a pipe or a device; traces are read from regular files", path_);
  if (path_.ends_with(".xz"))
    source_ = std::make_unique<Xz>(path_);
  else
    source_ = std::make_unique<Gzip>(path_);
}

LineReader::~LineReader() = default;

bool LineReader::next(std::string_view& line) {
  kept_.clear();
  for (;;) {
    if (at_ == filled_) {
      at_ = 0;
      filled_ = source_->read(buffer_.data(), buffer_.size());
      if (filled_ == 0 && kept_.empty()) return false;
    }
    const char* begin = buffer_.data() + at_;
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', filled_ - at_));
    const std::size_t length = end ? static_cast<std::size_t>(end - begin) : filled_ - at_;
    const bool last = filled_ == 0;
    at_ += length + (end ? 1 : 0);
    if (kept_.size() + length > kLongestLine) fail("a line is longer than 64 KiB");
    if (!end && !last) {
      kept_.append(begin, length);
      continue;
    }
    ++line_;
    if (kept_.empty()) {
      line = {begin, length};
    } else {
      kept_.append(begin, length);
      line = kept_;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }
}

void LineReader::fail(std::string_view what) const { throw InputError("{}:{}: {}", path_, line_, what); }

}  // namespace sassim::trace
