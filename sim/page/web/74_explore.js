// SPDX-License-Identifier: Apache-2.0
// An exploration: points of a grid of keys, what idealisations recover, and hit rates for every size of a cache.
'use strict';

/** The values of a point, in the order of sim/explore/explore_page.cpp. */
const kQuantities = [
  {name: 'Cycles', at: 0, text: plain, tick: tick},
  {name: 'L1 hits', at: 1, scale: 100, text: percent, tick: (v) => v + ' %', most: 100},
  {name: 'L2 hits', at: 2, scale: 100, text: percent, tick: (v) => v + ' %', most: 100},
  {name: 'L2 traffic', at: 3, text: bytes, tick: bytes}, {name: 'DRAM traffic', at: 4, text: bytes, tick: bytes},
];
const kMostCurves = 6;  // that are on at first

/** Points whose `v(quantity)` is a number or null, of all kernels together or of one. */
function pointsOf(data, kernel) {
  return data.points.map((point) => {
    const values = kernel < 0 ? point.values : point.kernels && point.kernels[kernel];
    const v = (quantity) => (values && values[quantity.at] !== null ? values[quantity.at] * (quantity.scale || 1) : null);
    return {...point, v, cycles: v(kQuantities[0])};
  });
}

function pointTable(data, points) {
  const done = points.filter((p) => p.cycles !== null), best = Math.min(...done.map((p) => p.cycles)), worst = Math.max(...done.map((p) => p.cycles));
  const over = (p) => (p.cycles === null ? null : 100 * (p.cycles / best - 1)), axis = (i) => ({name: data.axes[i].key, title: data.axes[i].path, left: data.axes[i].numbers.length === 0,
    width: `${Math.max(7, 0.62 * Math.max(data.axes[i].key.length + 3, ...data.axes[i].values.map((v) => v.length)))}em`,
    value: (p) => (data.axes[i].numbers.length ? data.axes[i].numbers[p.at[i]] : data.axes[i].values[p.at[i]]), text: (p) => data.axes[i].values[p.at[i]]});
  const quantity = (one) => ({name: one.name, width: '7.5em', value: (p) => p.v(one), text: (p) => (p.v(one) === null ? '–' : one.text(p.v(one)))});
  const failed = points.some((p) => p.state !== 'done');
  return table(points, [...data.axes.map((one, i) => axis(i)), quantity(kQuantities[0]),
    {name: 'Over best', width: '8em', value: over, text: (p) => (over(p) === null ? '–' : percent(over(p))), bar: (p) => (p.cycles === null || worst === best ? 0 : 100 * (p.cycles - best) / (worst - best))},
    ...kQuantities.slice(1).map(quantity), ...(failed ? [{name: 'State', left: true, width: 'minmax(14em, 1fr)', value: (p) => p.state + (p.error ? ': ' + p.error : '')}] : []),
  ], {height: 16, filter: data.axes.some((one) => one.numbers.length === 0) || failed ? 'Filter points' : undefined});
}

/** The numbers of an axis' values, in order of size. */
const inOrder = (axis) => axis.values.map((value, i) => i).sort((a, b) => (axis.numbers.length ? axis.numbers[a] - axis.numbers[b] : a - b));

/** A quantity along one key, a curve for each setting of the others. */
function curveSection(data, state) {
  if (data.axes.length === 0) return null;
  const numeric = data.axes.map((axis, i) => i).sort((a, b) => data.axes[b].values.length - data.axes[a].values.length);
  let x = numeric[0], quantity = kQuantities[0], on = new Set(), settings = [];
  const others = (point) => (data.zipped ? '' : data.axes.map((axis, i) => (i === x ? '' : `${axis.key}=${axis.values[point.at[i]]}`)).filter(Boolean).join(' '));
  const boxes = h('div', {}), picture = curves(380, 'a quantity along a key', ({soft}) => {
    const order = inOrder(data.axes[x]), points = pointsOf(data, state.kernel);
    return {x: {type: 'category', data: order.map((i) => data.axes[x].values[i]), name: data.axes[x].path}, y: {type: 'value', name: quantity.name, min: quantity.most ? 0 : undefined, max: quantity.most, scale: !quantity.most,
      nameGap: 52, axisLabel: {color: soft, fontSize: 11, formatter: quantity.tick}}, tooltip: allAt((at) => `${data.axes[x].key} = ${at}`, quantity.text),
    series: settings.map((name, i) => [name, i]).filter(([, i]) => on.has(i)).map(([name, i]) => curve(i, name || 'simulated', order.map((at) => {
      const found = points.find((p) => p.at[x] === at && others(p) === name);
      return found ? found.v(quantity) : null;
    })))};
  });
  const show = () => redraw(picture.firstChild);
  const restart = () => {
    settings = [...new Set(data.points.filter((p) => p.state === 'done').map(others))];
    const step = Math.max(1, (settings.length - 1) / (kMostCurves - 1));
    on = new Set(settings.length <= kMostCurves ? settings.keys() : Array.from({length: kMostCurves}, (_, i) => Math.round(i * step)));
    boxes.replaceChildren(settings.length > 1 ? switches('settings of the other keys', settings.map((name) => ({name})), on, show) : '');
    show();
  };
  restart();
  state.shown.push(show);
  return section('Along a key', null, choice('Show', kQuantities.map((one) => [one, one.name]), quantity, (one) => {
    quantity = one;
    show();
  }), data.axes.length > 1 && !data.zipped ? choice('Along', data.axes.map((axis, i) => [i, axis.key]), x, (i) => {
    x = i;
    restart();
  }) : null, boxes, picture);
}

/** Two keys against each other; of the other keys, the values with the fewest cycles. */
function mapSection(data, state) {
  if (data.zipped || data.axes.filter((axis) => axis.values.length > 1).length < 2) return null;
  const varied = data.axes.map((axis, i) => i).filter((i) => data.axes[i].values.length > 1);
  let pair = [varied[0], varied[1]], quantity = kQuantities[0];
  const pairsOf = varied.flatMap((a, i) => varied.slice(i + 1).map((b) => [a, b])), holder = h('div', {});
  const restart = () => {
    forgetCharts(holder);
    const [x, y] = pair, orders = [inOrder(data.axes[x]), inOrder(data.axes[y])], names = (i, order) => order.map((at) => data.axes[i].values[at]);
    const cells = () => {
      const best = new Map();
      for (const point of pointsOf(data, state.kernel)) {
        const key = orders[0].indexOf(point.at[x]) + ' ' + orders[1].indexOf(point.at[y]);
        if (point.cycles !== null && (!best.has(key) || point.cycles < best.get(key).cycles)) best.set(key, point);
      }
      return [...best].map(([key, point]) => [...key.split(' ').map(Number), point.v(quantity), quantity.text(point.v(quantity)),
        data.axes.map((axis, i) => `${axis.key} = ${axis.values[point.at[i]]}`).join('\n') + `\n${quantity.name} ${quantity.text(point.v(quantity))}`]);
    };
    const ends = () => {
      const values = cells().map((cell) => cell[2]).filter(Number.isFinite);
      return [Math.min(...values), Math.max(...values)];
    };
    holder.replaceChildren(heatMap('two keys against each other', {name: data.axes[x].path, values: names(x, orders[0])}, {name: data.axes[y].path, values: names(y, orders[1])}, cells, ends));
  };
  restart();
  state.shown.push(restart);
  return section('Two keys', varied.length > 2 ? 'A cell is the point with the fewest cycles of those that have these two values.' : null,
    choice('Show', kQuantities.map((one) => [one, one.name]), quantity, (one) => {
      quantity = one;
      restart();
    }), pairsOf.length > 1 ? choice('Keys', pairsOf.map((two) => [two, two.map((i) => data.axes[i].key).join(' and ')]), pairsOf[0], (two) => {
      pair = two;
      restart();
    }) : null, holder);
}

function whatIfSection(data) {
  if (!data.what_if) return null;
  const {cycles, rows} = data.what_if, share = (row) => 100 * row.recovered / cycles;
  return section('What if', `${plain(cycles)} cycles as configured. Each row makes one thing perfect; what it recovers would be the most to gain there. Rows do not add up.`,
    h('div', {class: 'wide'}, bars(rows.filter((row) => share(row) >= 0.5).map((row) => ({name: row.name, value: Math.max(0, share(row)), title: row.meaning, metric: row.name})))),
    table(rows, [
      {name: 'Idealisation', left: true, width: '14em', value: (r) => r.name}, {name: 'Cycles', width: '7em', value: (r) => r.cycles}, {name: 'Recovered', width: '8em', value: (r) => r.recovered},
      {name: 'Share', width: '7em', value: share, text: (r) => (share(r) < 0 ? '−' + percent(-share(r)) : percent(share(r))), bar: share},
      {name: 'What is perfect', left: true, width: 'minmax(24em, 1fr)', value: (r) => r.meaning}, {name: 'Override', left: true, code: true, width: '24em', value: (r) => r.overrides},
    ], {height: 20, filter: 'Filter idealisations'}));
}

/** Hit rates of every size: a line of steps, and the simulated points. */
function missCurve(curve) {
  const simulated = curve.points.filter((point) => point[1] !== null).map(([size, rate, label]) => ({value: [size, 100 * rate], label_: label}));
  const last = Math.max(2 * curve.granule, ...simulated.map((p) => p.value[0]), ...curve.steps.slice(-1).map((step) => 1.3 * step[0]));
  const line = [[curve.granule, 0], ...curve.steps.map(([size, rate]) => [size, 100 * rate])];
  line.push([last, line[line.length - 1][1]]);
  return h('div', {}, h('h3', {}, `${curve.name}: sectors found over its capacity`), curves(320, `hit rate of the ${curve.name} over its size`, ({soft}) => ({
    x: {type: 'log', logBase: 2, min: curve.granule, max: last, name: 'capacity', axisLabel: {color: soft, fontSize: 11, hideOverlap: true, formatter: (v) => bytes(v).replace(/\.0+(?=\u202f)/, '')}},
    y: {type: 'value', min: 0, max: 100, name: 'found, %'},
    tooltip: {trigger: 'item', formatter: (p) => (p.data.label_ === undefined ? '' : [p.data.label_ || 'as configured', bytes(p.data.value[0]), percent(p.data.value[1])].join('\n'))},
    series: [{type: 'line', name: 'LRU', step: 'end', showSymbol: false, data: line, lineStyle: {width: 2, color: series(1)}, areaStyle: {color: series(1), opacity: 0.1}, silent: true},
      {type: 'scatter', name: 'simulated', data: simulated, z: 5, symbolSize: 11, itemStyle: {color: series(0), borderColor: colour('card'), borderWidth: 1}}]})));
}

function curvesSection(data) {
  if (!data.curves) return null;
  const used = data.curves.filter((curve) => curve.sectors > 0);
  return section('Every size of a cache', `The line: a fully associative LRU cache of each size, for the accesses in the order that ${data.config.name} as configured sees; another size would change that order a little, and a smaller L1 would send more to the L2. ` +
      'The points: as simulated, with sets and the real policy; data in flight counts as found.',
    h('p', {class: 'legend'}, h('span', {}, h('i', {class: 'swatch', style: 'background:var(--series-2)'}), 'LRU'), h('span', {}, h('i', {class: 'swatch', style: 'background:var(--series-1)'}), 'simulated')),
    used.length ? h('div', {class: 'pair'}, used.map(missCurve)) : h('p', {class: 'note'}, 'No access reached a cache.'));
}

function exploreView(data) {
  const state = {kernel: -1, shown: []}, done = data.points.filter((p) => p.state === 'done'), cycles = done.map((p) => p.values[0]);
  const holder = h('div', {});
  const list = () => holder.replaceChildren(pointTable(data, pointsOf(data, state.kernel)));
  state.shown.push(list);
  list();
  const failed = data.points.filter((p) => p.state === 'failed').length;
  return h('article', {}, h('section', {class: 'summary'}, h('h1', {}, `${data.traces.join(', ')} on ${data.config.name}`),
    h('p', {class: 'soft'}, `Caches at the start of each kernel: ${data.caches}.` + (data.axes.length ? ` Varied: ${data.axes.map((axis) => `${axis.path} (${axis.values.length} values)`).join(', ')}.` : '')),
    h('div', {class: 'bigs'}, figure(cycles.length ? plain(Math.min(...cycles)) : '–', data.axes.length ? 'cycles of the fastest point' : 'cycles', 'cycles'),
      data.axes.length ? figure(cycles.length ? plain(Math.max(...cycles)) : '–', 'cycles of the slowest') : null, data.axes.length ? figure(plain(done.length), `points done, ${failed} failed`, 'points') : null),
    follows(data.findings), unfinished(data), data.notes.map((note) => h('p', {class: 'note'}, note)),
    filesBeside(['points.csv', 'points.json', ...(data.what_if ? ['what_if.csv'] : []), ...(data.curves ? ['miss_curves.csv'] : [])])),
  data.kernels.length ? section('Kernels', 'Tables and charts add the cycles and counters of all kernels, or show one.', choice('Kernel', [[-1, 'all'], ...data.kernels.map((name, i) => [i, name])], -1, (i) => {
    state.kernel = i;
    state.shown.forEach((show) => show());
  })) : null,
  data.axes.length ? section('Points', `A value stops paying where the cycles are within ${100 * data.worthwhile} % of the best.`, holder) : null,
  curveSection(data, state), mapSection(data, state), whatIfSection(data), curvesSection(data));
}
