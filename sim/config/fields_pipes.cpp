// SPDX-License-Identifier: Apache-2.0
// Keys of the execution units and of the op classes.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

/// The table of op classes as a mapping by name.
struct OpTable {
  Pipes& pipes;
};

void describe(FieldList& f, OpTable& table) {
  for (std::size_t i = 0; i < table.pipes.ops.size(); ++i) {
    const auto name = isa::op_class_name(static_cast<isa::OpClass>(i));
    f.group(name, table.pipes.ops[i], "Timing of the op class " + std::string(name) + ".");
  }
}

}  // namespace

void describe(FieldList& f, Pipes& c) {
  f.group("fma", c.fma, "Single-precision arithmetic and integer multiply-add.");
  f.group("alu", c.alu, "Integers, logic, comparisons.");
  f.group("fp16", c.fp16, "Half-precision pairs.");
  f.group("fp64", c.fp64, "Double precision.");
  f.group("xu", c.xu, "Special functions and conversions.");
  f.group("tensor", c.tensor, "Matrix instructions.");
  f.group("uniform", c.uniform, "The uniform datapath, one result for the whole warp.");
  f.group("branch", c.branch, "Branches and convergence.");
  f.group("mio", c.mio, "Shuffles and barriers, which share the way to the SM's memory stage.");
  f.group("adu", c.adu, "Special registers, and what else goes through the address divergence unit.");
  f.group("mma", c.mma, "Matrix instructions by shape.");
  f.group("match", c.match, "MATCH.ANY, by the number of different values in its lanes.");
  OpTable table{c};
  f.group("ops", table, "Pipe, latency and interval of each class of instruction.");
}

void describe(FieldList& f, PipeConfig& c) {
  f.add("lanes", c.lanes, count(1, 32),
        "Threads that the unit takes per cycle; a warp occupies it for 32 / lanes cycles. More lanes: more throughput, "
        "the "
        "same latency.");
  f.add("shared_by_sm", c.shared_by_sm, flag(),
        "Whether one unit serves all processing blocks of the SM, as the FP64 unit of consumer chips; `lanes` are then "
        "per "
        "SM.");
  f.add(
      "queue", c.queue, count(0, 256),
      "Instructions of one processing block that may wait in front of the unit, so that the warp goes on; 0: the warp "
      "waits until the unit is free.");
}

void describe(FieldList& f, Tensor& c) {
  f.add("fma_per_cycle", c.fma_per_cycle, count(1, 65536),
        "FP16 multiply-adds per cycle of one processing block's tensor core. An instruction occupies it for m x n x k "
        "divided by this, scaled by the width of its elements.");
  f.add("latency_884", c.latency_884, cycles(1, 10'000),
        "SM cycles from an m8n8k4 to an instruction that needs its result, accumulating in FP16.");
  f.add("latency_1688", c.latency_1688, cycles(1, 10'000),
        "SM cycles from an m16n8k8 to an instruction that needs its result, accumulating in FP16.");
  f.add("latency_16816", c.latency_16816, cycles(1, 10'000),
        "SM cycles from an m16n8k16 to an instruction that needs its result, accumulating in FP16.");
  f.add("latency_f32", c.latency_f32, cycles(0, 10'000),
        "SM cycles that accumulating in FP32 adds to these latencies.");
  f.add("interval_1688", c.interval_1688, cycles(0, 1024),
        "SM cycles for which an m16n8k8 on FP16 occupies the tensor core; 0: as fma_per_cycle says.");
  f.add("interval_sparse", c.interval_sparse, cycles(0, 1024),
        "SM cycles for which a sparse m16n8k32 on FP16, or another sparse instruction of as many bits, occupies the "
        "tensor "
        "core; 0: as fma_per_cycle says.");
  f.add("gmma_fma_per_cycle", c.gmma_fma_per_cycle, count(0, 65536),
        "FP16 multiply-adds of warp-group instructions (wgmma) per processing block and cycle; 0: fma_per_cycle.");
}

void describe(FieldList& f, Match& c) {
  f.add("value_latency", c.value_latency, cycles(0, 1000),
        "SM cycles that MATCH.ANY takes for each different value of its lanes beyond the first: it finds one after the "
        "other.");
  f.add("wide_value_latency", c.wide_value_latency, cycles(0, 1000),
        "SM cycles that MATCH.ANY.U64 takes for each different value of its lanes.");
}

void describe(FieldList& f, OpConfig& c) {
  f.add("pipe", c.pipe,
        one_of({"fma", "alu", "fp16", "fp64", "xu", "tensor", "uniform", "branch", "mio", "adu", "memory", "none"}),
        "The unit that runs this class of instruction; memory: it leaves the processing block through sm.memory_io, "
        "none: "
        "it takes an issue slot only.");
  f.add("latency", c.latency, cycles(1, 10'000),
        "SM cycles from issue to the issue of an instruction that needs the result; where the time varies, the least "
        "through the pipe. Chains of dependent instructions take that long for each. Measured with such a chain.");
  f.add("interval", c.interval, cycles(0, 1024),
        "SM cycles for which one warp instruction occupies the pipe, so the inverse of the throughput; 0: 32 / lanes.");
  f.add("pair_result", c.pair_result, cycles(0, 1024),
        "SM cycles for which it occupies the pipe longer when its result is in two registers.");
}

}  // namespace sassim::config
