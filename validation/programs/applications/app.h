// SPDX-License-Identifier: Apache-2.0
//
// What the development kernels share: the argument size=small|large, deterministic input, and the check against the CPU.
#pragma once

#include <cmath>

#include "../micro/bench.h"

namespace app {

using bench::Buffer;

class App {
public:
    App(int argc, char** argv) : name_(argv[0]), args_(argc, argv) {}
    /// The problem size: `small` by default, `large` with size=large, or any number with n=NUMBER.
    int size(int small, int large) const {
        return static_cast<int>(args_.number("n", args_.text("size", "small") == "large" ? large : small));
    }
    /// Compares with the CPU's result; `tolerance` is relative to the larger magnitude, or absolute below 1.
    template <class T>
    void check(const std::vector<T>& got, const std::vector<T>& want, double tolerance) {
        if (got.size() != want.size()) return fail("size", static_cast<double>(got.size()), static_cast<double>(want.size()));
        for (std::size_t i = 0; i < want.size(); ++i) {
            auto a = static_cast<double>(got[i]);
            auto b = static_cast<double>(want[i]);
            double scale = std::max({1.0, std::fabs(a), std::fabs(b)});
            if (!(std::fabs(a - b) <= tolerance * scale)) return fail(std::to_string(i), a, b);
        }
    }
    int finish() const {
        std::printf("%s: %s\n", name_.c_str(), passed_ ? "PASS" : "FAIL");
        return passed_ ? 0 : 1;
    }

private:
    void fail(const std::string& where, double got, double want) {
        std::fprintf(stderr, "%s: element %s is %.9g, expected %.9g\n", name_.c_str(), where.c_str(), got, want);
        passed_ = false;
    }
    std::string name_;
    bench::Args args_;
    bool passed_ = true;
};

/// Uniform in [low, high).
inline std::vector<float> floats(std::size_t count, uint64_t seed, float low = -1.0f, float high = 1.0f) {
    bench::Random random(seed);
    std::vector<float> out(count);
    for (float& value : out) value = low + (high - low) * static_cast<float>(random.below(1u << 24)) / (1u << 24);
    return out;
}

inline std::vector<uint32_t> integers(std::size_t count, uint64_t seed, uint32_t below) {
    bench::Random random(seed);
    std::vector<uint32_t> out(count);
    for (uint32_t& value : out) value = random.below(below);
    return out;
}

inline unsigned blocks(int count, int threads) { return static_cast<unsigned>((count + threads - 1) / threads); }

}  // namespace app
