// SPDX-License-Identifier: Apache-2.0
// Messages between this process and a copy of it (ChildProcess::copy()).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sassim {

/// One end, of which each process has its own.
class Connection {
 public:
  struct Message {
    char kind = 0;
    std::string bytes;
  };

  /// The two ends. Throws InputError when the system has no descriptors left.
  static std::pair<Connection, Connection> make();
  ~Connection();
  Connection(Connection&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Connection& operator=(Connection&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  /// False: the other process has ended.
  bool send(char kind, std::string_view bytes = {}) const;
  /// Waits for a message. Nothing: the other process has ended, perhaps in the middle of one.
  std::optional<Message> receive() const;
  /// To wait for a message with poll().
  int descriptor() const { return descriptor_; }
  /// This process does not use the end: the other process has it.
  void close();

 private:
  explicit Connection(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace sassim
