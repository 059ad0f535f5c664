// SPDX-License-Identifier: Apache-2.0
// Elements and numbers. Text from a program (names, SASS) only ever becomes a text node: nothing here parses HTML.
'use strict';

/** h('div', {class: 'x', onclick: f}, 'text', child, ...) */
function h(tag, attributes, ...children) {
  const node = tag.startsWith('svg:') ? document.createElementNS('http://www.w3.org/2000/svg', tag.slice(4))
                                      : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat())
    if (child !== undefined && child !== null) node.append(child);
  return node;
}

const kThin = '\u202f';  // narrow, does not break: between a number and its unit

/** 1234567 as "1,234,567"; fractions keep four significant digits. */
function plain(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return '–';
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  const size = Math.abs(value);
  const digits = size >= 100 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', {maximumFractionDigits: digits});
}

function scaled(value, unit, steps, base) {
  let i = 0;
  while (i + 1 < steps.length && Math.abs(value) >= base * 0.99995) {
    value /= base;
    ++i;
  }
  const digits = i === 0 && Number.isInteger(value) ? 0 : Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits) + kThin + steps[i] + unit;
}

const bytes = (value) => scaled(value, 'B', ['', 'Ki', 'Mi', 'Gi', 'Ti'], 1024);
const rate = (value) => scaled(value, 'B/s', ['', 'k', 'M', 'G', 'T'], 1000);
const flops = (value) => scaled(value, 'FLOP/s', ['', 'k', 'M', 'G', 'T', 'P'], 1000);
const count = (value) => (value < 1e5 ? plain(value) : scaled(value, '', ['', 'k', 'M', 'G', 'T'], 1000));
/** Short, for ticks: 20 k, 1.5 M. */
function tick(value) {
  const [by, unit] = Math.abs(value) >= 1e9 ? [1e9, 'G'] : Math.abs(value) >= 1e6 ? [1e6, 'M'] : Math.abs(value) >= 1e4 ? [1e3, 'k'] : [1, ''];
  return (value / by).toLocaleString('en-US', {maximumFractionDigits: 2}) + (unit ? kThin + unit : '');
}
const percent = (value) => (value === undefined ? '–' : value.toFixed(value >= 99.95 || value === 0 ? 0 : value < 0.995 ? 2 : 1) + kThin + '%');

/** Nanoseconds. */
function duration(value) {
  return scaled(value, 's', ['n', 'µ', 'm', ''], 1000);
}

/** A metric's value with its unit, unless its label says the unit. */
function measured(value, unit, label) {
  if (unit === '%') return percent(value);
  if (unit === 'byte') return bytes(value);
  if (unit === 'ns') return duration(value);
  if (!unit || unit === 'ratio' || (label.includes(unit) && !label.includes(' by '))) return plain(value);
  return plural(value, unit === 'inst' ? 'instruction' : unit);
}

const dimensions = (d) => d.slice(0, d[2] !== 1 ? 3 : d[1] !== 1 ? 2 : 1).map(plain).join(' × ');
const hex = (pc) => pc.toString(16).padStart(4, '0');
const plural = (n, one, many) => plain(n) + ' ' + (n === 1 ? one : many || one + 's');
