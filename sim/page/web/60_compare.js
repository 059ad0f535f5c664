// SPDX-License-Identifier: Apache-2.0
// A simulated run beside a profile: cycles of every launch, and every quantity's error.
'use strict';

/** Two series, told apart by colour and shape; each point knows its row. */
function points(timed, error, place) {
  return [true, false].map((good) => ({
    type: 'scatter', name: good ? 'within 10 %' : 'beyond 10 %', symbolSize: good ? 8 : 10, symbol: good ? 'circle' : 'diamond',
    itemStyle: {color: series(good ? 0 : 3), opacity: 0.85},
    data: timed.map((row, i) => ({row: i, value: place(row)})).filter((point) => (Math.abs(error(timed[point.row])) <= 10) === good),
  }));
}

const told = (timed, error, signed) => ({trigger: 'item', formatter: (p) => (p.data.row === undefined ? '' : [timed[p.data.row].name,
  `measured ${plain(timed[p.data.row].cycles.hardware)}`, `simulated ${plain(timed[p.data.row].cycles.simulated)}`,
  signed(error(timed[p.data.row]))].join('\n'))});

const bandLegend = (text) => ({left: 76, top: 2, itemHeight: 9, itemWidth: 16, textStyle: {color: text, fontSize: 12},
  data: ['within 10 %', 'beyond 10 %', {name: '± 10 %', icon: 'path://M0 4h14v2H0zM20 4h14v2H20z'}]});

/** The ends of an axis: logarithmic over decades, but linear from 0 where the values fill less than one. */
function limits(values) {
  const least = Math.min(...values), most = Math.max(...values) * 1.02, power = Math.pow(10, Math.floor(Math.log10(most)));
  if (most / least < 10) return {type: 'value', min: 0, max: power * Math.ceil(2 * most / power) / 2};
  return {type: 'log', min: Math.pow(10, Math.floor(Math.log10(least))), max: Math.pow(10, Math.ceil(Math.log10(most)))};
}

const guide = (soft, exact, data) => ({type: 'line', silent: true, showSymbol: false, name: exact ? 'equal' : '± 10 %', itemStyle: {color: soft},
  lineStyle: {color: soft, width: exact ? 1.4 : 1, type: exact ? 'solid' : 'dashed'}, data});

function scatter(timed, error, signed) {
  const ends = limits(timed.flatMap((row) => [row.cycles.hardware, row.cycles.simulated])), {min: low, max: high} = ends;
  return chart(460, 'simulated against measured cycles', ({axis, soft, text}) => ({
    grid: {left: 76, right: 20, top: 34, bottom: 50}, legend: bandLegend(text), tooltip: told(timed, error, signed),
    xAxis: axis({...ends, name: 'measured cycles', nameLocation: 'middle', nameGap: 30, minorTick: {show: true},
      axisLabel: {color: soft, formatter: tick}}),
    yAxis: axis({...ends, name: 'simulated cycles', nameLocation: 'middle', nameGap: 54, minorTick: {show: true},
      axisLabel: {color: soft, formatter: tick}}),
    series: [...[0.9, 1, 1.1].map((factor) => guide(soft, factor === 1, [[low, low * factor], [high, high * factor]])),
      ...points(timed, error, (row) => [row.cycles.hardware, row.cycles.simulated])],
  }));
}

function errors(timed, error, signed) {
  const ends = limits(timed.map((row) => row.cycles.hardware)), {min: low, max: high} = ends;
  const most = Math.max(20, ...timed.map((row) => 10 * Math.ceil(1.02 * Math.abs(error(row)) / 10)));
  return chart(460, 'error of simulated cycles over measured cycles', ({axis, soft, text}) => ({
    grid: {left: 76, right: 20, top: 34, bottom: 50}, legend: bandLegend(text), tooltip: told(timed, error, signed),
    xAxis: axis({...ends, name: 'measured cycles', nameLocation: 'middle', nameGap: 30, minorTick: {show: true},
      axisLine: {onZero: false, lineStyle: {color: soft}}, axisLabel: {color: soft, formatter: tick}}),
    yAxis: axis({type: 'value', min: -most, max: most, name: 'error of simulated cycles', nameLocation: 'middle', nameGap: 54,
      axisLabel: {color: soft, formatter: (v) => `${v > 0 ? '+' : v < 0 ? '−' : ''}${Math.abs(v)} %`}}),
    series: [...[-10, 0, 10].map((level) => guide(soft, level === 0, [[low, level], [high, level]])),
      ...points(timed, error, (row) => [row.cycles.hardware, error(row)])],
  }));
}

function comparisonView(data) {
  const rows = data.kernels.map((kernel, i) => {
    const cycles = kernel.quantities.find((q) => q.name === 'cycles');
    return {kernel, i, name: kernel.name + (kernel.launch ? ` #${kernel.launch}` : ''), cycles,
      bad: kernel.quantities.filter((q) => !q.within).length, note: kernel.wrong_reason ? 'cycles right, counters wrong' : ''};
  });
  const timed = rows.filter((row) => row.cycles && row.cycles.hardware > 0 && row.cycles.simulated > 0);
  const error = (row) => (row.cycles ? 100 * row.cycles.error : undefined);
  const signed = (value) => (value === undefined ? '–' : (value >= 0 ? '+' : '−') + Math.abs(value).toFixed(1) + kThin + '%');
  const mean = timed.length ? timed.reduce((sum, row) => sum + Math.abs(error(row)), 0) / timed.length : undefined;
  const within = timed.filter((row) => Math.abs(error(row)) <= 10).length;
  const pictures = timed.length === 0 ? [h('p', {class: 'note'}, 'No launch has cycles on both sides.')]
                                      : [scatter(timed, error, signed), errors(timed, error, signed)];
  const holder = h('div', {});
  let chosen = rows[0];
  const show = () => holder.replaceChildren(chosen ? quantitiesOf(chosen.kernel) : '');
  const list = table(rows, [
    {name: 'Kernel', left: true, code: true, width: 'minmax(16em, 1fr)', value: (r) => r.name},
    {name: 'Simulated', width: '9em', value: (r) => r.cycles && r.cycles.simulated},
    {name: 'Measured', width: '9em', value: (r) => r.cycles && r.cycles.hardware},
    {name: 'Error', width: '7em', value: error, text: (r) => signed(error(r))},
    {name: '|Error|', width: '7em', value: (r) => Math.abs(error(r) ?? -1), text: (r) => (r.cycles ? percent(Math.abs(error(r))) : '–')},
    {name: 'Out of tolerance', width: '10em', value: (r) => r.bad, title: 'quantities that are out of their tolerance'},
    {name: 'Note', left: true, width: '16.5em', value: (r) => r.note},
  ], {height: 16, filter: 'Filter kernels', sort: 4, selected: (r) => r === chosen, select: (r) => {
    chosen = r;
    list.refresh();
    show();
  }});
  show();
  const missing = (names, what) => (names.length ? h('p', {class: 'soft'}, `${what}: ${names.join(', ')}`) : null);
  return h('article', {}, h('section', {class: 'summary'}, h('h1', {}, data.title),
    h('div', {class: 'bigs'},
      h('div', {class: 'big'}, h('b', {'data-metric': 'mean'}, percent(mean)), h('span', {}, 'mean absolute error of cycles')),
      h('div', {class: 'big'}, h('b', {}, `${within} of ${timed.length}`), h('span', {}, 'launches within 10 %'))),
    missing(data.only_simulated, 'Only simulated'), missing(data.only_hardware, 'Only profiled')),
  section('Simulated against measured', 'Between the dashed lines the error is at most 10 %.', h('div', {class: 'pair'}, pictures)),
  summaryOf(data.summary), section('Launches', 'A click on a launch shows its quantities below.', list), holder);
}

/** As at the end of the command's own report. */
function summaryOf(rows) {
  const share = (name, of, title) => ({name, text: (r) => percent(100 * of(r)), title});
  return section('Errors', 'Of the absolute errors: the mean, what nine of ten launches are below, and the largest. Of a hit rate or an occupancy: in points.', small(rows, [
    {name: 'Quantity', left: true, text: (r) => r.quantity}, {name: 'Launches', text: (r) => plain(r.kernels)},
    {name: 'Within tolerance', text: (r) => plain(r.within)}, share('Mean', (r) => r.mean), share('90 %', (r) => r.p90),
    share('Worst', (r) => r.worst), {name: 'Worst launch', left: true, text: (r) => r.worst_kernel}], 'errors by quantity'));
}

function quantitiesOf(kernel) {
  return section(kernel.name + (kernel.launch ? ` #${kernel.launch}` : ''), 'Every quantity that both sides have.', table(kernel.quantities, [
    {name: 'Quantity', left: true, width: 'minmax(14em, 1fr)', value: (r) => r.name},
    {name: 'Simulated', width: '9em', value: (r) => r.simulated}, {name: 'Measured', width: '9em', value: (r) => r.hardware},
    {name: 'Error', width: '20em', value: (r) => r.error, text: (r) => r.text},
    {name: 'Within', left: true, width: '7em', value: (r) => (!r.judged ? 'not judged' : r.within ? 'yes' : 'no')},
  ], {height: 14, filter: 'Filter quantities'}));
}
