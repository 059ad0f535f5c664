// SPDX-License-Identifier: Apache-2.0
// Writes simulated state as bytes, for checkpoints, and reads it back. A class with state has `template <class Archive>
// void state(Archive& archive) { archive(a_, b_); }`, one function for both ways; a plain struct needs none. `if
// constexpr (Archive::kLoading)` tells the ways apart. Loading goes into an object that was built from the same
// configuration: what is not named in state() stays as it was built. Pointers and references have no bytes: save an
// index instead.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/state_fields.h"
#include "sim/base/strong.h"
#include "sim/base/types.h"

namespace sassim {

namespace state_detail {

template <class T>
inline constexpr bool kStrong = false;
template <class Tag, class Rep>
inline constexpr bool kStrong<Id<Tag, Rep>> = true;
template <class Tag, class Rep>
inline constexpr bool kStrong<Quantity<Tag, Rep>> = true;
template <>
inline constexpr bool kStrong<LaneMask> = true;

/// Copied byte by byte: there is no padding in them.
template <class T>
inline constexpr bool kPlain = (std::is_arithmetic_v<T> && !std::is_same_v<T, long double>) || std::is_enum_v<T> ||
                               (kStrong<T> && std::is_trivially_copyable_v<T>);
template <class T, std::size_t N>
inline constexpr bool kPlain<std::array<T, N>> = kPlain<T> && !std::is_same_v<T, bool> && N != 0;

template <class T, template <class...> class Of>
inline constexpr bool kIs = false;
template <template <class...> class Of, class... A>
inline constexpr bool kIs<Of<A...>, Of> = true;

template <class T>
inline constexpr bool kArray = false;
template <class T, std::size_t N>
inline constexpr bool kArray<std::array<T, N>> = true;
template <class T>
inline constexpr bool kBits = false;
template <std::size_t N>
inline constexpr bool kBits<std::bitset<N>> = true;

template <class T>
inline constexpr bool kSorted = kIs<T, std::map> || kIs<T, std::set> || kIs<T, std::multimap> || kIs<T, std::multiset>;
template <class T>
inline constexpr bool kHashed = kIs<T, std::unordered_map> || kIs<T, std::unordered_set>;

/// The vector inside a priority queue, whose order is state.
template <class Queue>
typename Queue::container_type& heap_of(Queue& queue) {
  struct Open : Queue {
    static typename Queue::container_type& get(Queue& q) { return q.*&Open::c; }
  };
  return Open::get(queue);
}

inline std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

template <class T>
struct Never : std::false_type {};

}  // namespace state_detail

/// Appends state to bytes().
class StateWriter {
 public:
  static constexpr bool kLoading = false;

  template <class... T>
  void operator()(const T&... values) {
    (one(values), ...);
  }
  /// A name in the bytes, so that what does not belong here is noticed where it begins.
  void mark(std::string_view name) { one(state_detail::hash_of(name)); }
  std::string& bytes() { return bytes_; }
  void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

 private:
  template <class T>
  void size(const T& all) {
    one(static_cast<std::uint64_t>(all.size()));
  }
  template <class T>
  void each(const T& all) {
    size(all);
    for (const auto& item : all) one(item);
  }
  /// Writes the entries in the order of the keys, because the order in a hash table depends on earlier insertions.
  template <class T>
  void hashed(const T& all) {
    const auto key = [](const auto& item) -> const auto& {
      if constexpr (state_detail::kIs<T, std::unordered_map>)
        return item.first;
      else
        return item;
    };
    std::vector<const typename T::value_type*> sorted;
    for (const auto& item : all) sorted.push_back(&item);
    std::sort(sorted.begin(), sorted.end(), [&](const auto* a, const auto* b) { return key(*a) < key(*b); });
    size(all);
    for (const auto* item : sorted) one(*item);
  }

  template <class T>
  void one(const T& value) {
    using namespace state_detail;
    if constexpr (std::is_same_v<T, bool>) {
      bytes_.push_back(value ? 1 : 0);
    } else if constexpr (kPlain<T>) {
      raw(&value, sizeof(T));
    } else if constexpr (requires(T & v, StateWriter & w) { v.state(w); }) {
      const_cast<T&>(value).state(*this);  // state() of a writer changes nothing
    } else if constexpr (kIs<T, std::basic_string> || kIs<T, std::vector>) {
      size(value);
      if constexpr (kPlain<typename T::value_type> && !std::is_same_v<typename T::value_type, bool>)
        raw(value.data(), value.size() * sizeof(typename T::value_type));
      else
        for (std::size_t i = 0; i < value.size(); ++i) one(static_cast<const typename T::value_type&>(value[i]));
    } else if constexpr (kArray<T>) {
      for (const auto& item : value) one(item);
    } else if constexpr (kIs<T, std::deque> || kSorted<T>) {
      each(value);
    } else if constexpr (kHashed<T>) {
      hashed(value);
    } else if constexpr (kIs<T, std::priority_queue>) {
      one(heap_of(const_cast<T&>(value)));
    } else if constexpr (kIs<T, std::optional> || kIs<T, std::unique_ptr>) {
      one(static_cast<bool>(value));
      if (value) one(*value);
    } else if constexpr (kIs<T, std::pair> || kIs<T, std::tuple>) {
      std::apply([&](const auto&... items) { (one(items), ...); }, value);
    } else if constexpr (kBits<T>) {
      for (std::size_t i = 0; i < value.size(); ++i) one(value.test(i));
    } else if constexpr (std::is_aggregate_v<T> && !std::is_array_v<T>) {
      fields::each(value, [&](const auto&... members) { (one(members), ...); });
    } else {
      static_assert(Never<T>::value, "this type needs a state()");
    }
  }

  std::string bytes_;
};

/// Takes state from bytes that a StateWriter made; bytes that are not those are an InputError.
class StateReader {
 public:
  static constexpr bool kLoading = true;

  /// `source` names the bytes in messages; both must outlive the reader.
  explicit StateReader(std::string_view bytes, std::string_view source = "checkpoint")
      : bytes_(bytes), source_(source) {}

  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }
  void mark(std::string_view name) {
    std::uint32_t hash = 0;
    one(hash);
    if (hash != state_detail::hash_of(name)) damaged(fmt::format("the state of '{}' was expected", name));
  }
  bool at_end() const { return at_ == bytes_.size(); }
  void raw(void* data, std::size_t size) {
    if (size > bytes_.size() - at_) damaged("it ends too early");
    if (size != 0) std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }
  [[noreturn]] void damaged(std::string_view why) const {
    throw InputError("{}: the saved state is damaged or of another configuration at byte {}: {}", source_, at_, why);
  }

 private:
  /// `least`: bytes of an item, so that no damaged size asks for more memory than the file has bytes.
  std::size_t size(std::size_t least = 1) {
    std::uint64_t n = 0;
    one(n);
    if (n > (bytes_.size() - at_) / least) damaged("a size is larger than what is left");
    return static_cast<std::size_t>(n);
  }
  template <class Item, class T>
  void insert_all(T& all) {
    all.clear();
    for (std::size_t n = size(); n != 0; --n) {
      Item item{};
      one(item);
      all.insert(all.end(), std::move(item));
    }
  }
  /// Items that are there stay what they were built as and get their state.
  template <class T>
  void sequence(T& all) {
    const std::size_t n = size();
    if constexpr (std::is_default_constructible_v<typename T::value_type>)
      all.resize(n);
    else if (n != all.size())
      damaged("a size is not that of this configuration");
    for (auto& item : all) one(item);
  }

  template <class T>
  void one(T& value) {
    using namespace state_detail;
    static_assert(!std::is_const_v<T>, "a const member cannot be loaded");
    if constexpr (std::is_same_v<T, bool>) {
      char byte = 0;
      raw(&byte, 1);
      if (byte != 0 && byte != 1) damaged("neither true nor false");
      value = byte == 1;
    } else if constexpr (kPlain<T>) {
      raw(&value, sizeof(T));
    } else if constexpr (requires(T & v, StateReader & r) { v.state(r); }) {
      value.state(*this);
    } else if constexpr (kIs<T, std::basic_string> || kIs<T, std::vector>) {
      read_vector(value);
    } else if constexpr (kArray<T>) {
      for (auto& item : value) one(item);
    } else if constexpr (kIs<T, std::deque>) {
      sequence(value);
    } else if constexpr (kIs<T, std::map> || kIs<T, std::multimap> || kIs<T, std::unordered_map>) {
      insert_all<std::pair<typename T::key_type, typename T::mapped_type>>(value);
    } else if constexpr (kSorted<T> || kHashed<T>) {
      insert_all<typename T::value_type>(value);
    } else if constexpr (kIs<T, std::priority_queue>) {
      one(heap_of(value));
    } else if constexpr (kIs<T, std::optional> || kIs<T, std::unique_ptr>) {
      read_optional(value);
    } else if constexpr (kIs<T, std::pair> || kIs<T, std::tuple>) {
      std::apply([&](auto&... items) { (one(items), ...); }, value);
    } else if constexpr (kBits<T>) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        bool bit = false;
        one(bit);
        value.set(i, bit);
      }
    } else if constexpr (std::is_aggregate_v<T> && !std::is_array_v<T>) {
      fields::each(value, [&](auto&... members) { (one(members), ...); });
    } else {
      static_assert(Never<T>::value, "this type needs a state()");
    }
  }
  template <class T>
  void read_vector(T& value) {
    using Item = typename T::value_type;
    if constexpr (std::is_same_v<Item, bool>) {
      value.assign(size(), false);
      for (std::size_t i = 0; i < value.size(); ++i) {
        bool item = false;
        one(item);
        value[i] = item;
      }
    } else if constexpr (state_detail::kPlain<Item>) {
      value.resize(size(sizeof(Item)));
      raw(value.data(), value.size() * sizeof(Item));
    } else {
      sequence(value);
    }
  }
  template <class T>
  void read_optional(T& value) {
    bool there = false;
    one(there);
    if (!there) return value.reset();
    using Item = std::remove_reference_t<decltype(*value)>;
    if (!value) {
      if constexpr (!std::is_default_constructible_v<Item>)
        damaged("something is there that this configuration has not");
      else if constexpr (state_detail::kIs<T, std::unique_ptr>)
        value = std::make_unique<Item>();
      else
        value.emplace();
    }
    one(*value);
  }

  std::string_view bytes_, source_;
  std::size_t at_ = 0;
};

}  // namespace sassim
