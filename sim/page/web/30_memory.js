// SPDX-License-Identifier: Apache-2.0
// The memory chart: levels as boxes, traffic as arrows that are as thick as it is large.
'use strict';

function memoryChart(kernel) {
  const m = (name) => metric(kernel, name) || 0;
  const kSector = 32;
  const sum = (names) => names.reduce((total, name) => total + m(name), 0);
  const of = (op) => `l1tex__t_sectors_pipe_${op}.sum`;
  const loads = kSector * sum(['lsu_mem_global_op_ld', 'lsu_mem_local_op_ld', 'tex_mem_texture'].map(of));
  const stores = kSector * sum(['lsu_mem_global_op_st', 'lsu_mem_local_op_st', 'lsu_mem_global_op_red',
    'lsu_mem_global_op_atom', 'tex_mem_surface_op_st'].map(of));
  const shared = m('l1tex__data_pipe_lsu_wavefronts_mem_shared.sum');
  const flows = [
    {from: 0, to: 1, up: loads, down: stores},
    {from: 1, to: 2, up: kSector * m('l1tex__m_xbar2l1tex_read_sectors.sum'),
      down: kSector * m('l1tex__m_l1tex2xbar_write_sectors.sum')},
    {from: 2, to: 3, up: m('dram__bytes_read.sum'), down: m('dram__bytes_write.sum')},
  ];
  const most = Math.max(1, ...flows.flatMap((flow) => [flow.up, flow.down]));
  const boxes = [
    ['Kernel', `${count(m('smsp__inst_executed_op_global_ld.sum') + m('smsp__inst_executed_op_local_ld.sum'))} load inst.`,
      `${count(m('smsp__inst_executed_op_global_st.sum') + m('smsp__inst_executed_op_local_st.sum'))} store inst.`],
    ['L1', `${percent(metric(kernel, 'l1tex__t_sector_hit_rate.pct'))} hits`,
      `${percent(metric(kernel, 'l1tex__throughput.avg.pct_of_peak_sustained_active'))} of peak`],
    ['L2', `${percent(metric(kernel, 'sassim__lts_sector_hit_rate.pct'))} hits`,
      `${percent(metric(kernel, 'lts__throughput.avg.pct_of_peak_sustained_elapsed'))} of peak`],
    ['DRAM', `${bytes(m('dram__bytes.sum'))} moved`,
      `${percent(metric(kernel, 'dram__throughput.avg.pct_of_peak_sustained_elapsed'))} of peak`],
  ];
  const width = 150, gap = 120, top = 16, high = 104;
  const x = (i) => 4 + i * (width + gap);
  const svg = h('svg:svg', {viewBox: `0 0 ${x(3) + width + 4} 240`, class: 'memory', role: 'img',
    'aria-label': 'traffic between the levels of the memory'});
  const label = (at, y, text, name) => h('svg:text', {x: at, y, class: name || '', 'text-anchor': 'middle'}, text);
  function box(left, y, lines, name, tall) {
    svg.append(h('svg:rect', {x: left, y, width, height: tall, rx: 8, class: 'box ' + (name || '')}));
    lines.forEach((text, i) => svg.append(label(left + width / 2, y + tall / 2 - 18 + 22 * i, text, i === 0 ? 'strong' : 'small')));
  }
  function arrow(flow, amount, y, left, name) {
    const a = x(flow.from) + width + 3, b = x(flow.to) - 3, thick = amount === 0 ? 1 : 1.5 + 13 * Math.sqrt(amount / most);
    const tip = Math.max(6, thick * 0.9), [start, end] = left ? [b, a] : [a, b], sign = left ? -1 : 1;
    svg.append(h('svg:line', {x1: start, y1: y, x2: end - sign * tip, y2: y, 'stroke-width': thick.toFixed(2),
      class: 'flow ' + name + (amount === 0 ? ' none' : '')}));
    svg.append(h('svg:polygon', {class: 'tip ' + name + (amount === 0 ? ' none' : ''),
      points: `${end},${y} ${end - sign * tip},${y - tip} ${end - sign * tip},${y + tip}`}));
    svg.append(label((a + b) / 2, y - Math.max(tip, thick / 2) - 4, bytes(amount), 'small'));
  }
  boxes.forEach((lines, i) => box(x(i), top, lines, 'level' + i, high));
  for (const flow of flows) {
    arrow(flow, flow.up, top + 36, true, 'read');
    arrow(flow, flow.down, top + 86, false, 'write');
  }
  const conflicts = m('l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum');
  box(x(1), top + high + 28, ['Shared memory', plural(shared, 'wavefront'), plural(conflicts, 'bank conflict')], 'level1', 84);
  const y = top + high + 70;
  svg.append(h('svg:path', {d: `M${x(0) + width / 2} ${top + high} V${y} H${x(1) - 4}`, class: 'flow shared' + (shared ? '' : ' none'),
    fill: 'none', 'stroke-width': shared ? 3 : 1}));
  svg.append(h('svg:g', {class: 'key'},
    h('svg:line', {x1: x(2), x2: x(2) + 26, y1: 190, y2: 190, class: 'flow read', 'stroke-width': 5}),
    h('svg:text', {x: x(2) + 34, y: 194, class: 'small'}, 'towards the warps: reads'),
    h('svg:line', {x1: x(2), x2: x(2) + 26, y1: 212, y2: 212, class: 'flow write', 'stroke-width': 5}),
    h('svg:text', {x: x(2) + 34, y: 216, class: 'small'}, 'towards DRAM: writes, atomics')));
  return h('div', {class: 'scroll'}, svg);
}
