// SPDX-License-Identifier: Apache-2.0
// A validation: published and measured values beside what the simulated GPU gives.
'use strict';

const signedError = (value) => (value < 0 ? '−' : '+') + Math.abs(value).toFixed(1) + kThin + '%';
const kEdge = 50;  // percent: larger errors are drawn here

/** The first word of an id that is not the GPU's name. */
function groupsOf(rows) {
  const first = new Set(rows.map((row) => row.id.split('.')[0])), skip = first.size === 1 && rows.every((row) => row.id.split('.').length > 2) ? 1 : 0;
  const groups = new Map();
  for (const row of rows) {
    const name = row.id.split('.')[skip];
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(row);
  }
  return [...groups].map(([name, members]) => ({name, members, within: members.filter((row) => row.within).length,
    mean: members.reduce((sum, row) => sum + Math.abs(row.error), 0) / members.length, worst: members.reduce((most, row) => (Math.abs(row.error) > Math.abs(most.error) ? row : most), members[0])}));
}

function errorChart(groups) {
  const data = (good) => groups.flatMap((group, x) => group.members.filter((row) => row.within === good).map((row, i, all) => ({row,
    value: [x + (all.length > 1 ? 0.6 * (i / (all.length - 1) - 0.5) : 0), Math.max(-kEdge, Math.min(kEdge, row.error))]})));
  return h('div', {class: 'scroll'}, chart(300, 'error of every row that a program answers', ({axis, soft, text}) => ({
    grid: {left: 66, right: 16, top: 34, bottom: 74}, legend: {left: 60, top: 2, itemHeight: 9, itemWidth: 14, textStyle: {color: text, fontSize: 12}},
    tooltip: {trigger: 'item', formatter: ({data: {row}}) => (row ? `${row.id}\nexpected ${row.expected}, simulated ${row.simulated} ${row.unit}\n${signedError(row.error)}` : '')},
    xAxis: [axis({type: 'category', data: groups.map((group) => group.name), splitLine: {show: false}, axisTick: {show: false}, axisLine: {onZero: false},
      axisLabel: {color: soft, fontSize: 11, interval: 0, rotate: groups.length > 8 ? 40 : 0}}), {type: 'value', min: -0.5, max: groups.length - 0.5, show: false}],
    yAxis: axis({type: 'value', min: -kEdge, max: kEdge, interval: kEdge / 2, axisLabel: {color: soft, fontSize: 11, formatter: (v) => (v > 0 ? '+' : v < 0 ? '−' : '') + Math.abs(v) + ' %'}}),
    series: [true, false].map((good) => ({type: 'scatter', xAxisIndex: 1, name: good ? 'within tolerance' : 'out of tolerance', symbol: good ? 'circle' : 'diamond', symbolSize: good ? 7 : 10,
      itemStyle: {color: series(good ? 0 : 3), opacity: 0.8}, data: data(good)})),
  })));
}

/** One curve of targets; its horizontal axis is the last number of their ids. */
function curveOfTargets(chosen) {
  const xs = chosen.points.map((p) => p[0]), wide = Math.min(...xs) > 0 && Math.max(...xs) / Math.min(...xs) >= 8;
  return curves(320, 'expected and simulated values of a curve', () => ({
    x: {type: wide ? 'log' : 'value', logBase: 2, min: 'dataMin', max: 'dataMax', name: `the number * of ${chosen.name}`}, y: {type: 'value', min: 0, name: 'value'},
    tooltip: allAt((x) => chosen.name.replace('*', x), plain),
    series: [reference('simulated', chosen.points.map((p) => [p[0], p[2]])), marks('expected', chosen.points.map((p) => [p[0], p[1]]))],
  }));
}

function curveList(data) {
  if (data.curves.length === 0) return null;
  const rows = data.curves.map((one) => {
    const errors = one.points.map(([, expected, simulated]) => 100 * Math.abs(simulated - expected) / Math.abs(expected || 1));
    return {...one, mean: errors.reduce((sum, error) => sum + error, 0) / errors.length, worst: Math.max(...errors)};
  });
  let chosen = rows.reduce((most, row) => (row.points.length > most.points.length ? row : most), rows[0]);
  const holder = h('div', {});
  const show = () => {
    forgetCharts(holder);
    holder.replaceChildren(curveOfTargets(chosen));
  };
  show();
  const list = table(rows, [
    {name: 'Curve', left: true, code: true, width: 'minmax(14em, 1fr)', value: (r) => r.name}, {name: 'Points', width: '6em', value: (r) => r.points.length},
    {name: 'Mean error', width: '8em', value: (r) => r.mean, text: (r) => percent(r.mean)}, {name: 'Worst', width: '7em', value: (r) => r.worst, text: (r) => percent(r.worst)},
  ], {height: 8, filter: 'Filter curves', selected: (r) => r === chosen, select: (r) => {
    chosen = r;
    list.refresh();
    show();
  }});
  return section('Curves', 'Targets whose names differ in their last number only. A click shows a curve: the band is simulated, diamonds are what was expected.', list, holder);
}

/** What follows, from the numbers of the page. */
function validationFollows(data, groups) {
  const {predicted} = data, bad = data.answered.filter((row) => !row.within && !row.contradiction), known = bad.filter((row) => row.gap).length, text = [];
  if (predicted.rows) text.push(`${predicted.within} of ${predicted.rows} predicted rows are within their tolerance, with a mean error of ${percent(predicted.mean_error)}: these are the rows that test the model`);
  else text.push('No predicted row was answered: fitted rows and echoes say how well the GPU was described, not how well it is predicted');
  const weak = groups.filter((group) => group.within < group.members.length).sort((a, b) => b.mean - a.mean)[0];
  if (weak) text.push(`${weak.name} is the group with the largest mean error among those that leave their tolerance: ${percent(weak.mean)}, at worst ${signedError(weak.worst.error)} (${weak.worst.id})`);
  if (bad.length) text.push(`${plural(bad.length, 'row')} out of tolerance; ${bad.length === 1 ? (known ? 'it has' : 'it does not have') : known === bad.length ? 'each has' : known + ' of them have'} an explanation below`);
  return text;
}

function validationView(data) {
  const measured = data.answered.filter((row) => row.measured && !row.contradiction), groups = groupsOf(measured), score = (one) => (one.rows ? `${one.within} of ${one.rows}` : '–');
  const gaps = data.answered.filter((row) => !row.within && row.gap);
  return h('article', {}, h('section', {class: 'summary'}, h('h1', {}, data.title),
    h('p', {class: 'soft'}, "predicted: no key's comment cites the row or its table; fitted: one does; echo: the configuration says it, nothing was run."),
    h('div', {class: 'bigs'}, figure(score(data.predicted), 'predicted rows within tolerance', 'predicted'), figure(data.predicted.rows ? percent(data.predicted.mean_error) : '–', 'mean error of predicted rows', 'mean'),
      figure(score(data.fitted), 'fitted rows within tolerance', 'fitted'), figure(score(data.echo), 'echoes within tolerance', 'echo'), figure(plain(data.unanswered.length), 'rows not answered', 'unanswered')),
    follows(validationFollows(data, groups)), h('details', {}, h('summary', {class: 'soft'}, 'As the command says it'), data.totals.map((line) => h('p', {class: 'soft'}, line)))),
  groups.length ? section('Errors', `Of every row that a program answers, by group; rows whose sources contradict each other are left out. Errors beyond ${kEdge} % stand at the edge.`, errorChart(groups), table(groups, [
    {name: 'Group', left: true, width: 'minmax(8em, 1fr)', value: (r) => r.name}, {name: 'Rows', width: '6em', value: (r) => r.members.length}, {name: 'Within', width: '6em', value: (r) => r.within},
    {name: 'Mean error', width: '8em', value: (r) => r.mean, text: (r) => percent(r.mean)}, {name: 'Worst', width: '8em', value: (r) => Math.abs(r.worst.error), text: (r) => signedError(r.worst.error)},
    {name: 'Worst row', left: true, code: true, width: '18em', value: (r) => r.worst.id}], {height: 10, filter: 'Filter groups'})) : null,
  curveList(data),
  section('Targets', null, table(data.answered, [
    {name: 'Target', left: true, code: true, width: 'minmax(16em, 1fr)', value: (r) => r.id, tip: (r) => r.quantity},
    {name: 'Expected', width: '8em', value: (r) => r.value, text: (r) => r.expected}, {name: 'Simulated', width: '8em', value: (r) => r.value * (1 + r.error / 100), text: (r) => r.simulated},
    {name: 'Unit', left: true, width: '7em', value: (r) => r.unit}, {name: 'Error', width: '7em', value: (r) => Math.abs(r.error), text: (r) => signedError(r.error)},
    {name: 'Within', left: true, width: '8.5em', value: (r) => (r.within ? 'yes' : r.contradiction ? 'sources differ' : 'no'), tip: (r) => r.tolerance},
    {name: 'Answer', left: true, width: '16em', tip: (r) => r.answer, value: (r) => r.answer}, {name: 'Source', left: true, width: '18em', value: (r) => r.source},
  ], {height: 20, filter: 'Filter targets and answers'})),
  gaps.length ? section('Known gaps', 'Rows out of tolerance for a known reason. They still count as failures.', table(gaps, [
    {name: 'Target', left: true, code: true, width: '18em', value: (r) => r.id}, {name: 'Error', width: '7em', value: (r) => Math.abs(r.error), text: (r) => signedError(r.error)},
    {name: 'Why', left: true, width: 'minmax(30em, 1fr)', value: (r) => r.gap}], {height: 12, filter: 'Filter gaps'})) : null,
  data.unanswered.length ? section('Not answered', null, table(data.unanswered, [
    {name: 'Target', left: true, code: true, width: '18em', value: (r) => r.id, tip: (r) => r.quantity}, {name: 'Why', left: true, width: 'minmax(24em, 1fr)', value: (r) => r.why},
    {name: 'Source', left: true, width: '18em', value: (r) => r.source}], {height: 12, filter: 'Filter targets and reasons'})) : null);
}
