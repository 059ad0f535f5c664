// SPDX-License-Identifier: Apache-2.0
// Sends messages with their sizes through a pair of sockets.
#include "sim/base/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "sim/base/error.h"

namespace sassim {

namespace {

struct Head {
  std::uint64_t size = 0;
  std::uint64_t kind = 0;
};

/// Calls `move`, which sends or receives some bytes, until all are through. False: the other end is closed.
template <class Byte, class Move>
bool all_of(Byte* data, std::size_t size, Move move) {
  while (size != 0) {
    const ssize_t count = move(data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

std::pair<Connection, Connection> Connection::make() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw InputError("two processes cannot be connected: {}", std::strerror(errno));
  return {Connection(ends[0]), Connection(ends[1])};
}

Connection::~Connection() { close(); }

void Connection::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

bool Connection::send(char kind, std::string_view bytes) const {
  const Head head{bytes.size(), static_cast<unsigned char>(kind)};
  const auto put = [this](const char* data, std::size_t size) { return ::send(descriptor_, data, size, MSG_NOSIGNAL); };
  return all_of(reinterpret_cast<const char*>(&head), sizeof head, put) && all_of(bytes.data(), bytes.size(), put);
}

std::optional<Connection::Message> Connection::receive() const {
  const auto get = [this](char* data, std::size_t size) { return ::recv(descriptor_, data, size, 0); };
  Head head;
  if (!all_of(reinterpret_cast<char*>(&head), sizeof head, get)) return std::nullopt;
  Message message{static_cast<char>(head.kind), std::string(head.size, '\0')};
  if (!all_of(message.bytes.data(), message.bytes.size(), get)) return std::nullopt;
  return message;
}

}  // namespace sassim
