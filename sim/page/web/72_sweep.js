// SPDX-License-Identifier: Apache-2.0
// A sweep: throughput over occupancy and arithmetic intensity, the warps that hide latency, and how near analytic models come.
'use strict';

function sweepQuantities(data) {
  const all = [
    {name: 'Throughput', about: 'instructions per cycle and SM', of: (p) => p.ipc, text: (v) => v.toPrecision(3)},
    {name: 'Part of the peak', about: `of the throughput that latency does not limit; ${100 * data.part_of_peak} % count as hidden`, of: (p) => 100 * p.ipc / p.limit, text: (v) => v.toFixed(0) + ' %'},
    {name: 'Latency', about: `cycles that one of ${data.other} and its adds take a warp`, of: (p) => p.group_latency, text: (v) => v.toFixed(0)},
  ];
  if (data.loads) all.push({name: 'Bandwidth', about: 'GB/s that loads request, of the whole GPU', of: (p) => p.gbs, text: (v) => v.toFixed(0)});
  return all;
}

function sweepMap(data, choose) {
  const quantities = sweepQuantities(data), about = h('p', {class: 'soft'});
  let quantity = quantities[0];
  const cells = () => data.points.map((p) => [data.warps.indexOf(p.warps), p.alpha, quantity.of(p), quantity.text(quantity.of(p)),
    `α = ${data.alphas[p.alpha]}, ${p.warps} warps\n${quantity.name.toLowerCase()} ${quantity.text(quantity.of(p))}\n${plain(p.ipc)} instructions per cycle and SM`]);
  const map = heatMap('throughput over occupancy and arithmetic intensity', {name: 'warps per SM', values: data.warps.map(String)}, {name: 'α', values: data.alphas}, cells,
    () => [0, Math.max(...data.points.map(quantity.of))], (x, y) => choose(y));
  const show = () => {
    about.textContent = `${quantity.name}: ${quantity.about}. A click on a cell shows its α below.`;
    redraw(map.firstChild);
  };
  show();
  return section('Occupancy and intensity', null, choice('Show', quantities.map((one) => [one, one.name]), quantity, (one) => {
    quantity = one;
    show();
  }), about, map);
}

/** Throughput over occupancy at one α, with the models that are switched on. */
function throughputChart(data, state) {
  return curves(380, 'throughput over occupancy', () => {
    const points = data.points.filter((p) => p.alpha === state.alpha), top = Math.max(...points.map((p) => Math.max(p.ipc, p.hardware ?? 0)), 1e-9);
    const hardware = points.filter((p) => p.hardware !== null).map((p) => [p.warps, p.hardware]);
    return {
      x: {type: 'value', min: 0, max: Math.max(...data.warps), name: 'warps per SM'},
      y: {type: 'value', min: 0, max: Number((1.4 * top).toPrecision(2)), name: 'instructions per cycle and SM'},
      tooltip: allAt((x) => `${x} warps per SM`, plain),
      series: [reference('simulated', points.map((p) => [p.warps, p.ipc]).sort((a, b) => a[0] - b[0])),
        ...data.models.map((model, i) => [model, i]).filter(([model, i]) => state.on.has(i) && model.predicted[state.alpha])
            .map(([model, i]) => curve(i, model.name, data.warps.map((w, k) => [w, model.predicted[state.alpha][k]]).sort((a, b) => a[0] - b[0]))),
        ...(hardware.length ? [marks('hardware', hardware)] : [])],
    };
  });
}

function neededChart(data, state) {
  return curves(340, 'warps that are needed over arithmetic intensity', () => ({
    x: {type: 'category', data: data.alphas, name: 'α, adds for each of ' + data.other}, y: {type: 'value', min: 0, max: Math.ceil(1.5 * data.max_warps / 8) * 8, name: 'warps per SM'},
    tooltip: allAt((x) => `α = ${x}`, plain),
    series: [{...reference('simulated', data.needed), markLine: {silent: true, symbol: 'none', data: [{yAxis: data.max_warps}], lineStyle: {color: colour('soft'), type: 'dashed'},
      label: {formatter: 'all that an SM holds', position: 'insideEndTop', color: colour('soft'), fontSize: 11}}},
    ...data.models.map((model, i) => [model, i]).filter(([, i]) => state.on.has(i)).map(([model, i]) => curve(i, model.name, model.needed)),
    ...(data.needed_hardware ? [marks('hardware', data.needed_hardware)] : [])],
  }));
}

function residentChart(data, state) {
  return curves(240, 'resident warps over the run', () => {
    const all = data.points.filter((p) => p.alpha === state.alpha && p.resident.length), step = Math.max(1, (all.length - 1) / 6);
    const points = all.filter((p, i) => Array.from({length: 7}, (_, k) => Math.round(k * step)).includes(i));
    return {x: {type: 'value', min: 0, max: 100, name: '% of the run'}, y: {type: 'value', min: 0, name: 'warps per SM'}, tooltip: allAt((x) => `${(+x).toFixed(0)} % of the run`, plain), legend: true,
      series: points.map((p, i) => ({type: 'line', name: `${p.warps} warps`, showSymbol: false, lineStyle: {width: 1.6}, color: series(i),
        data: p.resident.map((value, k) => [100 * (k + 0.5) / p.resident.length, value])}))};
  });
}

const farthest = (row) => Math.max(row.most, 1 / Math.max(row.least, 1e-9));

function modelErrors(data) {
  if (data.errors.length === 0) return null;
  const times = (value) => (value < 10 ? value.toFixed(2) : value.toPrecision(3)), sides = [...new Set(data.errors.map((row) => row.against))];
  const maps = sides.map((against) => {
    const rows = data.errors.filter((row) => row.against === against), names = [...new Set(rows.map((row) => row.model))];
    const mean = (name) => rows.filter((row) => row.model === name).reduce((sum, row, i, all) => sum + Math.log(farthest(row)) / all.length, 0);
    names.sort((a, b) => mean(b) - mean(a));
    return h('div', {}, h('h3', {}, `Against ${against === 'hardware' ? 'hardware' : 'the simulator'}: the factor by which a prediction is off, at worst`),
      heatMap(`models against ${against}`, {name: 'α', values: data.alphas}, {name: '', values: names}, () => rows.map((row) => [data.alphas.indexOf(row.alpha), names.indexOf(row.model),
        Math.log(farthest(row)), times(farthest(row)), `${row.model}, α = ${row.alpha}\n${times(row.least)} to ${times(row.most)} times what was observed`]), () => [0, Math.log(4)]));
  });
  return section('How near the models are', 'The smallest and the largest prediction over what was observed, over the occupancies with whole warps on each scheduler. The model with the smallest mean is at the top; from a factor of 4 on the colour stays.',
    maps, table(data.errors, [
      {name: 'Model', left: true, width: 'minmax(10em, 1fr)', value: (r) => r.model}, {name: 'Against', left: true, width: '8em', value: (r) => r.against},
      {name: 'α', width: '6em', value: (r) => (r.alpha === 'inf' ? Infinity : Number(r.alpha)), text: (r) => r.alpha},
      {name: 'Least', width: '7em', value: (r) => r.least, text: (r) => times(r.least)}, {name: 'Most', width: '7em', value: (r) => r.most, text: (r) => times(r.most)},
      {name: 'Off by', width: '7em', value: farthest, text: (r) => times(farthest(r))}, {name: 'Points', width: '6em', value: (r) => r.points},
    ], {height: 12, filter: 'Filter models', sort: 5, down: true}));
}

function sweepView(data) {
  const state = {alpha: Math.min(data.alphas.length - 1, Math.max(0, data.alphas.findIndex((name) => Number(name) >= data.meet))), on: new Set(data.models.map((model, i) => i))};
  const throughput = throughputChart(data, state), wanted = neededChart(data, state), resident = residentChart(data, state), title = h('h3', {}), pick = h('div', {});
  const show = () => {
    title.textContent = `α = ${data.alphas[state.alpha]}`;
    [throughput, wanted, resident].forEach((node) => redraw(node.firstChild));
  };
  const choose = (alpha) => {
    state.alpha = alpha;
    pick.replaceChildren(choice('α', data.alphas.map((name, i) => [i, name]), alpha, choose));
    show();
  };
  choose(state.alpha);
  const best = data.points.reduce((most, p) => (!most || p.ipc > most.ipc ? p : most), null), most = Math.max(...data.needed.filter((warps) => warps !== null), 0);
  const signed = (value) => (value === null ? '–' : `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(1)}${kThin}%`);
  const samples = data.models.length ? switches('models', data.models.map((model) => ({name: model.name, title: `${model.summary} (${model.citation})`})), state.on, show) : null;
  const key = h('p', {class: 'legend'}, h('span', {}, h('i', {class: 'swatch band'}), 'simulated'), data.needed_hardware ? h('span', {}, '◇ hardware') : null);
  return h('article', {}, h('section', {class: 'summary'}, h('h1', {}, `${data.subject}: occupancy and arithmetic intensity`),
    h('p', {class: 'soft'}, `${plain(data.points.length)} points: α is the number of adds for each of ${data.other}. Of ${data.parameters.from}: an add takes ${plain(data.parameters.add[0])} cycles, ${plain(data.parameters.add[1])} per cycle; ` +
      `${data.other}: ${plain(data.parameters.other[0])} cycles, ${plain(data.parameters.other[1])} per cycle.`),
    h('div', {class: 'bigs'}, figure(best ? plain(best.ipc) : '–', 'most instructions per cycle and SM', 'ipc'), figure(most ? plain(most) : '–', `warps per SM for ${100 * data.part_of_peak} % of the peak at every α that reaches it`, 'needed'),
      figure(plain(data.meet), `α where the rates of adds and ${data.other} meet`, 'meet')),
    follows(data.findings), unfinished(data), data.notes.map((note) => h('p', {class: 'note'}, note)), filesBeside(['points.csv', 'points.json', 'errors.csv'])),
  sweepMap(data, choose),
  section('Throughput over occupancy', data.models.length ? 'Predictions above the chart are left out. Where curves coincide, thinner ones lie on wider ones.' : null, pick, key, samples, title, throughput),
  section('Warps that hide latency', `The fewest warps per SM that reach ${100 * data.part_of_peak} % of the peak; a gap: no number of warps does. The switches above hold here, too.`, wanted),
  modelErrors(data),
  data.ends.length ? section('The ends of the curves', 'How far the simulated ends are from theory: with few warps from warps over latency, with all warps from the lowest limit of throughput. –: the end is not in this sweep.',
    small(data.ends, [{name: 'α', text: (r) => r.alpha}, {name: 'Few warps', text: (r) => signed(r.few)}, {name: 'All warps', text: (r) => signed(r.all)}], 'ends of the curves')) : null,
  data.points.some((p) => p.resident.length) ? section('Resident warps over the run', 'At the α that is chosen above.', resident) : null,
  section('Points', null, table(data.points, [
    {name: 'α', width: '6em', left: false, value: (r) => (data.alphas[r.alpha] === 'inf' ? Infinity : Number(data.alphas[r.alpha])), text: (r) => data.alphas[r.alpha]},
    {name: 'Warps', width: '6em', value: (r) => r.warps}, {name: 'IPC', width: '7em', value: (r) => r.ipc, text: (r) => r.ipc.toPrecision(4)},
    {name: 'Of the peak', width: '8em', value: (r) => 100 * r.ipc / r.limit, text: (r) => percent(100 * r.ipc / r.limit), bar: (r) => 100 * r.ipc / r.limit},
    {name: 'Adds', width: '7em', title: 'per cycle and SM', value: (r) => r.adds, text: (r) => r.adds.toPrecision(4)},
    {name: 'Others', width: '7em', title: 'per cycle and SM', value: (r) => r.others, text: (r) => r.others.toPrecision(4)},
    ...(data.loads ? [{name: 'GB/s', width: '7em', value: (r) => r.gbs}, {name: 'Load latency', width: '8em', value: (r) => r.memory_latency}] : []),
    {name: 'Group latency', width: '9em', value: (r) => r.group_latency},
    ...(data.needed_hardware ? [{name: 'Hardware IPC', width: '9em', value: (r) => r.hardware, text: (r) => (r.hardware === null ? '–' : r.hardware.toPrecision(4))},
      {name: 'Error', width: '7em', value: (r) => (r.hardware === null ? null : r.ipc / r.hardware - 1), text: (r) => signed(r.hardware === null ? null : r.ipc / r.hardware - 1)}] : []),
    {name: 'Cycles', width: '8em', value: (r) => r.cycles},
  ], {height: 16})));
}
