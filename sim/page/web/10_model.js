// SPDX-License-Identifier: Apache-2.0
// The result as the page uses it. Numbers are those of the JSON result; what is derived says from what.
'use strict';

/** What kernels have in common is written once (sim/report/kernel_json.h): put it back into every kernel. */
function readKernels(kernels) {
  const units = {}, sass = new Map();
  for (const kernel of kernels) {
    kernel.units = Object.assign(units, kernel.units);
    for (const line of kernel.lines || []) {
      const key = kernel.name + '\n' + line.pc;
      if (line.sass === undefined) Object.assign(line, sass.get(key));
      const {sass: text, control, waits_for, source} = line;
      sass.set(key, {sass: text || '', control, waits_for, source});
    }
  }
  return kernels;
}

const metric = (kernel, name) => (kernel.metrics ? kernel.metrics[name] : undefined);
const cyclesOf = (kernel) => metric(kernel, 'gpc__cycles_elapsed.max');
const secondsOf = (kernel) => metric(kernel, 'gpu__time_duration.sum') / 1e9;

/** Peaks of the GPU from its configuration, per second. */
function peaksOf(config) {
  const c = config.resolved;
  if (!c || !c.sm || !c.sm.pipes) return null;
  const sm = c.clock.sm * c.sm.count, part = sm * c.sm.processing_blocks, dram = c.memory.dram, pipes = c.sm.pipes;
  const lanes = (pipe) => 2 * pipe.lanes * (pipe.shared_by_sm ? sm : part);
  return {
    fp32: lanes(pipes.fma),
    fp64: lanes(pipes.fp64),
    tensor: 2 * (pipes.mma ? pipes.mma.fma_per_cycle : 0) * part,
    l1: c.sm.l1.bytes_per_cycle * sm,
    l2: c.memory.l2.slices * c.memory.crossbar.slice_reply_bytes_per_cycle * c.clock.l2,
    dram: c.memory.model === 'full'
        ? c.clock.dram * dram.beats_per_clock * dram.bus_bits / 8 * dram.channels * dram.pseudo_channels : 0,
    issue: part,
  };
}

/** Operations per thread of one SASS instruction, by the kind of unit. */
function operations(sass) {
  const opcode = sass.replace(/^@!?U?P[0-9T]+ +/, '').split(/[ ;]/)[0];
  const [name, ...rest] = opcode.split('.');
  const of = {FFMA: 2, FADD: 1, FMUL: 1, DFMA: 2, DADD: 1, DMUL: 1, HFMA2: 4, HADD2: 2, HMUL2: 2}[name];
  if (of) return [name[0] === 'D' ? 'fp64' : name[0] === 'H' ? 'fp16' : 'fp32', of];
  if (name !== 'HMMA') return null;
  const perWarp = rest.includes('16816') ? 4096 : rest.includes('1688') ? 2048 : rest.includes('F32') ? 512 : 1024;
  return ['tensor', perWarp / 32];
}

/** Floating-point operations of a kernel, by kind. */
function flopsOf(kernel) {
  const sums = {};
  const threads = metric(kernel, 'smsp__thread_inst_executed_per_inst_executed.ratio') || 32;
  for (const line of kernel.lines || []) {
    const found = operations(line.sass);
    if (found) sums[found[0]] = (sums[found[0]] || 0) + found[1] * (line.threads ?? line.executed * threads);
  }
  return sums;
}

/** Warp cycles by reason, most first. */
function stallsOf(kernel) {
  const rows = kernel.tables ? kernel.tables.states : [], total = rows.reduce((sum, row) => sum + row.cycles, 0);
  return rows.map((row) => ({...row, share: 100 * row.cycles / total}));
}

/** The rows of a section of the terminal report that this kernel has: {label, metric, value, unit}. */
function entriesOf(kernel, data, title) {
  const found = data.sections.list.find((one) => one.title === title);
  return found.entries.map(({label, metric: name}) => ({label, metric: name, value: metric(kernel, name), unit: kernel.units[name]}))
      .filter((entry) => entry.value !== undefined);
}

const partsOf = (kernel, name) => (kernel.tables && kernel.tables.parts[name]) || [];

/** Rates in each interval of the series; null without one. */
function overTime(kernel, config) {
  const series = kernel.series, c = config.resolved;
  if (!series || !c || !c.sm) return null;
  const of = (name) => series.counters[name] || [];
  const n = of('smsp__inst_executed.sum').length, cycles = cyclesOf(kernel);
  const at = [], out = {at, occupancy: [], issue: [], l1: [], l2: [], l2Bytes: [], read: [], written: []};
  const ratio = (a, b) => (b ? 100 * a / b : null);
  for (let i = 0; i < n; ++i) {
    const from = i * series.interval, length = Math.min(series.interval, cycles - from);
    const smCycles = length * c.sm.count, seconds = length / c.clock.sm;
    at.push(from);
    out.occupancy.push(ratio(of('sm__warps_active.sum')[i], smCycles * c.sm.occupancy.warps));
    out.issue.push(ratio(of('smsp__inst_executed.sum')[i], smCycles * c.sm.processing_blocks));
    out.l1.push(ratio(of('l1tex__t_sectors_lookup_hit.sum')[i], of('l1tex__t_sectors.sum')[i]));
    out.l2.push(ratio(of('lts__t_sectors_lookup_hit.sum')[i], of('lts__t_sectors.sum')[i]));
    out.l2Bytes.push(32 * of('lts__t_sectors.sum')[i] / seconds);
    out.read.push(of('dram__bytes_read.sum')[i] / seconds);
    out.written.push(of('dram__bytes_write.sum')[i] / seconds);
  }
  return out;
}

/** What the result itself says of the bottleneck, else what its warps mostly waited for. */
function boundSentence(kernel, meanings) {
  if (kernel.bound) return typeof kernel.bound === 'string' ? kernel.bound : kernel.bound.text || kernel.bound.sentence;
  const worst = stallsOf(kernel).find((row) => row.reason !== 'selected');
  if (!worst) return '';
  const meaning = meanings[worst.reason];
  return `Warps mostly wait for ${worst.reason}: ${percent(worst.share)} of their cycles` +
      (meaning ? ` (${meaning}).` : '.');
}
