// SPDX-License-Identifier: Apache-2.0
// cache_sizes TRACE GPU SIZE...: the cycles and the hit rate of a trace for several sizes of the L1.
#include <sassim/sassim.h>

#include <cstdio>
#include <string>

namespace {

/// Prints how far a launch is, every 10,000 cycles.
class Progress : public sassim::Observer {
  void launch_began(std::size_t number, const sassim::KernelInfo& kernel) override {
    std::fprintf(stderr, "launch %zu, %u blocks of %s\n", number, kernel.grid[0] * kernel.grid[1] * kernel.grid[2],
                 kernel.name.c_str());
  }
  void interval(std::size_t, const sassim::Interval& interval) override {
    for (const sassim::Metric& counter : interval.counters)
      if (counter.name == "smsp__inst_executed.sum")
        std::fprintf(stderr, "cycles %llu to %llu: %.0f instructions\n", static_cast<unsigned long long>(interval.from),
                     static_cast<unsigned long long>(interval.until), counter.value);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: cache_sizes TRACE GPU SIZE...\n");
    return 2;
  }
  try {
    const sassim::Trace trace = sassim::Trace::open(argv[1]);
    Progress progress;
    sassim::RunOptions options;
    options.observer = &progress;
    options.interval = 10000;
    for (int i = 3; i < argc; ++i) {
      sassim::Gpu gpu(sassim::Configuration::load(argv[2], {std::string("l1.size=") + argv[i]}));
      for (const sassim::Launch& launch : gpu.run(trace, options).launches) {
        const sassim::Metric* hits = launch.metrics.find("l1tex__t_sector_hit_rate.pct");
        std::printf("%s %llu cycles, %.1f %s of L1 sectors hit\n", argv[i],
                    static_cast<unsigned long long>(launch.cycles), hits == nullptr ? 0.0 : hits->value,
                    hits == nullptr ? "" : hits->unit.c_str());
      }
    }
  } catch (const sassim::Error& error) {
    std::fprintf(stderr, "cache_sizes: %s\n", error.what());
    return static_cast<int>(error.status());
  }
}
