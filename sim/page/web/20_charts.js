// SPDX-License-Identifier: Apache-2.0
// Charts by Apache ECharts, in the page's colours. Where the library is not built in, a note stands in their place.
'use strict';

const dark = matchMedia('(prefers-color-scheme: dark)');
const charts = [];  // {node, make, chart, drawn(chart): called after it was drawn}

/** A colour of the style sheet. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
/** Told apart by people who see few colours (Okabe and Ito), lighter on a dark ground. */
const series = (i) => colour('series-' + (i % 7 + 1));

function draw(entry) {
  if (entry.chart) entry.chart.dispose();
  entry.chart = echarts.init(entry.node, null, {renderer: 'svg'});
  const text = colour('text'), soft = colour('soft'), line = colour('line');
  const axis = (own) => Object.assign({
    axisLine: {lineStyle: {color: line}},
    axisTick: {lineStyle: {color: line}},
    axisLabel: {color: soft, fontSize: 11, hideOverlap: true},
    splitLine: {lineStyle: {color: line, opacity: 0.6}},
    nameTextStyle: {color: soft, fontSize: 11},
  }, own);
  const option = entry.make({axis, text, soft, line});
  entry.chart.setOption(Object.assign({
    animation: false,
    aria: {enabled: true},
    textStyle: {fontFamily: getComputedStyle(document.body).fontFamily, color: text},
    tooltip: {},
  }, option));
  const tooltip = {
    renderMode: 'richText', confine: true, backgroundColor: colour('card'), borderColor: line, borderWidth: 1,
    textStyle: {color: text, fontSize: 12},
  };
  entry.chart.setOption({tooltip: Object.assign(tooltip, option.tooltip)});
  if (entry.drawn) entry.drawn(entry.chart);
}

/** A chart of `height` pixels; `make(theme)` gives its option, again when the colours change. */
function chart(height, label, make) {
  if (typeof echarts === 'undefined')
    return h('p', {class: 'note nocharts'}, 'This chart is not here: sassim was built without npm (see README).');
  const node = h('div', {class: 'chart', role: 'img', 'aria-label': label, style: `height:${height}px`});
  charts.push({node, make});
  requestAnimationFrame(() => {
    const entry = charts.find((one) => one.node === node);
    if (entry && node.isConnected) draw(entry);
  });
  return node;
}

function forgetCharts(root) {
  for (let i = charts.length; i-- > 0;)
    if (root.contains(charts[i].node)) {
      if (charts[i].chart) charts[i].chart.dispose();
      charts.splice(i, 1);
    }
}

dark.addEventListener('change', () => charts.forEach(draw));
addEventListener('resize', () => charts.forEach((entry) => entry.chart && entry.chart.resize()));

/** Each interval at its own value, from its beginning to its end. */
function steps(data, values) {
  return values.flatMap((value, k) => [[data.at[k], value], [data.at[k + 1] ?? data.end, value]]);
}

function timeChart(data, label, curves, format, most) {
  return chart(170, label, ({axis, text, soft, line}) => ({
    grid: {left: 64, right: 18, top: 34, bottom: 26},
    legend: {data: curves.map((curve) => curve.name), left: 60, top: 2, icon: 'roundRect', itemHeight: 3,
      itemWidth: 16, textStyle: {color: text, fontSize: 12}},
    tooltip: {trigger: 'axis', formatter: (points) => `cycle ${plain(points[0].value[0])}\n` + points
        .map((p) => `${p.seriesName}  ${p.value[1] === null ? 'none' : format(p.value[1])}`).join('\n')},
    xAxis: axis({type: 'value', min: 0, max: data.end, splitLine: {show: false},
      axisLabel: {color: soft, fontSize: 11, hideOverlap: true, formatter: tick}}),
    yAxis: axis({type: 'value', min: 0, max: most, splitNumber: 4, interval: most === 100 ? 25 : undefined,
      axisLabel: {color: soft, fontSize: 11, formatter: (v) => format(v)}}),
    series: curves.map((curve, i) => ({
      type: 'line', name: curve.name, showSymbol: false, connectNulls: false,
      lineStyle: {width: 1.6, type: curve.dash || 'solid', color: series(curve.colour ?? i)},
      itemStyle: {color: series(curve.colour ?? i)},
      areaStyle: curve.area ? {color: series(curve.colour ?? i), opacity: 0.12} : undefined,
      data: steps(data, curve.values),
    })),
  }));
}
