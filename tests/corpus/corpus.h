// SPDX-License-Identifier: Apache-2.0
// What every program of the corpus needs: device buffers, deterministic inputs, a check against a host reference, and
// one line of output per kernel. A program prints
//     name hash=0123456789abcdef ok
// where the hash (64-bit FNV-1a) is of the kernel's output bytes, so that two machines can be compared bit for bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace corpus {

inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// A device array that lives as long as the object.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) {
    require(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)), "cudaMalloc");
    require(cudaMemset(data_, 0, size * sizeof(T)), "cudaMemset");
  }
  explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) {
    require(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy to device");
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

  operator T*() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> host(size_);
    require(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy to host");
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// The same numbers on every machine: a linear congruential generator (Knuth's MMIX constants).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2654435761u + 1) {}
  std::uint32_t bits() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  std::uint64_t bits64() {
    const std::uint64_t high = bits();
    return high << 32 | bits();
  }
  float unit() { return static_cast<float>(bits() >> 8) / 16777216.0f; }
  float between(float low, float high) { return low + (high - low) * unit(); }

  std::vector<float> floats(std::size_t n, float low, float high) {
    std::vector<float> v(n);
    for (float& x : v) x = between(low, high);
    return v;
  }
  std::vector<double> doubles(std::size_t n, double low, double high) {
    std::vector<double> v(n);
    for (double& x : v) x = low + (high - low) * (static_cast<double>(bits64() >> 11) / 9007199254740992.0);
    return v;
  }
  std::vector<std::uint32_t> words(std::size_t n) {
    std::vector<std::uint32_t> v(n);
    for (auto& x : v) x = bits();
    return v;
  }

 private:
  std::uint64_t state_;
};

/// The device's architecture: 70, 75, 80, 86, 90.
inline int architecture() {
  int device = 0, major = 0, minor = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  return major * 10 + minor;
}

/// How far a result may be from the reference. Zero means bit for bit.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

template <class T>
bool same(const T& got, const T& want, Tolerance tolerance) {
  if (std::memcmp(&got, &want, sizeof(T)) == 0) return true;
  const double g = static_cast<double>(got), w = static_cast<double>(want);
  if (g != g && w != w) return true;  // a NaN is a NaN: payloads differ between hosts
  if (tolerance.relative == 0 && tolerance.absolute == 0) return false;
  return std::fabs(g - w) <= tolerance.absolute + tolerance.relative * std::fabs(w);
}

inline bool& all_ok() {
  static bool ok = true;
  return ok;
}

template <class T>
std::uint64_t hash_of(const std::vector<T>& data) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
  for (std::size_t i = 0; i < data.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}

/// Compares and prints the kernel's line. Call it right after the launch: it also reports a failed launch.
template <class T>
void check(const char* name, const Buffer<T>& buffer, const std::vector<T>& want, Tolerance tolerance = {}) {
  require(cudaGetLastError(), name);
  require(cudaDeviceSynchronize(), name);
  const std::vector<T> got = buffer.read();
  std::size_t wrong = got.size() == want.size() ? got.size() : 0;
  for (std::size_t i = 0; i < want.size() && i < got.size(); ++i)
    if (!same(got[i], want[i], tolerance)) {
      wrong = i;
      break;
    }
  const bool ok = wrong == want.size();
  std::printf("%s hash=%016llx %s\n", name, static_cast<unsigned long long>(hash_of(got)), ok ? "ok" : "FAIL");
  if (!ok && wrong < got.size())
    std::fprintf(stderr, "%s: element %zu is %.17g, expected %.17g\n", name, wrong, static_cast<double>(got[wrong]),
                 static_cast<double>(want[wrong]));
  all_ok() = all_ok() && ok;
}

/// Says that this device has no such instruction.
inline void skipped(const char* name, int needs) { std::printf("%s skipped: needs sm_%d\n", name, needs); }

inline int finish() { return all_ok() ? 0 : 1; }

template <class T>
T bit_cast_to(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace corpus
