// SPDX-License-Identifier: Apache-2.0
// A first-in-first-out queue in a ring buffer, for queues of the SM: it grows if it must and never shrinks, so that in
// the steady state it allocates nothing.
#pragma once

#include <cstddef>
#include <vector>

namespace sassim::arch {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity = 16) : items_(capacity == 0 ? 1 : capacity) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  /// The item that will be taken as number i, from 0.
  const T& operator[](std::size_t i) const { return items_[place(i)]; }
  T& operator[](std::size_t i) { return items_[place(i)]; }
  void pop() {
    if (++first_ == items_.size()) first_ = 0;
    --size_;
  }
  void push(const T& item) { push() = item; }
  /// Adds an item at the end for the caller to fill in; until then it has an old value.
  T& push() {
    if (size_ == items_.size()) grow();
    return items_[place(size_++)];
  }
  void clear() { size_ = 0; }
  template <class Archive>
  void state(Archive& archive) {
    std::size_t size = size_;
    archive(size);
    if constexpr (Archive::kLoading) {
      clear();
      for (T item{}; size != 0; --size) archive(item), push(item);
    } else {
      for (std::size_t i = 0; i < size; ++i) archive((*this)[i]);
    }
  }

 private:
  std::size_t place(std::size_t i) const {
    const std::size_t at = first_ + i;
    return at < items_.size() ? at : at - items_.size();
  }
  void grow() {
    std::vector<T> larger(items_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = items_[place(i)];
    items_.swap(larger);
    first_ = 0;
  }

  std::vector<T> items_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace sassim::arch
