// SPDX-License-Identifier: Apache-2.0
// The inbox of a receiver: messages that wait for the time at which they take effect. They are delivered in batches in
// any order and taken in the fixed order (time, source, sequence).
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "sim/base/types.h"

namespace sassim::arch {

/// `before(a, b)` is the fixed order; no two messages may be equal in it.
template <class Message, class Before>
class TimedInbox {
 public:
  void add(const Message& message) { messages_.push_back(message); }
  /// The message that was added last.
  Message& last() { return messages_.back(); }

  /// Sorts in the messages that were added since the last call. Throws std::logic_error if one of them was due before
  /// `now`.
  void settle(Cycle now) {
    if (settled_ == messages_.size()) return;
    const auto added = messages_.begin() + static_cast<std::ptrdiff_t>(settled_);
    std::sort(added, messages_.end(), Before{});
    if (due(*added) < now) throw std::logic_error("a message came too late: the epoch is longer than the lookahead");
    if (settled_ > head_ && Before{}(*added, *(added - 1)))
      std::inplace_merge(messages_.begin() + static_cast<std::ptrdiff_t>(head_), added, messages_.end(), Before{});
    settled_ = messages_.size();
  }

  bool empty() const { return head_ == settled_; }
  std::size_t size() const { return settled_ - head_; }
  const Message& front() const { return messages_[head_]; }
  /// The message that will be taken as number i, from 0.
  const Message& operator[](std::size_t i) const { return messages_[head_ + i]; }
  void pop() {
    if (++head_ == messages_.size()) {
      messages_.clear();
      head_ = settled_ = 0;
    } else if (head_ >= 32 && head_ * 2 > messages_.size() && settled_ == messages_.size()) {
      messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
      settled_ = messages_.size();
    }
  }
  template <class Archive>
  void state(Archive& archive) {
    archive(messages_, head_, settled_);
    if constexpr (Archive::kLoading)
      if (head_ > settled_ || settled_ > messages_.size()) archive.damaged("an inbox begins after its end");
  }

 private:
  static Cycle due(const Message& message) { return message.time; }

  std::vector<Message> messages_;  ///< [head, settled) is sorted; messages that were added later follow
  std::size_t head_ = 0, settled_ = 0;
};

}  // namespace sassim::arch
