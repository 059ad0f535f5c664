// SPDX-License-Identifier: Apache-2.0
// Keys of the execution units and of the op classes.
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

/// The op table as a mapping from op class names.
struct OpTable {
  Pipes& pipes;
};

void describe(FieldList& f, OpTable& table) {
  for (std::size_t i = 0; i < table.pipes.ops.size(); ++i) {
    const auto name = isa::op_class_name(static_cast<isa::OpClass>(i));
    f.group(name, table.pipes.ops[i], "timing of the op class " + std::string(name));
  }
}

}  // namespace

void describe(FieldList& f, Pipes& c) {
  f.group("fma", c.fma, "single-precision arithmetic and integer multiply-add");
  f.group("alu", c.alu, "integers, logic, comparisons");
  f.group("fp16", c.fp16, "half-precision pairs");
  f.group("fp64", c.fp64, "double precision");
  f.group("xu", c.xu, "special functions and conversions");
  f.group("tensor", c.tensor, "matrix instructions");
  f.group("uniform", c.uniform, "the uniform datapath");
  f.group("branch", c.branch, "branches and convergence");
  f.group("mio", c.mio, "shuffles, barriers: what shares the way to the SM's memory stage");
  f.group("adu", c.adu, "special registers");
  f.group("mma", c.mma, "matrix instructions by shape");
  f.group("match", c.match, "MATCH.ANY by the values of its lanes");
  OpTable table{c};
  f.group("ops", table, "pipe, latency and interval of each op class");
}

void describe(FieldList& f, PipeConfig& c) {
  f.add("lanes", c.lanes, count(1, 32), "threads taken per cycle; a warp occupies the pipe for 32 / lanes cycles");
  f.add("shared_by_sm", c.shared_by_sm, flag(),
        "one unit serves all processing blocks of the SM; lanes are then per SM");
  f.add("queue", c.queue, count(0, 256),
        "instructions of a processing block that may wait in front of the unit; 0: none");
}

void describe(FieldList& f, Tensor& c) {
  f.add("fma_per_cycle", c.fma_per_cycle, count(1, 65536), "FP16 multiply-adds per processing block and cycle");
  f.add("latency_884", c.latency_884, cycles(1, 10'000),
        "SM cycles from an m8n8k4 to its dependent, accumulating in FP16");
  f.add("latency_1688", c.latency_1688, cycles(1, 10'000),
        "SM cycles from an m16n8k8 to its dependent, accumulating in FP16");
  f.add("latency_16816", c.latency_16816, cycles(1, 10'000),
        "SM cycles from an m16n8k16 to its dependent, accumulating in FP16");
  f.add("latency_f32", c.latency_f32, cycles(0, 10'000), "SM cycles added when accumulating in FP32");
  f.add("interval_1688", c.interval_1688, cycles(0, 1024),
        "SM cycles between m16n8k8 on FP16 of one processing block; 0: by fma_per_cycle");
  f.add("interval_sparse", c.interval_sparse, cycles(0, 1024),
        "SM cycles between sparse m16n8k32 on FP16, and others of as many bits, of one processing block; 0: by "
        "fma_per_cycle");
  f.add("gmma_fma_per_cycle", c.gmma_fma_per_cycle, count(0, 65536),
        "FP16 multiply-adds of warp-group instructions per processing block and cycle; 0: fma_per_cycle");
}

void describe(FieldList& f, Match& c) {
  f.add("value_latency", c.value_latency, cycles(0, 1000),
        "SM cycles of MATCH.ANY for each value beyond the first that its lanes have");
  f.add("wide_value_latency", c.wide_value_latency, cycles(0, 1000),
        "SM cycles of MATCH.ANY.U64 for each value that its lanes have");
}

void describe(FieldList& f, OpConfig& c) {
  f.add("pipe", c.pipe,
        one_of({"fma", "alu", "fp16", "fp64", "xu", "tensor", "uniform", "branch", "mio", "adu", "memory", "none"}),
        "the unit that runs it; memory leaves through memory_io, none takes no unit");
  f.add(
      "latency", c.latency, cycles(1, 10'000),
      "SM cycles from issue to the issue of a dependent instruction; for variable latency, the least through the pipe");
  f.add("interval", c.interval, cycles(0, 1024),
        "SM cycles for which one instruction occupies the pipe; 0: 32 / lanes");
  f.add("pair_result", c.pair_result, cycles(0, 1024),
        "SM cycles for which it occupies the pipe longer when its result is in two registers");
}

}  // namespace sassim::config
