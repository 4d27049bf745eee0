// Builds elements. Text is always text: nothing that a job brings along is read as HTML.

const SVG = 'http://www.w3.org/2000/svg';

/** An element with attributes (on… are listeners, false and null are left out) and children. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'style') {
      for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Text for one line of the screen: control and bidi characters show as ␀ … and never act. */
export function plain(text) {
  return String(text ?? '').replace(/[\u0000-\u001f\u007f-\u009f]/g, '␀').replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '⍰');
}

/** A table. Columns are [title, class, row => content]; a row has a link in its first cell. */
export function table(columns, rows, empty) {
  if (rows.length === 0) return h('p', { class: 'quiet' }, empty);
  return h('div', { class: 'scroll' }, h('table', {},
    h('thead', {}, h('tr', {}, columns.map(([title, kind]) => h('th', { class: kind, scope: 'col' }, title)))),
    h('tbody', {}, rows.map((row) => h('tr', {}, columns.map(([, kind, content]) => h('td', { class: kind }, content(row))))))));
}

/** A steady hue for a name or number, far from that of its neighbours. */
export function hue(key) {
  let hash = 2166136261;
  for (const letter of String(key)) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return Math.floor(((hash >>> 0) * 0.618033988749895) % 1 * 360);
}
