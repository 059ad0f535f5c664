// SPDX-License-Identifier: Apache-2.0
// The members of a plain struct, one after the other, without a list of them: a new member is never forgotten.
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
  // clang-format off
  if constexpr (n == 0) { static_assert(std::is_empty_v<T>, "give this struct a state()"); static_cast<void>(o); visit(); }
  else if constexpr (n == 1) { auto& [a] = o; visit(a); }
  else if constexpr (n == 2) { auto& [a, b] = o; visit(a, b); }
  else if constexpr (n == 3) { auto& [a, b, c] = o; visit(a, b, c); }
  else if constexpr (n == 4) { auto& [a, b, c, d] = o; visit(a, b, c, d); }
  else if constexpr (n == 5) { auto& [a, b, c, d, e] = o; visit(a, b, c, d, e); }
  else if constexpr (n == 6) { auto& [a, b, c, d, e, f] = o; visit(a, b, c, d, e, f); }
  else if constexpr (n == 7) { auto& [a, b, c, d, e, f, g] = o; visit(a, b, c, d, e, f, g); }
  else if constexpr (n == 8) { auto& [a, b, c, d, e, f, g, h] = o; visit(a, b, c, d, e, f, g, h); }
  else if constexpr (n == 9) { auto& [a, b, c, d, e, f, g, h, i] = o; visit(a, b, c, d, e, f, g, h, i); }
  else if constexpr (n == 10) { auto& [a, b, c, d, e, f, g, h, i, j] = o; visit(a, b, c, d, e, f, g, h, i, j); }
  else if constexpr (n == 11) { auto& [a, b, c, d, e, f, g, h, i, j, k] = o; visit(a, b, c, d, e, f, g, h, i, j, k); }
  else if constexpr (n == 12) { auto& [a, b, c, d, e, f, g, h, i, j, k, l] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l); }
  else if constexpr (n == 13) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m); }
  else if constexpr (n == 14) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p); }
  else if constexpr (n == 15) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q); }
  else if constexpr (n == 16) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r); }
  else if constexpr (n == 17) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s); }
  else if constexpr (n == 18) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t); }
  else if constexpr (n == 19) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u); }
  else if constexpr (n == 20) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v); }
  else if constexpr (n == 21) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w); }
  else if constexpr (n == 22) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x); }
  else if constexpr (n == 23) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y); }
  else if constexpr (n == 24) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z); }
  else if constexpr (n == 25) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa); }
  else if constexpr (n == 26) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa, bb] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa, bb); }
  else if constexpr (n == 27) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc); }
  else if constexpr (n == 28) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc, dd] = o; visit(a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc, dd); }
  else static_assert(n <= 28, "give this struct a state()");
  // clang-format on
}

}  // namespace fields

}  // namespace sassim
