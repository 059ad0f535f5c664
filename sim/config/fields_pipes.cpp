// SPDX-License-Identifier: Apache-2.0
// The keys of the pipes and of the op classes (sm.pipes): limits, unit and meaning of each (field.h).
#include "sim/config/describe.h"

namespace sassim::config {

namespace {

/// The table of op classes as a mapping by name.
struct OpTable {
  Pipes& pipes;
};

/// The place of an op class whose time the unit that executes it decides.
struct OpOfUnit {
  OpConfig& op;
};

/// A pipe that always has a queue.
struct QueuedPipe {
  PipeConfig& pipe;
};

constexpr std::string_view kPipe =
    "The pipe of the processing block that executes this op class (fma, alu, fp16, fp64, xu, tensor, uniform, "
    "branch, mio, adu), or the unit of the SM to which it goes through sm.memory_io (l1, shared, constants, "
    "texture, shuffle, barrier; special registers: adu). none: it takes only an issue slot.";

void describe(FieldList& f, OpOfUnit& c) { f.add("pipe", c.op.pipe, plugin(), kPipe); }

/// Whether the configuration says nothing of the op class but its unit, or that it has none.
bool is_of_unit(isa::OpClass op) {
  using enum isa::OpClass;
  switch (op) {
    case load:
    case store:
    case atomic:
    case reduction:
    case async_copy:
    case load_shared:
    case store_shared:
    case atomic_shared:
    case load_const:
    case texture:
    case nop:
      return true;
    default:
      return false;
  }
}

void describe(FieldList& f, OpTable& table) {
  for (std::size_t i = 0; i < table.pipes.ops.size(); ++i) {
    const auto op = static_cast<isa::OpClass>(i);
    const auto name = isa::op_class_name(op);
    OpOfUnit of_unit{table.pipes.ops[i]};
    if (is_of_unit(op))
      f.group(name, of_unit, "Unit of the op class " + std::string(name) + ".");
    else
      f.group(name, table.pipes.ops[i], "Timing of the op class " + std::string(name) + ".");
  }
}

/// A pipe that can have lanes for two instructions.
struct DoublePipe {
  PipeConfig& pipe;
};

void describe_lanes(FieldList& f, PipeConfig& c) {
  f.add("lanes", c.lanes, count(1, 32),
        "Threads that the pipe accepts per cycle; a warp occupies it for 32 / lanes cycles.");
}

void describe_sharing(FieldList& f, PipeConfig& c) {
  f.optional("shared_by_sm", c.shared_by_sm, flag(),
             "Whether the processing blocks of an SM share one pipe, as FP64 on consumer chips; `lanes` then counts "
             "its lanes.");
}

void describe(FieldList& f, QueuedPipe& c) {
  describe_lanes(f, c.pipe);
  describe_sharing(f, c.pipe);
  f.add("queue", c.pipe.queue, count(0, 256),
        "Instructions of one processing block that can wait in front of the pipe while their warps continue; 0: a warp "
        "waits until the pipe is free.");
}

void describe_sharing_and_queue(FieldList& f, PipeConfig& c) {
  describe_sharing(f, c);
  f.optional("queue", c.queue, count(0, 256),
             "Instructions of one processing block that can wait in front of the pipe while their warps continue. "
             "Without it a warp waits until the pipe is free.");
}

void describe(FieldList& f, DoublePipe& c) {
  f.add("lanes", c.pipe.lanes, count(1, 64),
        "Threads that the pipe accepts per cycle; a warp occupies it for 32 / lanes cycles. Lanes beyond 32 execute "
        "the second instruction of a pair (sm.issue.pairs) that would need the pipe twice: with 48 a processing block "
        "executes three instructions in two cycles.");
  describe_sharing_and_queue(f, c.pipe);
}

}  // namespace

OpConfigs default_ops() {
  using enum isa::OpClass;
  static const OpConfigs values = [] {
    OpConfigs ops;
    const auto set = [&](const char* unit, std::initializer_list<isa::OpClass> classes) {
      for (const isa::OpClass op : classes) ops[static_cast<std::size_t>(op)].pipe = unit;
    };
    set("l1", {load, store, atomic, reduction, async_copy});
    set("shared", {load_shared, store_shared, atomic_shared});
    set("constants", {load_const});
    set("texture", {texture});
    set("adu", {s2r, s2ur});
    return ops;
  }();
  return values;
}

void describe(FieldList& f, Pipes& c) {
  DoublePipe fma{c.fma};
  f.group("fma", fma, "Pipe for single-precision arithmetic and integer multiply-add.");
  f.group("alu", c.alu, "Pipe for integer arithmetic, logic and comparisons.");
  f.group("fp16", c.fp16, "Pipe for pairs of half-precision numbers.");
  f.group("fp64", c.fp64, "Pipe for double precision.");
  f.group("xu", c.xu, "Pipe for special functions and conversions.");
  f.group("tensor", c.tensor, "Pipe for matrix instructions (tensor core).");
  f.group("uniform", c.uniform, "The uniform datapath, which computes one result for the whole warp.");
  f.group("branch", c.branch, "Pipe for branches and convergence barriers.");
  QueuedPipe mio{c.mio}, adu{c.adu};
  f.group("mio", mio, "Shuffles and barriers, which use the path to the SM's memory stage.");
  f.group("adu", adu, "Address divergence unit: special registers and other instructions that it handles.");
  f.group("mma", c.mma, "Timing of matrix instructions by shape.");
  f.group("match", c.match, "Timing of MATCH.ANY by the number of different values among its lanes.");
  f.optional(
      "second_pass", c.second_pass, cycles(0, 255),
      "SM cycles after the issue of a 64-bit product (imad_wide) in which its second pass holds dispatch. No warp of "
      "the processing block issues then, and the stall counts of waiting warps stand still; ready warps whose pipe "
      "is free count as dispatch_stall. 0: the product passes once.");
  f.option(
      "forwarding",
      "How much later than the latency of sm.pipes.ops says some readers can use a result of the ALU or the FMA pipe. "
      "The stall counts of control bits contain this time, so it matters only in traces without control bits. none: "
      "all readers can use a result at the same time.",
      [&] {
        f.add("other_pipe", c.forwarding.other_pipe, cycles(0, 100),
              "SM cycles until another arithmetic pipe can use it.");
        f.add("queue", c.forwarding.queue, cycles(0, 100),
              "SM cycles until an instruction of variable latency can use it: loads and stores as their address.");
        f.add("guard", c.forwarding.guard, cycles(0, 100),
              "SM cycles until a predicate can guard an instruction or decide a branch.");
      });
  OpTable table{c};
  f.group("ops", table, "Pipe, latency and interval of each op class.");
}

void describe(FieldList& f, PipeConfig& c) {
  describe_lanes(f, c);
  describe_sharing_and_queue(f, c);
}

void describe(FieldList& f, Tensor& c) {
  f.add("fma_per_cycle", c.fma_per_cycle, count(1, 65536),
        "FP16 multiply-adds per cycle of one processing block's tensor core. An instruction occupies it for m x n x k "
        "/ fma_per_cycle cycles, scaled by the width of its elements.");
  f.optional("fp64_fma_per_cycle", c.fp64_fma_per_cycle, count(0, 65536),
             "Multiply-adds of doubles per cycle of a block's tensor core; 0: a sixteenth of fma_per_cycle.");
  f.add("latency_884", c.latency_884, cycles(1, 10'000),
        "SM cycles from an m8n8k4 that accumulates in FP16 to an instruction that needs its result.");
  f.add("latency_1688", c.latency_1688, cycles(1, 10'000),
        "SM cycles from an m16n8k8 that accumulates in FP16 to an instruction that needs its result.");
  f.add("latency_16816", c.latency_16816, cycles(1, 10'000),
        "SM cycles from an m16n8k16 that accumulates in FP16 to an instruction that needs its result.");
  f.optional("latency_f32", c.latency_f32, cycles(0, 10'000),
             "SM cycles that accumulation in FP32 adds to these latencies.");
}

void describe(FieldList& f, Match& c) {
  f.add("value_latency", c.value_latency, cycles(0, 1000),
        "SM cycles that each different value of the lanes beyond the first one adds to MATCH.ANY, which handles one "
        "value after the other.");
  f.add("wide_value_latency", c.wide_value_latency, cycles(0, 1000),
        "SM cycles that each different 64-bit value of the lanes adds to MATCH.ANY.U64.");
}

void describe(FieldList& f, OpConfig& c) {
  f.add("pipe", c.pipe, plugin(), kPipe);
  f.add("latency", c.latency, cycles(1, 10'000),
        "SM cycles from the issue of an instruction to the issue of one that needs its result; if the time varies, the "
        "least time through the pipe. Each step of a dependent chain takes this long. Measured with such a chain.");
  f.optional(
      "interval", c.interval, cycles(0, 1024),
      "SM cycles for which one warp instruction occupies the pipe: the inverse of the throughput. Without it: 32 / "
      "lanes.");
}

}  // namespace sassim::config
