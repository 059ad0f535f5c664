// SPDX-License-Identifier: Apache-2.0
//
// Sorts, scans and reduces with Thrust: kernels of a library, as many programs have them.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "../app.h"

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 14, 1 << 18);
    auto keys = app::integers(n, 1, 0xffffffffu), values = app::integers(n, 2, 1000);
    thrust::device_vector<uint32_t> k(keys), v(values), sums(n);
    thrust::sort_by_key(k.begin(), k.end(), v.begin());
    thrust::inclusive_scan(v.begin(), v.end(), sums.begin());
    const uint32_t total = thrust::reduce(v.begin(), v.end());
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (int i = 0; i < n; ++i) pairs.emplace_back(keys[i], values[i]);
    std::stable_sort(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return a.first < b.first; });
    std::vector<uint32_t> have(n), want;
    thrust::copy(sums.begin(), sums.end(), have.begin());
    uint32_t sum = 0;
    for (auto& pair : pairs) want.push_back(sum += pair.second);
    app.check(have, want, 0);
    app.check(std::vector<uint32_t>{total}, std::vector<uint32_t>{sum}, 0);
    return app.finish();
}
