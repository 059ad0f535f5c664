// SPDX-License-Identifier: Apache-2.0
// The sections of one kernel, in the order of Nsight Compute's details page.
'use strict';

/** The parts that tile a launch: which of its time was before, between and after its thread blocks. */
function phases(kernel) {
  const parts = [['launch', 'until the first thread block starts', 'rest'], ['ramp', 'the first thread blocks of all SMs start', 'series-6'],
    ['full', 'until a block ends and none is left to follow it', 'series-1'], ['tail', 'until the last thread block ends', 'series-2'],
    ['drain', 'writes and flushes after the last thread block', 'series-4']]
      .map(([name, meaning, paint]) => ({name, meaning, paint, cycles: metric(kernel, `sassim__phase_${name}.cycles`)}));
  const total = cyclesOf(kernel);
  if (parts.some((part) => part.cycles === undefined) || !total) return null;
  return h('div', {class: 'phases'},
    h('div', {class: 'stack thin', role: 'img', 'aria-label': 'phases of the launch'}, parts.map((part) => h('i', {
      style: `width:${100 * part.cycles / total}%;background:var(--${part.paint})`, title: `${part.name}: ${plain(part.cycles)} cycles, ${part.meaning}`}))),
    h('div', {class: 'legend'}, parts.map((part) => h('span', {title: part.meaning}, h('i', {class: 'swatch', style: `background:var(--${part.paint})`}),
      `${part.name} `, h('b', {'data-metric': `sassim__phase_${part.name}.cycles`}, plain(part.cycles))))));
}

function summary(kernel, data, shown) {
  const m = (name) => metric(kernel, name);
  const big = (value, name, key, title) => h('div', {class: 'big', title}, h('b', {'data-metric': key}, value), h('span', {}, name));
  const sentence = boundSentence(kernel, data.meanings);
  return h('section', {class: 'summary'},
    h('h1', {class: 'kernel', title: kernel.name}, shown),
    h('p', {class: 'soft'}, `grid ${dimensions(kernel.grid)}, block ${dimensions(kernel.block)} on ${data.config.name}` +
      (data.caches ? `, caches ${data.caches}` : '') + (kernel.trace ? `, trace ${kernel.trace}` : '') +
      (kernel.slice ? `; only ${plain(kernel.slice.blocks)} of ${plain(kernel.slice.of)} blocks` : '')),
    h('div', {class: 'bigs'},
      big(plain(cyclesOf(kernel)), 'cycles', 'gpc__cycles_elapsed.max', "from the launch to the kernel's end, with its last stores"),
      data.expected_error === null ? null : big('±' + kThin + percent(data.expected_error), 'expected error of the cycles', 'expected_error',
        'the mean error of this GPU over kernels that were measured'),
      big(m('gpu__time_duration.sum') === undefined ? '–' : duration(m('gpu__time_duration.sum')), 'duration', null,
        m('sassim__launch_overhead_cycles') ? `without the ${plain(m('sassim__launch_overhead_cycles'))} cycles that the host takes to submit the launch` : null),
      big(count(kernel.warp_instructions), 'warp instructions'),
      big(plain(m('sm__inst_executed.avg.per_cycle_active')), 'IPC of an active SM'),
      big(percent(m('sm__warps_active.avg.pct_of_peak_sustained_active')), 'achieved occupancy'),
      big(m('dram__bytes.sum') === undefined ? '–' : bytes(m('dram__bytes.sum')), 'DRAM traffic')),
    sentence ? h('p', {class: 'bound'}, sentence) : null,
    data.trust ? h('p', {class: 'soft', 'data-metric': 'trust'}, data.trust) : null,
    phases(kernel),
    (kernel.notes || []).map((note) => h('p', {class: 'note'}, note)));
}

function timeSection(kernel, data) {
  const over = overTime(kernel, data.config);
  if (!over || over.at.length === 0) return null;
  over.end = cyclesOf(kernel);
  const pct = (v) => `${+v.toFixed(1)} %`;
  const bandwidth = (v) => rate(v);
  return section('Over time', `Intervals of ${plural(kernel.series.interval, 'cycle')}, all SMs together.`,
    timeChart(over, 'occupancy and issue slots used over time', [
      {name: 'Occupancy', values: over.occupancy, area: true, colour: 0},
      {name: 'Issue slots used', values: over.issue, colour: 1, dash: 'dashed'}], pct, undefined),
    timeChart(over, 'hit rates over time', [
      {name: 'L1 hit rate', values: over.l1, colour: 2},
      {name: 'L2 hit rate', values: over.l2, colour: 3, dash: 'dashed'}], pct, 100),
    timeChart(over, 'traffic over time', [
      {name: 'L2 sectors', values: over.l2Bytes, colour: 4, dash: 'dotted'},
      {name: 'DRAM read', values: over.read, area: true, colour: 0},
      {name: 'DRAM written', values: over.written, colour: 1, dash: 'dashed'}], bandwidth, undefined));
}

function rooflineSection(kernel, data) {
  const peaks = peaksOf(data.config), seconds = secondsOf(kernel);
  if (!peaks || !seconds) return null;
  const work = flopsOf(kernel), total = Object.values(work).reduce((a, b) => a + b, 0);
  if (!total) return section('Roofline', 'The kernel has no floating-point instructions.');
  const kinds = {fp32: 'FP32', fp64: 'FP64', tensor: 'Tensor', fp16: 'FP16 (HFMA2)'};
  const traffic = [['DRAM', metric(kernel, 'dram__bytes.sum'), peaks.dram],
    ['L2', 32 * metric(kernel, 'lts__t_sectors.sum'), peaks.l2], ['L1', 32 * metric(kernel, 'l1tex__t_sectors.sum'), peaks.l1]]
      .filter((row) => row[1] > 0 && row[2] > 0);
  const ceilings = [['FP32', peaks.fp32, work.fp32 || work.fp16], ['FP64', peaks.fp64, work.fp64], ['Tensor', peaks.tensor, work.tensor]]
      .filter((row) => row[2] && row[1] > 0);
  const roof = Math.max(...ceilings.map((row) => row[1])), speed = total / seconds;
  const points = traffic.map(([name, amount, peak]) => ({name, x: total / amount, y: speed, peak}));
  const low = Math.min(0.01, ...points.map((p) => p.x / 3)), far = Math.max(1000, ...points.map((p) => p.x * 3));
  const power = (v) => Math.pow(10, Math.floor(Math.log10(v))), above = (v) => Math.pow(10, Math.ceil(Math.log10(v)));
  const shapes = ['circle', 'rect', 'triangle'];
  const node = chart(320, 'roofline', ({axis, text, soft, line}) => ({
    grid: {left: 92, right: 140, top: 34, bottom: 46},
    legend: {left: 88, top: 2, textStyle: {color: text, fontSize: 12}, data: points.map((p) => p.name + ' traffic')},
    tooltip: {trigger: 'item', formatter: (p) => p.seriesType === 'scatter' ? `${p.seriesName}\n${plain(p.value[0])} FLOP/B\n${flops(p.value[1])}` : p.seriesName},
    xAxis: axis({type: 'log', min: power(low), max: above(far), name: 'operations per byte', nameLocation: 'middle',
      nameGap: 28, minorTick: {show: true}, axisLabel: {color: soft, fontSize: 11, formatter: (v) => String(+v.toPrecision(3))}}),
    yAxis: axis({type: 'log', min: power(Math.min(speed / 3, roof / 1e4)), max: above(roof), minorTick: {show: true},
      axisLabel: {color: soft, fontSize: 11, formatter: (v) => flops(v)}}),
    series: [
      ...points.map((p, i) => ({type: 'line', name: `${p.name} ${rate(p.peak)}`, silent: true, showSymbol: false,
        lineStyle: {color: series(i), width: 1.6, type: ['solid', 'dashed', 'dotted'][i]},
        data: [[power(low), power(low) * p.peak], [roof / p.peak, roof]]})),
      ...ceilings.map(([name, peak]) => ({type: 'line', name, silent: true, showSymbol: false,
        lineStyle: {color: soft, width: 1.4}, data: [[power(low), peak], [above(far), peak]],
        endLabel: {show: true, color: text, fontSize: 11, formatter: `${name} ${flops(peak)}`}})),
      ...points.map((p, i) => ({type: 'scatter', name: p.name + ' traffic', symbol: shapes[i], symbolSize: 12,
        itemStyle: {color: series(i), borderColor: colour('card'), borderWidth: 1}, data: [[p.x, p.y]]})),
    ],
  }));
  const parts = Object.entries(work).map(([kind, n]) => `${kinds[kind]} ${count(n)}`).join(', ');
  return section('Roofline', `${flops(speed)} from ${count(total)} operations, counted from the executed SASS (${parts}). ` +
    'Roofs are the peaks of the configuration.', node);
}

/** The colour of each reason: those of most cycles have their own. */
function reasonPaints(kernel) {
  const kOwn = 7;
  return Object.fromEntries(stallsOf(kernel).map(({reason}, i) =>
    [reason, reason === 'selected' ? 'var(--selected)' : i < kOwn ? `var(--series-${i + 1})` : 'var(--rest)']));
}

function stallSection(kernel, data) {
  const rows = stallsOf(kernel), paints = reasonPaints(kernel), paint = (i) => paints[rows[i].reason];
  if (rows.length === 0) return null;
  return section('Warp State', 'Where the cycles of all resident warps went: every cycle has exactly one reason.',
    h('div', {class: 'stack', role: 'img', 'aria-label': 'stall stack'}, rows.map((row, i) =>
      h('i', {style: `width:${row.share}%;background:${paint(i)}`, title: `${row.reason} ${percent(row.share)}`}))),
    h('div', {class: 'states'}, rows.map((row, i) => h('div', {class: 'state', title: data.meanings[row.reason]},
      h('i', {class: 'swatch', style: `background:${paint(i)}`}), h('span', {class: 'label'}, row.reason),
      h('span', {class: 'value', 'data-metric': `sassim__warp_cycles_${row.reason}.sum`}, percent(row.share)),
      h('span', {class: 'soft value'}, row.per_issue.toFixed(2)), h('span', {class: 'soft meaning'}, data.meanings[row.reason] || '')))),
    h('p', {class: 'soft'}, 'The second number: cycles per issued warp instruction. The strips in the source below have the same colours.'));
}

/** " for 0090": what a line waits for, where its reason is another instruction. */
function awaitedPcs(line) {
  const another = /scoreboard$|^barrier$|^membar$/.test(line.reason);
  return another && line.waits_for?.length ? ` for ${line.waits_for.map(hex).join(' and ')}` : '';
}

function sourceSection(kernel, data) {
  const lines = (kernel.lines || []).map((line) => {
    const sum = Object.values(line.stalls).reduce((a, b) => a + b, 0);
    const top = Object.entries(line.stalls).filter(([r]) => r !== 'selected').sort((a, b) => b[1] - a[1])[0];
    return {...line, cycles: sum, reason: top ? top[0] : ''};
  });
  const all = lines.reduce((total, line) => total + line.cycles, 0) || 1;
  const paints = reasonPaints(kernel), most = Math.max(1, ...lines.map((line) => line.cycles));
  const reasons = (line) => Object.entries(line.stalls).sort((a, b) => b[1] - a[1]).map(([r, n]) => `${r} ${plain(n)}`).join('\n');
  const columns = [
    {name: 'PC', left: true, code: true, width: '4em', value: (r) => hex(r.pc), title: 'address in the code, hexadecimal'},
    {name: 'SASS', left: true, code: true, width: 'minmax(12.6em, 1fr)', value: (r) => r.sass, title: 'the instruction'},
    ...(lines.some((line) => line.control) ? [{name: 'Control', left: true, code: true, width: '13.8em', value: (r) => r.control || '',
      title: 'control bits: wait mask, counters of read and write, yield, stall cycles'}] : []),
    {name: 'Executed', width: '6.2em', value: (r) => r.executed, title: 'warp instructions'},
    {name: 'Warp cycles', width: '7em', value: (r) => r.cycles, title: 'cycles of warps that were about to issue it'},
    {name: 'Share', width: '5.8em', value: (r) => r.cycles / all, text: (r) => percent(100 * r.cycles / all), tip: reasons,
      strip: (r) => Object.keys(paints).filter((reason) => r.stalls[reason]).map((reason) => [100 * r.stalls[reason] / most, paints[reason]]),
      title: 'of all warp cycles; the strip has the colours of the warp states'},
    {name: 'Threads', width: '5.4em', value: (r) => (r.threads ?? 0) / r.executed, text: (r) => (r.threads ? plain(+(r.threads / r.executed).toFixed(1)) : '–'),
      title: 'active threads of an execution, on average'},
    {name: 'Sectors/req', width: '7.1em', value: (r) => (r.memory?.sectors ? r.memory.sectors / r.memory.requests : undefined),
      text: (r) => (r.memory?.sectors ? plain(+(r.memory.sectors / r.memory.requests).toFixed(1)) : ''), title: 'sectors of the L1 for each request'},
    ...(lines.some((line) => line.memory?.ideal_passes) ? [{name: 'n-way', width: '4.6em',
      value: (r) => (r.memory?.ideal_passes ? r.memory.passes / r.memory.ideal_passes : undefined),
      text: (r) => (r.memory?.ideal_passes ? (r.memory.passes / r.memory.ideal_passes).toFixed(1) : ''), title: 'bank conflicts of shared memory. ' + data.sections.ways}] : []),
    {name: 'Mostly', left: true, width: '15.3em', value: (r) => r.reason + awaitedPcs(r), tip: reasons,
      title: 'the reason of most of its stall cycles, and the PCs of what it waits for; a row has all of its reasons when the pointer is over it'},
    ...(lines.some((line) => line.source) ? [{name: 'CUDA', left: true, width: '9.6em', value: (r) => (r.source ? `${r.source.file.split('/').pop()}:${r.source.line}` : ''),
      title: 'line of the CUDA source'}] : []),
  ];
  return section('Source', 'Executed instructions. A click on a column sorts. The strip below a share has the colours of the warp states; the pointer over it shows the cycles of each reason.', table(lines, columns, {height: 22, filter: 'Filter by SASS, address or reason'}));
}

function metricSection(kernel) {
  const rows = Object.entries(kernel.metrics || {}).map(([name, value]) => ({name, value, unit: kernel.units[name] || ''}));
  return section('All metrics', null, table(rows, [
    {name: 'Metric', left: true, code: true, width: 'minmax(24em, 1fr)', value: (r) => r.name},
    {name: 'Value', width: '11em', value: (r) => r.value}, {name: 'Unit', left: true, width: '7em', value: (r) => r.unit},
  ], {height: 14, filter: 'Filter metrics'}));
}

function kernelView(kernel, data, shown) {
  if (kernel.fault) return h('article', {}, h('section', {}, h('h1', {class: 'kernel', title: kernel.name}, shown), h('p', {class: 'note'}, kernel.fault.message)));
  const parts = [speedOfLight(kernel, data), h('div', {class: 'columns'}, launchSection(kernel, data), schedulerSection(kernel, data)),
    timeSection(kernel, data), mixSection(kernel), memorySection(kernel, data), stallSection(kernel, data), rooflineSection(kernel, data),
    sourceSection(kernel, data), metricSection(kernel)];
  const titles = parts.flatMap((part) => (part ? [...part.querySelectorAll('h2')] : [])).map((title) => title.textContent);
  return h('article', {}, summary(kernel, data, shown), contents(titles), parts);
}
