// SPDX-License-Identifier: Apache-2.0
//
// What every microbenchmark shares: arguments `key=value`, one JSON line per measured value, checked CUDA calls,
// device buffers, and the in-kernel clock. No kernel may let its control flow depend on a clock value: a simulator
// first runs the kernel functionally and fills the clocks in afterwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_OK(call) ::bench::check((call), #call, __FILE__, __LINE__)

namespace bench {

inline void check(cudaError_t status, const char* call, const char* file, int line) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(status));
    std::exit(1);
}

/// Arguments `key=value`; `full=1` asks for the whole range that real hardware measures in seconds.
class Args {
public:
    Args(int argc, char** argv) {
        for (int i = 1; i < argc; ++i) {
            const char* equals = std::strchr(argv[i], '=');
            if (equals == nullptr) {
                std::fprintf(stderr, "%s: expected key=value, got '%s'\n", argv[0], argv[i]);
                std::exit(2);
            }
            values_[std::string(argv[i], static_cast<std::size_t>(equals - argv[i]))] = equals + 1;
        }
    }
    bool full() const { return number("full", 0) != 0; }
    long number(const std::string& key, long otherwise) const {
        auto found = values_.find(key);
        return found == values_.end() ? otherwise : std::strtol(found->second.c_str(), nullptr, 0);
    }
    /// `small` is used by default, `full` when full=1; `key=text` replaces both.
    long number(const std::string& key, long small, long full_size) const {
        return number(key, full() ? full_size : small);
    }
    std::string text(const std::string& key, const std::string& otherwise) const {
        auto found = values_.find(key);
        return found == values_.end() ? otherwise : found->second;
    }
    std::vector<long> list(const std::string& key, const std::string& small, const std::string& full_list) const {
        std::vector<long> out;
        std::string all = text(key, full() ? full_list : small);
        for (char* at = all.data(); *at != '\0';) {
            out.push_back(std::strtol(at, &at, 0));
            if (*at == ',') ++at;
        }
        return out;
    }

private:
    std::map<std::string, std::string> values_;
};

inline void emit(const std::string& id, double value, const char* unit) {
    std::printf("{\"id\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", id.c_str(), value, unit);
}

template <class Number>
void emit_series(const std::string& id, const std::vector<Number>& values, const char* unit) {
    std::printf("{\"id\": \"%s\", \"values\": [", id.c_str());
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::printf("%s%.6g", i == 0 ? "" : ", ", static_cast<double>(values[i]));
    }
    std::printf("], \"unit\": \"%s\"}\n", unit);
}

/// min, 5 %, 25 %, 50 %, 75 %, 95 %, max: the columns of Volkov's table 6.6.
inline void emit_percentiles(const std::string& id, std::vector<double> values, const char* unit) {
    static const std::pair<const char*, double> points[] = {{"min", 0},    {"p5", 0.05},  {"p25", 0.25}, {"p50", 0.5},
                                                            {"p75", 0.75}, {"p95", 0.95}, {"max", 1}};
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    double sum = 0;
    for (double value : values) sum += value;
    emit(id + ".mean", sum / static_cast<double>(values.size()), unit);
    for (const auto& point : points) {
        auto index = static_cast<std::size_t>(point.second * static_cast<double>(values.size() - 1) + 0.5);
        emit(id + "." + point.first, values[index], unit);
    }
}

template <class T>
class Buffer {
public:
    explicit Buffer(std::size_t count) : count_(count) { CUDA_OK(cudaMalloc(&data_, count * sizeof(T))); }
    explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) { upload(host); }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    T* get() const { return data_; }
    std::size_t size() const { return count_; }
    void upload(const std::vector<T>& host) {
        CUDA_OK(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> download() const {
        std::vector<T> host(count_);
        CUDA_OK(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    void clear(int byte = 0) { CUDA_OK(cudaMemset(data_, byte, count_ * sizeof(T))); }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

/// Ends a launch: errors of the launch itself and of the kernel.
inline void finish() {
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
}

inline cudaDeviceProp device() {
    cudaDeviceProp properties;
    CUDA_OK(cudaGetDeviceProperties(&properties, 0));
    return properties;
}

/// Clocks are attributes only: CUDA 13 has none in cudaDeviceProp.
inline int attribute(cudaDeviceAttr which) {
    int value = 0;
    CUDA_OK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

inline int clock_khz() { return attribute(cudaDevAttrClockRate); }
inline double clock_ghz() { return clock_khz() * 1e-6; }

__device__ __forceinline__ uint64_t now() {
    uint64_t cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

__device__ __forceinline__ uint32_t sm_id() {
    uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

/// Writes each block's SM. With blocks that fill an SM each, the blocks of a later launch of the same shape go the same way,
/// so that a program can choose blocks by their SM without a kernel whose control flow depends on where it runs.
__global__ inline void write_places(uint32_t* places) {
    if (threadIdx.x == 0) places[blockIdx.x] = sm_id();
}

/// Life of one warp or block by its own SM's clock. Clocks of two SMs must not be compared.
struct Life {
    uint64_t start;
    uint64_t end;
    uint32_t sm;
    uint32_t pad;
};

/// Volkov 5.5: per SM from the earliest start to the latest end; the slowest SM counts.
inline uint64_t span(const std::vector<Life>& lives) {
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> per_sm;
    for (const Life& life : lives) {
        auto at = per_sm.emplace(life.sm, std::make_pair(life.start, life.end)).first;
        at->second.first = std::min(at->second.first, life.start);
        at->second.second = std::max(at->second.second, life.end);
    }
    uint64_t longest = 0;
    for (const auto& sm : per_sm) longest = std::max(longest, sm.second.second - sm.second.first);
    return longest;
}

/// The last size of a curve (rising sizes) whose value is within `slack` of the value at the first size.
inline double plateau_end(const std::vector<std::pair<double, double>>& curve, std::size_t from, double slack) {
    double last = curve.empty() ? 0 : curve[std::min(from, curve.size() - 1)].first;
    for (std::size_t i = from; i < curve.size() && curve[i].second <= curve[from].second * (1 + slack); ++i) {
        last = curve[i].first;
    }
    return last;
}

/// A single line of an L2 in two halves is near or far, and a little nearer or farther than others. What is measured on
/// lines of the L2 is the mean of kPlaces of them, at steps of one that lie in both halves: an H200 changes the half every
/// 4 KiB, with as many chunks of 64 KiB in one as in the other.
constexpr uint32_t kPlaces = 16;
constexpr uint32_t kPlaceBytes = 4096 + 256;

/// A deterministic generator: the same addresses on every machine.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
    uint32_t below(uint32_t bound) {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<uint32_t>(((state_ >> 32) * bound) >> 32);
    }

private:
    uint64_t state_;
};

/// Sattolo's shuffle: next[i] walks through all items in one cycle, in random order.
inline std::vector<uint32_t> sattolo(uint32_t count, uint64_t seed) {
    std::vector<uint32_t> next(count);
    for (uint32_t i = 0; i < count; ++i) next[i] = i;
    Random random(seed);
    for (uint32_t i = count - 1; i > 0; --i) std::swap(next[i], next[random.below(i)]);
    return next;
}

inline std::vector<uint32_t> ring(uint32_t count) {
    std::vector<uint32_t> next(count);
    for (uint32_t i = 0; i < count; ++i) next[i] = i + 1 == count ? 0 : i + 1;
    return next;
}

}  // namespace bench
