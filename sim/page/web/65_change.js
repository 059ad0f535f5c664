// SPDX-License-Identifier: Apache-2.0
// Two runs beside each other: how the cycles of each kernel changed, and which causes, waits, counters and lines went with them.
'use strict';

const signedPercent = ([before, after]) => (before === after ? '0' + kThin + '%' : before === 0 ? 'from 0'
  : `${after > before ? '+' : '−'}${(100 * Math.abs(after - before) / Math.abs(before)).toFixed(1)}${kThin}%`);
const signed = ([before, after]) => (after < before ? '−' : after > before ? '+' : '') + plain(Math.abs(after - before));
const relative = ([before, after]) => (before === after ? 0 : before === 0 ? Infinity : 100 * (after - before) / Math.abs(before));

/** Rows of two bars each, before and after, on one scale. rows: [{name, pair, title}] */
function pairs(rows, text) {
  const most = Math.max(...rows.flatMap((row) => row.pair), 1e-9);
  const bar = (value, paint) => h('span', {class: 'track'}, value > 0 ? h('i', {style: `width:${(100 * value / most).toFixed(2)}%;background:var(--${paint})`}) : null);
  return h('div', {class: 'pairs'}, h('p', {class: 'legend'}, h('span', {}, h('i', {class: 'swatch', style: 'background:var(--rest)'}), 'before '),
    h('span', {}, h('i', {class: 'swatch', style: 'background:var(--series-1)'}), 'after')),
  rows.map((row) => h('div', {class: 'two', title: row.title}, h('span', {class: 'label'}, row.name),
    h('span', {class: 'tracks'}, bar(row.pair[0], 'rest'), bar(row.pair[1], 'series-1')),
    h('span', {class: 'value'}, `${text(row.pair[0])} → ${text(row.pair[1])}`))));
}

function changedLines(title, about, lines) {
  if (lines.length === 0) return null;
  const place = (r) => (!r.before ? `${r.after} (new)` : !r.after ? `${r.before} (gone)` : r.before === r.after ? r.before : `${r.before}, now ${r.after}`);
  return section(title, about, table(lines, [
    {name: 'Line', left: true, code: true, width: '15em', value: place},
    {name: 'Code', left: true, code: true, width: 'minmax(14em, 1fr)', value: (r) => r.text},
    {name: 'Before', width: '8em', value: (r) => r.warp_cycles[0]}, {name: 'After', width: '8em', value: (r) => r.warp_cycles[1]},
    {name: 'Difference', width: '9em', value: (r) => r.warp_cycles[1] - r.warp_cycles[0], text: (r) => signed(r.warp_cycles)},
  ], {height: 14, filter: 'Filter lines'}));
}

function changeDetails(kernel, meanings) {
  const name = kernel.name + (kernel.launch ? ` #${kernel.launch}` : '');
  const causes = kernel.causes.filter((cause) => Math.max(...cause.cycles) > 0).map((cause) => ({name: cause.phrase, pair: cause.cycles}));
  const waits = Object.entries(kernel.waits_pct).filter(([, pair]) => Math.max(...pair) >= 1)
      .map(([reason, pair]) => ({name: reason, pair, title: meanings[reason]}));
  const counters = Object.entries(kernel.metrics).map(([metric, pair]) => ({metric, pair}));
  const [was, is] = kernel.bound_by, known = (phrase) => phrase || 'nothing known';
  return h('div', {}, section(name, kernel.name_after === kernel.name ? null : `After the change it is called ${kernel.name_after}.`,
    h('p', {class: 'bound'}, `${signedPercent(kernel.cycles)} cycles. `, was === is ? `Bound by ${known(was)}, before and after.` : `Bound by ${known(was)} before, by ${known(is)} after.`),
    h('div', {class: 'columns'},
      causes.length ? h('div', {}, h('h3', {}, 'Cycles that causes cost, as each run estimates them'), pairs(causes, (v) => plain(Math.round(v)))) : null,
      waits.length ? h('div', {}, h('h3', {}, 'What warps waited for, in percent of the time before'), pairs(waits, percent)) : null)),
  changedLines('CUDA lines', 'Warp cycles lost at each line, the largest difference first.', kernel.cuda_lines),
  changedLines('SASS lines', 'Warp cycles lost at each instruction. Instructions are joined by their opcodes, in order.', kernel.sass_lines),
  section('Metrics that changed', null, table(counters, [
    {name: 'Metric', left: true, code: true, width: 'minmax(20em, 1fr)', value: (r) => r.metric},
    {name: 'Before', width: '11em', value: (r) => r.pair[0]}, {name: 'After', width: '11em', value: (r) => r.pair[1]},
    {name: 'Change', width: '8em', value: (r) => relative(r.pair), text: (r) => signedPercent(r.pair)},
  ], {height: 14, filter: 'Filter metrics'})));
}

function changeView(data) {
  const rows = data.kernels, sum = (i) => rows.reduce((total, kernel) => total + kernel.cycles[i], 0), all = [sum(0), sum(1)];
  const holder = h('div', {}), faster = rows.filter((r) => r.cycles[1] < r.cycles[0]).length, slower = rows.filter((r) => r.cycles[1] > r.cycles[0]).length;
  let chosen = rows.reduce((most, r) => (!most || Math.abs(r.cycles[1] - r.cycles[0]) > Math.abs(most.cycles[1] - most.cycles[0]) ? r : most), rows[0]);
  const show = () => holder.replaceChildren(chosen ? changeDetails(chosen, data.meanings) : '');
  const list = table(rows, [
    {name: 'Kernel', left: true, code: true, width: 'minmax(14em, 1fr)', value: (r) => r.name + (r.launch ? ` #${r.launch}` : '')},
    {name: 'Before', width: '8em', value: (r) => r.cycles[0]}, {name: 'After', width: '8em', value: (r) => r.cycles[1]},
    {name: 'Difference', width: '9em', value: (r) => r.cycles[1] - r.cycles[0], text: (r) => signed(r.cycles)},
    {name: 'Change', width: '7em', value: (r) => relative(r.cycles), text: (r) => signedPercent(r.cycles)},
    {name: 'Bound by, before', left: true, width: '15em', value: (r) => r.bound_by[0]}, {name: 'after', left: true, width: '15em', value: (r) => r.bound_by[1]},
  ], {height: 12, filter: 'Filter kernels and causes', selected: (r) => r === chosen, select: (r) => {
    chosen = r;
    list.refresh();
    show();
  }});
  show();
  const big = (value, name, key) => h('div', {class: 'big'}, h('b', {'data-metric': key}, value), h('span', {}, name));
  const listed = (names, what) => (names.length ? h('p', {class: 'soft'}, `${what}: ${names.join(', ')}`) : null);
  return h('article', {}, h('section', {class: 'summary'}, h('h1', {}, 'Before and after'),
    h('p', {class: 'soft'}, `Before: ${data.before}. After: ${data.after}.`),
    h('div', {class: 'bigs'}, big(signedPercent(all), 'cycles of all kernels that both runs have', 'change'), big(`${plain(all[0])} → ${plain(all[1])}`, 'cycles', 'cycles'),
      big(`${faster} faster, ${slower} slower`, `of ${plural(rows.length, 'launch', 'launches')}`, 'count')),
    data.notes.map((note) => h('p', {class: 'note'}, note)), listed(data.keys, 'Keys of the configuration that differ'),
    listed(data.only_before, 'Only before'), listed(data.only_after, 'Only after')),
  rows.length > 1 ? section('Launches', 'A click on a launch shows what changed in it below.', list) : null, holder);
}
