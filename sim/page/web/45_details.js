// SPDX-License-Identifier: Apache-2.0
// The sections of the terminal report: which rows they have, and the rows of their tables, come with the data.
'use strict';

const anchor = (title) => title.toLowerCase().replaceAll(' ', '-');
const contents = (titles) => h('nav', {class: 'contents', 'aria-label': 'sections'},
    titles.map((title) => h('a', {href: '#' + anchor(title)}, title)));

const section = (title, about, ...content) =>
  h('section', {id: anchor(title)}, h('h2', {}, title), about ? h('p', {class: 'soft'}, about) : null, ...content);

function facts(pairs) {
  return h('dl', {class: 'facts'}, pairs.filter((pair) => pair[1] !== undefined)
      .map(([name, value, title, key]) => h('div', {title}, h('dt', {}, name), h('dd', {'data-metric': key}, value))));
}

function bars(rows) {
  return h('div', {class: 'bars'}, rows.filter((row) => row.value !== undefined).map((row, i) =>
    h('div', {class: 'bar', title: row.title}, h('span', {class: 'label'}, row.name),
      h('span', {class: 'track'}, h('i', {style: `width:${row.value.toFixed(2)}%;background:${row.colour || 'var(--series-1)'}`})),
      h('span', {class: 'value', 'data-metric': row.metric}, row.text || percent(row.value)))));
}

/** A table of few rows. columns: [{name, title, left, text(row)}] */
function small(rows, columns, label) {
  return h('div', {class: 'scroll'}, h('table', {class: 'small', 'aria-label': label},
    h('thead', {}, h('tr', {}, columns.map((c) => h('th', {class: c.left ? 'left' : '', title: c.title, scope: 'col'}, c.name)))),
    h('tbody', {}, rows.map((row) => h('tr', {class: row.strong ? 'strong' : ''}, columns.map((c) => h('td', {class: c.left ? 'left' : ''}, c.text(row))))))));
}

/** The parts of a throughput, busiest first; those that were not used in one line. */
function partBars(kernel, name, title, paint) {
  const parts = partsOf(kernel, name), idle = parts.filter((part) => part.value === 0);
  if (parts.length === 0) return null;
  return h('div', {class: 'parts', 'data-breakdown': name}, h('h3', {title: 'breakdown:' + name}, title), bars(parts.filter((part) => part.value > 0).map((part) => ({
    name: part.label, value: part.value, metric: part.metric, title: part.metric, colour: `var(--series-${paint})`}))),
  idle.length ? h('p', {class: 'soft'}, 'Not used: ' + idle.map((part) => part.label).join(', ')) : null);
}

function speedOfLight(kernel, data) {
  const entries = entriesOf(kernel, data, 'GPU Speed of Light');
  if (entries.length === 0) return null;
  const paints = {compute: 1, memory: 2};
  return section('GPU Speed of Light', 'How much of its peak each unit reached. Compute and memory are the largest of their parts.',
    h('div', {class: 'three'},
      h('div', {}, h('h3', {}, 'Units'), bars(entries.map((entry) => ({name: entry.label, value: entry.value, metric: entry.metric, title: entry.metric,
        colour: `var(--series-${paints[entry.label.split(' ')[0]] || 3})`})))),
      partBars(kernel, 'sm__throughput.avg.pct_of_peak_sustained_elapsed', 'Parts of compute', 1),
      partBars(kernel, 'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed', 'Parts of memory', 2)));
}

const rowsOf = (entries) => entries.map((entry) => [entry.label, measured(entry.value, entry.unit, entry.label), entry.metric, entry.metric]);

function launchSection(kernel, data) {
  const limiters = kernel.tables.limiters, rows = rowsOf(entriesOf(kernel, data, 'Launch and Occupancy'));
  rows.splice(1 + rows.findLastIndex((row) => row[0].startsWith('limit by')), 0, ['limited by', limiters.length ? limiters.join(', ') : undefined,
    'the resources of an SM that leave no room for one more block', 'limiters']);
  return section('Launch and Occupancy', null, facts([
    ...rows, ['threads per block', plain(metric(kernel, 'launch__block_size')), 'launch__block_size', 'launch__block_size'],
    ['dependences kept by', kernel.dependence_mode === 'scoreboard' ? 'scoreboard' : 'control bits'],
  ]));
}

function schedulerSection(kernel, data) {
  const scheduler = entriesOf(kernel, data, 'Scheduler'), work = entriesOf(kernel, data, 'Instructions');
  if (scheduler.length + work.length === 0) return null;
  return section('Scheduler', scheduler.length ? 'For each active cycle of a processing block: its warps, those that could issue, and whether one did.' : null,
    facts(rowsOf(scheduler)), h('h3', {}, 'Instructions'), facts(rowsOf(work)), h('h3', {}, 'Time'), facts(rowsOf(entriesOf(kernel, data, 'Time'))));
}

function mixSection(kernel) {
  const rows = kernel.tables.mix, most = Math.max(...rows.map((row) => row.instructions));
  if (rows.length === 0) return null;
  return section('Instruction Mix', 'Warp instructions by pipe; the last column is the busy time of the pipe, of the elapsed cycles.',
    h('div', {class: 'bars mix'}, rows.map((row) => h('div', {class: 'bar'}, h('span', {class: 'label'}, row.pipe),
      h('span', {class: 'track'}, h('i', {style: `width:${(100 * row.instructions / most).toFixed(2)}%;background:var(--series-1)`})),
      h('span', {class: 'value', 'data-metric': `sm__inst_executed_pipe_${row.pipe}.sum`}, plain(row.instructions)),
      h('span', {class: 'soft value'}, row.peak === null ? '' : percent(row.peak) + ' of peak')))));
}

function memorySection(kernel, data) {
  const {memory, shared} = kernel.tables, or = (value, format) => (value === null ? '–' : format(value));
  if (memory.length + shared.length === 0) return null;
  const levels = memory.map((row) => ({...row, strong: row.access === 'all'}));
  return section('Memory Workload', null, memoryChart(kernel),
    small(levels, [
      {name: 'Level', left: true, text: (r) => `${r.level} ${r.access}`},
      {name: 'Requests', text: (r) => or(r.requests, plain)}, {name: 'Sectors', text: (r) => or(r.sectors, plain), title: 'of 32 bytes'},
      {name: 'Per request', text: (r) => (r.requests > 0 && r.sectors > 0 ? (r.sectors / r.requests).toFixed(2) : '–'), title: 'sectors for each request'},
      {name: 'Hit rate', text: (r) => or(r.hit_rate, percent)}, {name: 'Data', text: (r) => or(r.bytes, bytes)},
      {name: '% of peak', text: (r) => or(r.peak, percent), title: 'L1: while its SM is active; L2 and DRAM: of the elapsed cycles'}], 'memory by level'),
    shared.length === 0 ? null : h('div', {}, small(shared, [
      {name: 'Shared memory', left: true, text: (r) => r.access}, {name: 'Requests', text: (r) => plain(r.requests)},
      {name: 'Passes', text: (r) => plain(r.passes)}, {name: 'Per request', text: (r) => (r.passes / r.requests).toFixed(2)},
      {name: 'n-way', text: (r) => r.ways.toFixed(2), title: data.sections.ways},
      {name: 'Conflicts', text: (r) => plain(r.conflicts), title: 'passes that bank conflicts cost'}], 'shared memory'),
    h('p', {class: 'soft'}, data.sections.ways)));
}
