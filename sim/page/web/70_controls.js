// SPDX-License-Identifier: Apache-2.0
// What pages of studies share: choices, switches of curves that look different, curves, heat maps.
'use strict';

/** Draws a chart again, after what it shows has changed. */
function redraw(node) {
  const entry = charts.find((one) => one.node === node);
  if (entry && node.isConnected) draw(entry);
}

/** One of a few: buttons of which one is pressed; of many: a list. options: [[value, name], ...] */
function choice(label, options, chosen, choose) {
  if (options.length > 7)
    return h('label', {class: 'choice'}, label, h('select', {'aria-label': label, onchange: (event) => choose(options[event.target.selectedIndex][0])},
      options.map(([value, name]) => h('option', {selected: value === chosen}, name))));
  const buttons = options.map(([value, name]) => h('button', {'aria-pressed': String(value === chosen), onclick: () => {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(options[i][0] === value)));
    choose(value);
  }}, name));
  return h('div', {class: 'choice', role: 'group', 'aria-label': label}, h('span', {}, label), buttons);
}

/** Markers in a box of 10 by 10, each with another outline. */
const kShapes = ['M0 0h10v10H0z', 'M5 0L10 10H0z', 'M5 0L10 5L5 10L0 5z', 'M0 0H10L5 10z', 'M3.5 0h3v3.5H10v3H6.5V10h-3V6.5H0v-3h3.5z',
  'M1.8 0L5 3.2L8.2 0L10 1.8L6.8 5L10 8.2L8.2 10L5 6.8L1.8 10L0 8.2L3.2 5L0 1.8z', 'M5 0L6.2 3.8H10L6.9 6.1L8.1 10L5 7.6L1.9 10L3.1 6.1L0 3.8H3.8z',
  'M0 0H10L0 10H10z', 'M10 0V10L0 5z', 'M0 0L10 5L0 10z', 'M5 0L10 4V10H0V4z', 'M3 0h4v10H3z', 'M0 3h10v4H0z'];
const kWidths = [5.5, 4, 2.6, 1.2], kDashes = [[], [9, 6], [2, 5]];

/** How curve i looks. Where curves coincide, thinner ones lie on wider ones and dashed ones on solid ones: all stay visible. */
const look = (i) => ({colour: series(2 + i % 5), shape: kShapes[i % kShapes.length], width: kWidths[i % 4], dash: kDashes[Math.floor(i / 4) % 3]});

/** A switch for each curve, with a sample of how it looks. names: [{name, title}]; `on` is a set of their numbers. */
function switches(label, names, on, changed) {
  const boxes = names.map((one, i) => h('input', {type: 'checkbox', checked: on.has(i), onchange: (event) => {
    event.target.checked ? on.add(i) : on.delete(i);
    changed();
  }}));
  const all = (wanted) => () => {
    names.forEach((one, i) => wanted ? on.add(i) : on.delete(i));
    boxes.forEach((box) => box.checked = wanted);
    changed();
  };
  const sample = (i) => {
    const {shape, width, dash} = look(i), paint = `var(--series-${(2 + i % 5) % 7 + 1})`;
    return h('svg:svg', {viewBox: '0 0 40 14', width: 40, height: 14, 'aria-hidden': 'true'},
      h('svg:line', {x1: 0, x2: 40, y1: 7, y2: 7, 'stroke-width': width, 'stroke-dasharray': dash.join(' ') || null, style: `stroke:${paint}`}),
      h('svg:path', {d: shape, transform: 'translate(15 2)', style: `fill:${paint};stroke:var(--card);stroke-width:1`}));
  };
  return h('div', {class: 'switches', role: 'group', 'aria-label': label}, names.map((one, i) => h('label', {title: one.title}, boxes[i], sample(i), one.name)),
    names.length > 2 ? h('span', {}, h('button', {onclick: all(true)}, 'all'), h('button', {onclick: all(false)}, 'none')) : null);
}

/** Curve i, as its switch shows it. On long curves markers of different curves stand at different places. */
const curve = (i, name, data) => {
  const {colour: paint, shape, width, dash} = look(i), few = data.length <= 12;
  return {type: 'line', name, data, z: 3 + i, connectNulls: false, symbol: 'path://' + shape, itemStyle: {color: paint, borderColor: colour('card'), borderWidth: 0.8},
    symbolSize: (value, point) => few || (point.dataIndex + i) % 4 === 0 ? 9 : 0, showAllSymbol: true,
    lineStyle: {color: paint, width, type: dash.length ? dash : 'solid', opacity: 0.9}};
};

/** What curves are compared with: a broad band below them, with round markers. */
const reference = (name, data) => ({type: 'line', name, data, z: 2, symbol: 'circle', symbolSize: 9, showAllSymbol: true,
  itemStyle: {color: colour('series-1'), borderColor: colour('card'), borderWidth: 1}, lineStyle: {color: colour('series-1'), width: 10, opacity: 0.28, cap: 'round'}});

/** Measured values: hollow diamonds above everything. */
const marks = (name, data) => ({type: 'scatter', name, data, z: 40, symbol: 'diamond', symbolSize: 13,
  itemStyle: {color: 'transparent', borderColor: colour('text'), borderWidth: 1.8}});

/** All curves at one place. `head(x)` names it. */
const allAt = (head, format) => ({trigger: 'axis', order: 'valueDesc', formatter: (points) => [head(points[0].axisValue), ...points
    .filter((p, i) => points.findIndex((q) => q.seriesName === p.seriesName) === i)
    .map((p) => [p.seriesName, Array.isArray(p.value) ? p.value[1] : p.value]).filter(([, value]) => value !== null && value !== undefined && !Number.isNaN(value))
    .sort((a, b) => b[1] - a[1]).map(([name, value]) => `${name}  ${format(value)}`)].join('\n')});

/** A chart of curves; `make(theme)` gives {x, y, series, tooltip} with axes of ECharts. */
function curves(height, label, make) {
  return h('div', {class: 'scroll'}, chart(height, label, (theme) => {
    const {x, y, series: shown, tooltip, legend} = make(theme);
    return {grid: {left: 66, right: 22, top: legend ? 36 : 18, bottom: 48}, tooltip, series: shown,
      legend: legend ? {left: 60, top: 2, icon: 'roundRect', itemHeight: 3, itemWidth: 16, type: 'plain', textStyle: {color: theme.text, fontSize: 12}} : undefined,
      xAxis: theme.axis({nameLocation: 'middle', nameGap: 30, splitLine: {show: false}, ...x, axisLabel: {color: theme.soft, fontSize: 11, hideOverlap: true, ...x.axisLabel}}),
      yAxis: theme.axis({nameLocation: 'middle', nameGap: 48, ...y, axisLabel: {color: theme.soft, fontSize: 11, ...y.axisLabel}})};
  }));
}

/**
 * A map of values. x, y: {name, values: names}; cells: [[x, y, value, text in the cell, tip], ...]; `choose(x, y)` is called on a click.
 * `ends()` gives the values of the palest and the strongest colour.
 */
function heatMap(label, x, y, cells, ends, choose) {
  const height = 74 + Math.min(30, Math.max(18, 420 / y.values.length)) * y.values.length;
  const node = chart(height, label, ({axis, text, soft}) => {
    const [low, high] = ends(), shade = (v) => (high === low ? 0 : (v - low) / (high - low));
    const names = {axisLine: {show: false}, axisTick: {show: false}, splitLine: {show: false}, nameLocation: 'middle'};
    const room = 14 + 7 * Math.max(...y.values.map((name) => name.length), 2);
    return {
      grid: {left: room + 22, right: 12, top: 8, bottom: 48}, tooltip: {trigger: 'item', formatter: (p) => p.data.tip},
      xAxis: axis({...names, type: 'category', data: x.values, name: x.name, nameGap: 30}),
      yAxis: axis({...names, type: 'category', data: y.values, name: y.name, nameGap: room}),
      visualMap: {show: false, min: Math.min(low, high), max: Math.max(low, high), dimension: 2,
        inRange: {color: (low <= high ? [0, 1, 2, 3] : [3, 2, 1, 0]).map((i) => colour('heat-' + i))}},
      series: [{type: 'heatmap', itemStyle: {borderColor: colour('card'), borderWidth: 1.5},
        data: cells().filter((cell) => Number.isFinite(cell[2])).map(([i, k, value, short, tip]) => ({value: [i, k, value], short, tip,
          label: {show: x.values.length <= 18, fontSize: 10.5, color: shade(value) > 0.5 ? colour('on-heat') : text, formatter: () => short}}))}],
    };
  });
  const entry = charts.find((one) => one.node === node);
  if (entry) entry.drawn = (drawn) => drawn.on('click', (event) => choose && choose(event.data.value[0], event.data.value[1]));
  return h('div', {class: 'scroll map'}, node);
}

/** What follows from a study, a sentence in each line. */
const follows = (sentences) => (sentences.length ? h('ul', {class: 'bound follows'}, sentences.map((text) => h('li', {}, text + (/[.!?]$/.test(text) ? '' : '.')))) : null);
const figure = (value, name, key) => h('div', {class: 'big'}, h('b', {'data-metric': key}, value), h('span', {}, name));
const filesBeside = (names) => h('p', {class: 'soft'}, 'In the same folder: ', names.flatMap((name, i) => [i ? ', ' : '', h('a', {href: name}, name)]), '.');
const unfinished = (data) => (data.complete ? null : h('p', {class: 'note'}, 'The study was stopped: this is what was done by then.'));
