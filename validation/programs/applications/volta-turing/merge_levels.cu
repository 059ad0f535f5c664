// SPDX-License-Identifier: Apache-2.0
//
// Two parts of a merge sort of keys with values. shared: 1024 pairs for each block, ten levels in shared memory, every
// element finds its place by a binary search. intervals: a level in global memory, two sorted runs cut into pieces of at
// most 128 elements of each; a block merges one piece.
#include <numeric>

#include "row.h"

constexpr unsigned kPiece = 128, kShared = 1024;

/// Elements of sorted `data` that come before `key`: those below it, with `equal` also the equal ones. `count` is a power of
/// two; `length` of the elements are there.
__device__ unsigned place(unsigned key, const unsigned* data, unsigned length, unsigned count, bool equal) {
    if (length == 0) return 0;
    unsigned position = 0;
    for (unsigned step = count; step > 0; step /= 2) {
        const unsigned next = min(position + step, length), other = data[next - 1];
        if (equal ? other <= key : other < key) position = next;
    }
    return position;
}

__global__ void shared_levels(unsigned* out_keys, unsigned* out_values, const unsigned* in_keys, const unsigned* in_values,
                              unsigned length) {
    __shared__ unsigned keys[kShared], values[kShared];
    const unsigned thread = threadIdx.x, first = blockIdx.x * kShared + thread, half = kShared / 2;
    keys[thread] = in_keys[first];
    values[thread] = in_values[first];
    keys[thread + half] = in_keys[first + half];
    values[thread + half] = in_values[first + half];
    for (unsigned run = 1; run < length; run *= 2) {
        const unsigned inside = thread & (run - 1);
        unsigned *base = keys + 2 * (thread - inside), *base_values = values + 2 * (thread - inside);
        row::sync();
        const unsigned key_a = base[inside], value_a = base_values[inside];
        const unsigned key_b = base[inside + run], value_b = base_values[inside + run];
        const unsigned place_a = place(key_a, base + run, run, run, false) + inside;
        const unsigned place_b = place(key_b, base, run, run, true) + inside;
        row::sync();
        base[place_a] = key_a;
        base_values[place_a] = value_a;
        base[place_b] = key_b;
        base_values[place_b] = value_b;
    }
    row::sync();
    out_keys[first] = keys[thread];
    out_values[first] = values[thread];
    out_keys[first + half] = keys[thread + half];
    out_values[first + half] = values[thread + half];
}

__global__ void merge_intervals(unsigned* out_keys, unsigned* out_values, const unsigned* in_keys, const unsigned* in_values,
                                const unsigned* limits_a, const unsigned* limits_b, unsigned run, unsigned n) {
    __shared__ unsigned keys[2 * kPiece], values[2 * kPiece];
    __shared__ unsigned begin_a, begin_b, count_a, count_b, target_a, target_b;
    const unsigned thread = threadIdx.x, piece = blockIdx.x & (2 * run / kPiece - 1);
    const unsigned base = (blockIdx.x - piece) * kPiece;
    in_keys += base;
    in_values += base;
    out_keys += base;
    out_values += base;
    if (thread == 0) {
        const unsigned a = run, b = min(run, n - run - base), pieces = (a + kPiece - 1) / kPiece + (b + kPiece - 1) / kPiece;
        begin_a = limits_a[blockIdx.x];
        begin_b = limits_b[blockIdx.x];
        count_a = (piece + 1 < pieces ? limits_a[blockIdx.x + 1] : a) - begin_a;
        count_b = (piece + 1 < pieces ? limits_b[blockIdx.x + 1] : b) - begin_b;
        target_a = begin_a + begin_b;
        target_b = target_a + count_a;
    }
    row::sync();
    if (thread < count_a) {
        keys[thread] = in_keys[begin_a + thread];
        values[thread] = in_values[begin_a + thread];
    }
    if (thread < count_b) {
        keys[kPiece + thread] = in_keys[run + begin_b + thread];
        values[kPiece + thread] = in_values[run + begin_b + thread];
    }
    row::sync();
    unsigned key_a = 0, value_a = 0, place_a = 0, key_b = 0, value_b = 0, place_b = 0;
    if (thread < count_a) {
        key_a = keys[thread];
        value_a = values[thread];
        place_a = place(key_a, keys + kPiece, count_b, kPiece, false) + thread;
    }
    if (thread < count_b) {
        key_b = keys[kPiece + thread];
        value_b = values[kPiece + thread];
        place_b = place(key_b, keys, count_a, kPiece, true) + thread;
    }
    row::sync();
    if (thread < count_a) {
        keys[place_a] = key_a;
        values[place_a] = value_a;
    }
    if (thread < count_b) {
        keys[place_b] = key_b;
        values[place_b] = value_b;
    }
    row::sync();
    if (thread < count_a) {
        out_keys[target_a + thread] = keys[thread];
        out_values[target_a + thread] = values[thread];
    }
    if (thread < count_b) {
        out_keys[target_b + thread] = keys[count_a + thread];
        out_values[target_b + thread] = values[count_a + thread];
    }
}

namespace {

/// Where the pieces of each pair of runs begin: at every 128th element of either run, by rank in the merged order.
void find_limits(const std::vector<unsigned>& keys, unsigned run, std::vector<unsigned>& limits_a, std::vector<unsigned>& limits_b) {
    for (std::size_t base = 0; base < keys.size(); base += 2 * run) {
        const auto a = keys.begin() + static_cast<std::ptrdiff_t>(base), b = a + run;
        std::vector<std::pair<unsigned, unsigned>> cuts;
        for (unsigned i = 0; i < run; i += kPiece) {
            cuts.emplace_back(i, static_cast<unsigned>(std::lower_bound(b, b + run, a[i]) - b));
            cuts.emplace_back(static_cast<unsigned>(std::upper_bound(a, b, b[i]) - a), i);
        }
        std::sort(cuts.begin(), cuts.end(), [](const auto& x, const auto& y) {
            return x.first + x.second < y.first + y.second || (x.first + x.second == y.first + y.second && x.first < y.first);
        });
        for (const auto& [x, y] : cuts) {
            limits_a.push_back(x);
            limits_b.push_back(y);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "shared", 1 << 22);
    const auto n = static_cast<unsigned>(options.n);
    auto keys = app::integers(n, 13, 65536);
    std::vector<unsigned> values(n);
    std::iota(values.begin(), values.end(), 0u);
    const bool shared = options.is("shared");
    if (!shared && !options.is("intervals")) options.unknown("shared, intervals");
    const auto run = static_cast<unsigned>(options.args.number("run", 65536));
    const auto sort_runs = [&](std::vector<unsigned>& order, std::size_t length) {
        for (std::size_t at = 0; at < n; at += length)
            std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(at), order.begin() + static_cast<std::ptrdiff_t>(at + length),
                             [&](unsigned x, unsigned y) { return keys[x] < keys[y]; });
    };
    std::vector<unsigned> order = values, sorted_keys(n);
    if (!shared) sort_runs(values, run);
    for (std::size_t i = 0; i < n; ++i) sorted_keys[i] = keys[values[i]];
    row::Buffer<unsigned> in_keys(sorted_keys), in_values(values), out_keys(n), out_values(n);
    if (shared) {
        shared_levels<<<n / kShared, kShared / 2>>>(out_keys.get(), out_values.get(), in_keys.get(), in_values.get(), kShared);
        bench::finish();
    } else {
        std::vector<unsigned> a, b;
        find_limits(sorted_keys, run, a, b);
        row::Buffer<unsigned> limits_a(a), limits_b(b);
        merge_intervals<<<n / kPiece, kPiece>>>(out_keys.get(), out_values.get(), in_keys.get(), in_values.get(), limits_a.get(),
                                                limits_b.get(), run, n);
        bench::finish();
    }
    sort_runs(order, shared ? kShared : 2 * run);
    app.check(out_values.download(), order, 0);
    for (std::size_t i = 0; i < n; ++i) sorted_keys[i] = keys[order[i]];
    app.check(out_keys.download(), sorted_keys, 0);
    return app.finish();
}
