// SPDX-License-Identifier: Apache-2.0
// A first-in-first-out queue in contiguous memory, whose contents a checkpoint can hold, for queues of the L2, the
// walker and DRAM.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace sassim::arch {

template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  void push(T item) { items_.push_back(std::move(item)); }
  const T& front() const { return items_[head_]; }
  T& front() { return items_[head_]; }
  void pop() {
    if (++head_ == items_.size()) {
      items_.clear();
      head_ = 0;
    } else if (head_ >= 64 && head_ * 2 > items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }
  template <class Archive>
  void state(Archive& archive) {
    archive(items_, head_);
    if constexpr (Archive::kLoading)
      if (head_ > items_.size()) archive.damaged("a queue begins after its end");
  }

 private:
  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace sassim::arch
