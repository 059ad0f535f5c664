// SPDX-License-Identifier: Apache-2.0
// Writes and reads the numbers of trace files: little-endian bytes, LEB128 variable-length integers and zigzag
// differences; reads are checked against the bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::trace {

constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (static_cast<std::int64_t>(difference) < 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t unzigzag(std::uint64_t code) { return (code >> 1) ^ (~(code & 1) + 1); }

class ByteWriter {
 public:
  void u8(std::uint8_t v) { bytes_.push_back(v); }
  void u32(std::uint32_t v) { fixed(v, 4); }
  void u64(std::uint64_t v) { fixed(v, 8); }
  void varint(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_.push_back(static_cast<std::uint8_t>(v | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(v));
  }
  /// Writes a difference modulo 2^64, in few bytes if it is small in either direction.
  void delta(std::uint64_t difference) { varint(zigzag(difference)); }
  void bytes(std::span<const std::uint8_t> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  void text(std::string_view s) {
    varint(s.size());
    bytes_.insert(bytes_.end(), s.begin(), s.end());
  }
  void blob(std::span<const std::uint8_t> more) {
    varint(more.size());
    bytes(more);
  }

  std::size_t size() const { return bytes_.size(); }
  std::span<const std::uint8_t> view() const { return bytes_; }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  void fixed(std::uint64_t v, int n) {
    for (int i = 0; i < n; ++i) bytes_.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
  }
  std::vector<std::uint8_t> bytes_;
};

/// Throws InputError "PLACE, byte N: what is wrong". `place` must outlive the reader.
class ByteReader {
 public:
  ByteReader(std::span<const std::uint8_t> bytes, std::string_view place) : bytes_(bytes), place_(place) {}

  std::uint8_t u8() {
    need(1, "a byte");
    return bytes_[at_++];
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }
  std::uint64_t varint() {
    if (at_ < bytes_.size() && bytes_[at_] < 0x80) return bytes_[at_++];
    std::uint64_t v = 0;
    for (unsigned shift = 0; at_ < bytes_.size(); shift += 7) {
      const std::uint8_t byte = bytes_[at_++];
      if (shift == 63 && byte > 1) break;
      v |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return v;
    }
    fail("a number is cut off or does not fit 64 bits");
  }
  /// Reads a varint of at most `limit`.
  std::uint64_t varint(std::uint64_t limit, const char* what) {
    const std::uint64_t v = varint();
    if (v > limit) out_of_range(what, v, limit);
    return v;
  }
  std::uint64_t delta() { return unzigzag(varint()); }
  std::span<const std::uint8_t> bytes(std::uint64_t n) {
    need(n, "bytes");
    auto part = bytes_.subspan(at_, static_cast<std::size_t>(n));
    at_ += static_cast<std::size_t>(n);
    return part;
  }
  std::span<const std::uint8_t> blob() { return bytes(varint()); }
  std::string text() {
    auto part = blob();
    return {part.begin(), part.end()};
  }

  /// Reads a count of things of at least `least` bytes each, which the remaining bytes must be able to hold.
  std::size_t count(const char* what, std::size_t least = 1) {
    return static_cast<std::size_t>(varint(left() / least, what));
  }

  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  bool done() const { return at_ == bytes_.size(); }
  void expect_end();
  [[noreturn]] void fail(std::string_view what) const;

 private:
  void need(std::uint64_t n, const char* what) {
    if (n > left()) missing(n, what);
  }
  std::uint64_t fixed(int n);
  [[noreturn]] void missing(std::uint64_t n, const char* what) const;
  [[noreturn]] void out_of_range(const char* what, std::uint64_t value, std::uint64_t limit) const;

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::string_view place_;
};

}  // namespace sassim::trace
