// SPDX-License-Identifier: Apache-2.0
// Thrust and CUB against the host: sequence, transform, sort by key, reduce, scan, unique and select.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

namespace {

constexpr int kCount = 30000;

struct Scramble {
  __host__ __device__ unsigned operator()(unsigned x) const { return x * 2654435761u % 1000003u; }
};
struct IsOdd {
  __host__ __device__ bool operator()(unsigned x) const { return x % 2 != 0; }
};

void say(const char* name, bool right) { std::printf("%s: %s\n", name, right ? "right" : "WRONG"); }

std::vector<unsigned> copied(const thrust::device_vector<unsigned>& values) {
  std::vector<unsigned> host(values.size());
  thrust::copy(values.begin(), values.end(), host.begin());
  return host;
}

}  // namespace

int main() {
  thrust::device_vector<unsigned> values(kCount), order(kCount);
  thrust::sequence(order.begin(), order.end());
  thrust::transform(order.begin(), order.end(), values.begin(), Scramble());
  std::vector<unsigned> expected(kCount), places(kCount);
  std::iota(places.begin(), places.end(), 0u);
  std::transform(places.begin(), places.end(), expected.begin(), Scramble());
  say("transform", copied(values) == expected);

  say("reduce",
      thrust::reduce(values.begin(), values.end(), 0u) == std::accumulate(expected.begin(), expected.end(), 0u));
  thrust::device_vector<unsigned> sums(kCount);
  thrust::inclusive_scan(values.begin(), values.end(), sums.begin());
  std::vector<unsigned> host_sums(kCount);
  std::partial_sum(expected.begin(), expected.end(), host_sums.begin());
  say("scan", copied(sums) == host_sums);

  thrust::sort_by_key(values.begin(), values.end(), order.begin());
  std::stable_sort(places.begin(), places.end(), [&](unsigned a, unsigned b) { return expected[a] < expected[b]; });
  say("sort by key", copied(order) == places);
  std::sort(expected.begin(), expected.end());
  say("keys", copied(values) == expected);

  thrust::device_vector<unsigned> kept(kCount), count(1);
  const unsigned* in = thrust::raw_pointer_cast(values.data());
  unsigned *out = thrust::raw_pointer_cast(kept.data()), *counted = thrust::raw_pointer_cast(count.data());
  std::size_t bytes = 0;
  cub::DeviceSelect::If(nullptr, bytes, in, out, counted, kCount, IsOdd());
  thrust::device_vector<char> space(bytes);
  cub::DeviceSelect::If(thrust::raw_pointer_cast(space.data()), bytes, in, out, counted, kCount, IsOdd());
  std::vector<unsigned> odd;
  std::copy_if(expected.begin(), expected.end(), std::back_inserter(odd), IsOdd());
  kept.resize(count[0]);
  say("select", copied(kept) == odd);
  std::puts("done");
}
