// SPDX-License-Identifier: Apache-2.0
//
// Functions of CUB and Thrust over one array: runs, histogram, selection, sums of segments, a descending sort, unique keys and their sums.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

#include "../app.h"

struct Odd {
    __host__ __device__ bool operator()(uint32_t value) const { return value % 2 != 0; }
};
struct Mix {
    __host__ __device__ float operator()(uint32_t a, float b) const { return static_cast<float>(a % 17) * 0.5f + b; }
};

template <class Call>
void twice(Call call) {    // CUB says how much memory it wants, then works
    std::size_t bytes = 0;
    CUDA_OK(call(nullptr, bytes));
    bench::Buffer<char> work(bytes);
    CUDA_OK(call(work.get(), bytes));
    bench::finish();
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 14, 1 << 18), segments = n / 512;
    std::vector<uint32_t> runs, random = app::integers(n, 1, 1u << 20);
    for (int i = 0; i < n; ++i) runs.push_back(i == 0 || random[i] % 5 == 0 ? random[i] % 64 : runs.back());
    std::vector<float> weights;
    for (uint32_t value : app::integers(n, 2, 16)) weights.push_back(static_cast<float>(value));
    std::vector<int> bounds;
    for (int i = 0; i <= segments; ++i) bounds.push_back(i == segments ? n : i * 512 + static_cast<int>(random[i] % 400) * (i != 0));
    app::Buffer<uint32_t> keys(runs), numbers(random), heads(n), chosen(n), sorted(n);
    app::Buffer<int> lengths(n), count(1), chosen_count(1), bins(256), offsets(bounds);
    app::Buffer<float> values(weights), sums(segments);

    twice([&](void* work, std::size_t& bytes) { return cub::DeviceRunLengthEncode::Encode(work, bytes, keys.get(), heads.get(), lengths.get(), count.get(), n); });
    twice([&](void* work, std::size_t& bytes) { return cub::DeviceHistogram::HistogramEven(work, bytes, numbers.get(), bins.get(), 257, 0u, 1u << 20, n); });
    twice([&](void* work, std::size_t& bytes) { return cub::DeviceSelect::If(work, bytes, numbers.get(), chosen.get(), chosen_count.get(), n, Odd()); });
    twice([&](void* work, std::size_t& bytes) { return cub::DeviceSegmentedReduce::Sum(work, bytes, values.get(), sums.get(), segments, offsets.get(), offsets.get() + 1); });
    twice([&](void* work, std::size_t& bytes) { return cub::DeviceRadixSort::SortKeysDescending(work, bytes, numbers.get(), sorted.get(), n, 0, 20); });
    thrust::device_ptr<uint32_t> first(keys.get()), second(numbers.get());
    thrust::device_ptr<float> third(values.get());
    thrust::device_vector<float> mixed(n), totals(n);
    thrust::device_vector<uint32_t> unique(n);
    thrust::transform(second, second + n, third, mixed.begin(), Mix());
    const auto ends = thrust::reduce_by_key(first, first + n, mixed.begin(), unique.begin(), totals.begin());

    std::vector<uint32_t> want_heads, want_chosen, got_heads = heads.download(), got_chosen = chosen.download();
    std::vector<int> want_lengths, want_bins(256), got_lengths = lengths.download();
    std::vector<float> want_sums(segments), want_totals, got_totals(ends.second - totals.begin());
    for (int i = 0; i < n; ++i) {
        if (i == 0 || runs[i] != runs[i - 1]) want_heads.push_back(runs[i]), want_lengths.push_back(0), want_totals.push_back(0);
        ++want_lengths.back();
        want_totals.back() += Mix()(random[i], weights[i]);
        ++want_bins[random[i] >> 12];
        if (Odd()(random[i])) want_chosen.push_back(random[i]);
    }
    for (int i = 0; i < segments; ++i)
        for (int j = bounds[i]; j < bounds[i + 1]; ++j) want_sums[i] += weights[j];
    thrust::copy(totals.begin(), ends.second, got_totals.begin());
    got_heads.resize(count.download()[0]), got_lengths.resize(got_heads.size()), got_chosen.resize(chosen_count.download()[0]);
    std::sort(random.rbegin(), random.rend());
    app.check(got_heads, want_heads, 0);
    app.check(got_lengths, want_lengths, 0);
    app.check(bins.download(), want_bins, 0);
    app.check(got_chosen, want_chosen, 0);
    app.check(sums.download(), want_sums, 0);
    app.check(sorted.download(), random, 0);
    app.check(got_totals, want_totals, 0);
    return app.finish();
}
