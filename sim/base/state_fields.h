// SPDX-License-Identifier: Apache-2.0
// Visits the members of a plain struct for checkpoints, without a list of them: a new member is never forgotten.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sassim {

namespace fields {

/// Converts to every type, where nothing is evaluated.
struct Any {
  template <class T>
  operator T&() const& noexcept;  // NOLINT: implicit is what it is for
  template <class T>
  operator T&&() const&& noexcept;  // NOLINT
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Any{})...}; };
}

constexpr std::size_t kMost = 32;

/// How many members the aggregate T has.
template <class T, std::size_t N = kMost>
constexpr std::size_t count() {
  if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>{}))
    return N;
  else
    return count<T, N - 1>();
}

/// Calls `visit(member, member, ...)`. A compile error (wrong number of names) asks for a state() in T.
template <class T, class Visit>
void each(T& o, Visit visit) {
  constexpr std::size_t n = count<std::remove_const_t<T>>();
  static_assert(n <= 28, "give this struct a state()");
  static_assert(n != 0 || std::is_empty_v<T>, "give this struct a state()");
  // clang-format off
#define SASSIM_FIELDS(number, ...) if constexpr (n == number) { auto& [__VA_ARGS__] = o; visit(__VA_ARGS__); }
  if constexpr (n == 0) { static_cast<void>(o); visit(); }
  else SASSIM_FIELDS(1, a)
  else SASSIM_FIELDS(2, a, b)
  else SASSIM_FIELDS(3, a, b, c)
  else SASSIM_FIELDS(4, a, b, c, d)
  else SASSIM_FIELDS(5, a, b, c, d, e)
  else SASSIM_FIELDS(6, a, b, c, d, e, f)
  else SASSIM_FIELDS(7, a, b, c, d, e, f, g)
  else SASSIM_FIELDS(8, a, b, c, d, e, f, g, h)
  else SASSIM_FIELDS(9, a, b, c, d, e, f, g, h, i)
  else SASSIM_FIELDS(10, a, b, c, d, e, f, g, h, i, j)
  else SASSIM_FIELDS(11, a, b, c, d, e, f, g, h, i, j, k)
  else SASSIM_FIELDS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  else SASSIM_FIELDS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  else SASSIM_FIELDS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, p)
  else SASSIM_FIELDS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q)
  else SASSIM_FIELDS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r)
  else SASSIM_FIELDS(17, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s)
  else SASSIM_FIELDS(18, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t)
  else SASSIM_FIELDS(19, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u)
  else SASSIM_FIELDS(20, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v)
  else SASSIM_FIELDS(21, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w)
  else SASSIM_FIELDS(22, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x)
  else SASSIM_FIELDS(23, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y)
  else SASSIM_FIELDS(24, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z)
  else SASSIM_FIELDS(25, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa)
  else SASSIM_FIELDS(26, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa, bb)
  else SASSIM_FIELDS(27, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc)
  else SASSIM_FIELDS(28, a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc, dd)
#undef SASSIM_FIELDS
  // clang-format on
}

}  // namespace fields

}  // namespace sassim
