// SPDX-License-Identifier: Apache-2.0
// Maps a recorded trace into memory, for a replay in the process that recorded it.
#include "sim/trace/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/base/error.h"

namespace sassim::trace {

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw InputError("{}: cannot be opened: {}", path_, std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const at =
      known && size != 0 ? ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, descriptor, 0) : MAP_FAILED;
  const int why = errno;
  ::close(descriptor);
  if (at == MAP_FAILED) throw InputError("{}: cannot be mapped: {}", path_, std::strerror(why));
  bytes_ = {static_cast<const std::uint8_t*>(at), size};
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size()); }

void MappedFile::release(std::uint64_t offset, std::uint64_t count) const {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t start = offset / kPage * kPage;
  ::madvise(const_cast<std::uint8_t*>(bytes_.data()) + start, static_cast<std::size_t>(offset + count - start),
            MADV_DONTNEED);
}

}  // namespace sassim::trace
