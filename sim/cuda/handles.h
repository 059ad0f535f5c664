// SPDX-License-Identifier: Apache-2.0
// The objects behind the program's handles of one kind. Objects of a context that has been reset are kept, so that no
// new object gets their handles.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace sassim::cuda {

template <class T>
class Handles {
 public:
  T* add(std::unique_ptr<T> object) { return live_.emplace_back(std::move(object)).get(); }
  bool erase(const T* handle) {
    return std::erase_if(live_, [&](const auto& object) { return object.get() == handle; }) != 0;
  }
  bool holds(const T* handle) const { return among(live_, handle); }
  bool was_reset(const T* handle) const { return among(reset_, handle); }
  void reset() {
    reset([](const T&) { return true; });
  }
  /// The same for some.
  template <class Gone>
  void reset(Gone gone) {
    const auto first =
        std::stable_partition(live_.begin(), live_.end(), [&](const auto& object) { return !gone(*object); });
    std::move(first, live_.end(), std::back_inserter(reset_));
    live_.erase(first, live_.end());
  }
  const std::vector<std::unique_ptr<T>>& all() const { return live_; }

 private:
  using Objects = std::vector<std::unique_ptr<T>>;
  static bool among(const Objects& objects, const T* handle) {
    return std::any_of(objects.begin(), objects.end(), [&](const auto& object) { return object.get() == handle; });
  }

  Objects live_, reset_;
};

}  // namespace sassim::cuda
