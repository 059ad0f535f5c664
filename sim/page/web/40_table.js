// SPDX-License-Identifier: Apache-2.0
// A table that sorts by any column, filters by text, and draws only the rows that are in sight.
'use strict';

const kRow = 26;  // pixels, as in style.css

/**
 * columns: [{name, title, value(row), text(row), tip(row), bar(row): 0..100, strip(row): [[0..100, colour]], left: bool, width: css}]
 * options: {height: rows, filter: label (none: no filter), sort: column number, select(row), selected(row), note}
 */
function table(rows, columns, options) {
  let sort = options.sort ?? -1, down = options.down ?? true, needle = '', shown = rows;
  const body = h('div', {class: 'rows', role: 'rowgroup'});
  const template = columns.map((c) => c.width || 'minmax(5.5em, auto)').join(' ');
  const head = h('div', {class: 'row head', role: 'row', style: `grid-template-columns:${template}`}, columns.map((c, i) =>
    h('button', {class: c.left ? 'left' : '', role: 'columnheader', title: c.title, 'data-column': c.name, onclick: () => {
      down = sort === i ? !down : !c.left;
      sort = i;
      update();
    }}, c.name, h('span', {class: 'arrow', 'aria-hidden': 'true'}))));
  const status = h('span', {class: 'soft', 'aria-live': 'polite'});
  const input = h('input', {type: 'search', placeholder: options.filter, 'aria-label': options.filter, hidden: !options.filter,
    oninput: () => {
      needle = input.value.toLowerCase();
      update();
    }});
  const space = h('div', {class: 'space'});
  const view = h('div', {class: 'view', tabindex: 0, style: `max-height:${(options.height || 20) * kRow + 32}px`,
    onscroll: () => place()}, head, h('div', {class: 'holder'}, space, body));

  const compare = (a, b) => {
    const x = columns[sort].value(a), y = columns[sort].value(b);
    const order = typeof x === 'string' ? x.localeCompare(y) : (x ?? -Infinity) - (y ?? -Infinity);
    return down ? -order : order;
  };
  function cell(column, row) {
    const content = column.text ? column.text(row) : plain(column.value(row));
    const bar = column.bar ? column.bar(row) : undefined;
    return h('span', {class: (column.left ? 'left' : '') + (column.code ? ' code' : ''), role: 'cell',
      title: column.tip ? column.tip(row) : column.left ? content : undefined},
    bar === undefined ? null : h('i', {class: 'fill', style: `width:${Math.max(0, bar).toFixed(2)}%`}),
    column.strip ? h('i', {class: 'strip'}, column.strip(row).map(([width, paint]) => h('i', {style: `width:${width.toFixed(2)}%;background:${paint}`}))) : null,
    h('b', null, content));
  }
  function place() {
    const first = Math.max(0, Math.floor(view.scrollTop / kRow) - 8);
    const last = Math.min(shown.length, first + (options.height || 20) + 24);
    body.style.transform = `translateY(${first * kRow}px)`;
    body.replaceChildren(...shown.slice(first, last).map((row) => h('div', {
      class: 'row' + (options.selected && options.selected(row) ? ' selected' : '') + (options.select ? ' link' : ''),
      role: 'row', style: `grid-template-columns:${template}`,
      onclick: options.select ? () => options.select(row) : undefined,
    }, columns.map((column) => cell(column, row)))));
  }
  function update() {
    const text = (row) => columns.filter((c) => c.left).map((c) => String(c.value(row))).join(' ').toLowerCase();
    shown = needle ? rows.filter((row) => text(row).includes(needle)) : rows.slice();
    if (sort >= 0) shown.sort(compare);
    [...head.children].forEach((button, i) => {
      button.setAttribute('aria-sort', i !== sort ? 'none' : down ? 'descending' : 'ascending');
      button.lastChild.textContent = i !== sort ? '' : down ? '▾' : '▴';
    });
    space.style.height = shown.length * kRow + 'px';
    status.textContent = needle ? `${plain(shown.length)} of ${plain(rows.length)}` : plural(rows.length, 'row');
    view.scrollTop = 0;
    place();
  }
  update();
  const root = h('div', {class: 'table', role: 'table'}, h('div', {class: 'tools'}, input, status), view);
  root.refresh = place;
  return root;
}
