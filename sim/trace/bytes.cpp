// SPDX-License-Identifier: Apache-2.0
// The errors of reading damaged trace bytes, with file, section and byte.
#include "sim/trace/bytes.h"

#include "sim/base/error.h"

namespace sassim::trace {

std::uint64_t ByteReader::fixed(int n) {
  need(static_cast<std::uint64_t>(n), "a fixed-width number");
  std::uint64_t v = 0;
  for (int i = 0; i < n; ++i) v |= std::uint64_t{bytes_[at_++]} << (8 * i);
  return v;
}

void ByteReader::expect_end() {
  if (!done()) fail(fmt::format("there are {} bytes more than expected", left()));
}

void ByteReader::fail(std::string_view what) const { throw InputError("{}, byte {}: {}", place_, at_, what); }

void ByteReader::missing(std::uint64_t n, const char* what) const {
  fail(fmt::format("expected {} ({} of them), but only {} are left", what, n, left()));
}

void ByteReader::out_of_range(const char* what, std::uint64_t value, std::uint64_t limit) const {
  fail(fmt::format("{} is {}, but at most {} is possible here", what, value, limit));
}

}  // namespace sassim::trace
