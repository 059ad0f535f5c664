// SPDX-License-Identifier: Apache-2.0
// Reads the data in the page and shows it.
'use strict';

function launchList(data, choose, chosen) {
  const rows = data.launches.map((row, i) => ({number: i, name: row[0], grid: row[1], block: row[2], cycles: row[3], ns: row[4],
    compute: row[6], memory: row[7], occupancy: row[8], bound: row[9]}));
  const total = rows.reduce((sum, row) => sum + (row.cycles || 0), 0) || 1, kernels = new Set(rows.map((row) => row.name)).size;
  const share = (name, title, of) => ({name, title, width: '6.4em', value: of, text: (r) => percent(of(r) ?? undefined)});
  const list = table(rows, [
    {name: '#', width: '4.5em', value: (r) => r.number},
    {name: 'Kernel', left: true, code: true, width: 'minmax(16em, 1fr)', value: (r) => r.name},
    {name: 'Bound by', left: true, width: '10em', value: (r) => r.bound, title: 'what bounds the launch; the sentence is in its report below'},
    {name: 'Grid', width: '7.4em', value: (r) => r.grid[0] * r.grid[1] * r.grid[2], text: (r) => dimensions(r.grid)},
    {name: 'Block', width: '6.4em', value: (r) => r.block[0] * r.block[1] * r.block[2], text: (r) => dimensions(r.block)},
    {name: 'Cycles', width: '7em', value: (r) => r.cycles},
    {name: 'Share', width: '6em', value: (r) => r.cycles, text: (r) => percent(100 * (r.cycles || 0) / total), bar: (r) => 100 * (r.cycles || 0) / total},
    {name: 'Duration', width: '6.6em', value: (r) => r.ns, text: (r) => (r.ns === null ? '–' : duration(r.ns))},
    share('SM', 'throughput of the SMs, of the peak', (r) => r.compute), share('Memory', 'throughput of L1, L2 or DRAM, whichever is larger, of the peak', (r) => r.memory),
    {...share('Occupancy', 'achieved occupancy', (r) => r.occupancy), width: '7.4em'},
  ], {height: 12, filter: 'Filter kernels and causes', select: choose, selected: (row) => row.number === chosen()});
  const kept = Object.keys(data.places).length, totals = data.totals;
  return [h('section', {class: 'launches'}, h('h2', {}, 'Launches'), facts([
    ['Launches', plain(rows.length)], ['Kernels', plain(kernels)], ['Cycles', plain(totals.cycles), 'the time in which launches ran side by side counts once', 'total_cycles'],
    ['Duration', duration(totals.nanoseconds)], ['Warp instructions', plain(totals.instructions)]]),
  kept < rows.length ? h('p', {class: 'note'}, `Details are kept of the ${plain(kept)} longest launches; --json has all of them.`) : null, list), list];
}

function runView(data, page) {
  readKernels(data.kernels);
  const first = data.launches.findIndex((row, i) => data.places[i] !== undefined);
  let chosen = data.launches.length > 1 ? Number(Object.keys(data.places)[0] ?? 0) : Math.max(0, first);
  for (const [number, place] of Object.entries(data.places))
    if ((cyclesOf(data.kernels[place]) || 0) > (cyclesOf(data.kernels[data.places[chosen]]) || 0)) chosen = Number(number);
  const holder = h('div', {});
  function show() {
    forgetCharts(holder);
    const place = data.places[chosen];
    holder.replaceChildren(data.launches.length === 0 ? h('p', {class: 'note'}, 'No launch is done.') : place === undefined
      ? h('p', {class: 'note'}, `Launch ${chosen} is not among the longest, whose details are kept in this page; --json has all of them.`)
      : kernelView(data.kernels[place], data, data.launches[chosen][0]));
  }
  if (!data.complete) page.append(h('p', {class: 'note'}, data.partial || 'The run was stopped: this is what was done by then.'));
  if (data.launches.length > 1) {
    const [view, list] = launchList(data, (row) => {
      chosen = row.number;
      list.refresh();
      show();
    }, () => chosen);
    page.append(view);
  }
  page.append(holder);
  show();
  page.append(h('details', {class: 'config'}, h('summary', {}, `Configuration ${data.config.name}`), h('pre', {}, JSON.stringify(data.config.resolved, null, 1))));
}

function main() {
  const data = JSON.parse(document.getElementById('data').textContent), page = document.getElementById('page');
  if (data.kind === 'comparison') page.append(comparisonView(data));
  else if (data.kind === 'change') page.append(changeView(data));
  else if (data.kind === 'sweep') page.append(sweepView(data));
  else if (data.kind === 'explore') page.append(exploreView(data));
  else if (data.kind === 'validation') page.append(validationView(data));
  else runView(data, page);
  page.append(h('footer', {}, `sassim ${data.version}` + (data.config ? ` · configuration ${data.config.hash}` : '')));
  document.documentElement.dataset.ready = 'yes';
}

main();
