// SPDX-License-Identifier: Apache-2.0
// The keys of the top level and the clocks, and those that all caches have: limits, unit and meaning of each (field.h).
#include "sim/config/describe.h"

namespace sassim::config {

namespace {
constexpr std::uint64_t kGHz = 1'000'000'000;
}  // namespace

void describe(FieldList& f, GpuConfig& c) {
  f.add("name", c.name, text(), "The name of this GPU in results; by default the file's name.");
  f.add("description", c.description, text(), "One line for human readers.");
  f.add("arch", c.arch, architecture(), "The architecture (compute capability) whose SASS this GPU executes.");
  f.group("clock", c.clock, "Clock domains.");
  f.group("sm", c.sm, "The streaming multiprocessors.");
  f.group("memory", c.memory, "The memory system outside of the SMs.");
  f.group("launch", c.launch, "How kernels start and end, and the order in which SMs get thread blocks.");
  f.option(
      "environment",
      "What copies from the host, other programs, the driver and a profiler leave in the L2 before a kernel starts, "
      "and "
      "what they add to the counters. It takes no simulated time, and no kernel's cycles are counted here. Keys that a "
      "configuration does not set are off. none: nothing but kernels uses the GPU.",
      [&] { describe(f, c.environment); }, FieldList::kPartly);
}

void describe(FieldList& f, Clocks& c) {
  f.add("sm", c.sm, hertz(1'000'000, 10 * kGHz),
        "Clock of the SMs. Everything that is counted in SM cycles takes less time with a higher clock; the memory "
        "system then needs more SM cycles.");
  Spec l2 = hertz(1'000'000, 10 * kGHz);
  l2.as_sm = true;
  f.add("l2", c.l2, l2,
        "Clock of the L2 and of the crossbar's ports at its slices. 'sm': the same as clock.sm. The bandwidth of the "
        "L2 grows with it.");
  f.add("dram", c.dram, hertz(1'000'000, 10 * kGHz),
        "Command clock of the DRAM, not its data rate: a pin transfers memory.dram.beats_per_clock bits per cycle. If "
        "a configuration gives only memory.bandwidth, the clock follows from it. Timings in ns do not change with it.");
}

void describe(FieldList& f, CacheGeometry& c) {
  f.add("size", c.size, bytes(32, kGiB),
        "Capacity; a whole number of lines per way. With more capacity, more of the program's data hits.");
  f.add("line", c.line, bytes(16, 4096),
        "Bytes that one tag covers; a power of two. Longer lines fetch more neighbouring bytes with each miss, and "
        "there are fewer of them.");
  f.add("ways", c.ways, count(1, 4096),
        "Lines per set. With more ways, fewer lines that share a set displace each other.");
}

}  // namespace sassim::config
