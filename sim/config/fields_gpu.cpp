// SPDX-License-Identifier: Apache-2.0
// Keys of the top level, and of what several parts share.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {
constexpr std::uint64_t kGHz = 1'000'000'000;
}  // namespace

void describe(FieldList& f, GpuConfig& c) {
  f.add("name", c.name, text(), "What results call this GPU; the file's name when not given.");
  f.add("description", c.description, text(), "One line for people.");
  f.add("arch", c.arch, Spec{Unit::arch, 70, 99, {}, false, Domain::none, false},
        "The architecture (compute capability) whose SASS this GPU runs.");
  f.group("clock", c.clock, "Clock domains.");
  f.group("sm", c.sm, "The streaming multiprocessors.");
  f.group("memory", c.memory, "Everything beyond the SMs.");
  f.group("launch", c.launch, "How kernels start and end, and in which order SMs get their blocks.");
}

void describe(FieldList& f, Clocks& c) {
  f.add("sm", c.sm, hertz(1'000'000, 10 * kGHz),
        "Clock of the SMs. Times in seconds follow from it; everything that is counted in SM cycles gets faster with "
        "it.");
  Spec l2 = hertz(1'000'000, 10 * kGHz);
  l2.as_sm = true;
  f.add("l2", c.l2, l2,
        "Clock of the crossbar's slice side and of the L2; 'sm': that of the SMs, whatever it is. The bandwidth of the "
        "L2 "
        "grows with it.");
  f.add(
      "dram", c.dram, hertz(1'000'000, 10 * kGHz),
      "Command clock of the DRAM, not the data rate: a pin moves memory.dram.beats_per_clock bits in a cycle. Follows "
      "from memory.bandwidth where only that is said. Timings written in ns stay the same times.");
}

void describe(FieldList& f, CacheGeometry& c) {
  f.add("size", c.size, bytes(32, kGiB), "Capacity; a whole number of lines per way. More of the program stays in it.");
  f.add("line", c.line, bytes(16, 4096),
        "Bytes under one tag; a power of two. Longer lines bring more neighbours with each miss and leave fewer tags.");
  f.add("ways", c.ways, count(1, 4096),
        "Lines per set. With more ways fewer lines displace each other because they share a set.");
}

}  // namespace sassim::config
