// The map: racks, their nodes, and every GPU of them as a cell.

import { h, hue, plain } from '../dom.js';
import { cluster } from '../cluster-state.js';
import { count, memory, nameOf, short, span } from '../words.js';
import { gpuHealth, HEALTHS, NO_GPUS, nodeState, rackOf, shortName, spread } from './racks.js';
import * as arrows from './arrows.js';

const COLOURS = [['job', 'by job'], ['user', 'by user'], ['health', 'by health']];
/** So many jobs or users are named in the legend. */
const NAMED = 12;
/** So few nodes are drawn larger. */
const FEW = 16;

let colouring = 'job';
/** What alone is shown in full; null is everything. */
let only = null;

/** What a cell stands for, in the way of colouring that is chosen: its key, its class and its colour. */
function meaning(node, gpu) {
  const health = gpuHealth(node, gpu);
  if (colouring === 'health') return { key: health, kind: `gpu ${health}` };
  if (HEALTHS[health].lost) return { key: 'lost', kind: 'gpu down' };
  if (!gpu.job && !gpu.held) return { key: 'free', kind: 'gpu free' };
  const name = colouring === 'user' ? cluster.job.get(gpu.job)?.user ?? '?' : gpu.job ?? '?';
  return { key: `${colouring} ${name}`, kind: 'gpu', name, style: { '--hue': hue(name), '--tone': `${(hue(`${name} tone`) % 3 - 1) * 12}%` } };
}

function says(node, gpu) {
  const lines = [`${plain(node.name)} · ${nodeState(node)}${node.reason ? `: ${plain(node.reason)}` : ''}`];
  if (!gpu) return [...lines, `CPUs ${node.cpusAllocated} of ${node.cpus} · memory ${memory(node.memoryAllocatedMib)} of ${memory(node.memoryMib)}`].join('\n');
  lines.push([`GPU ${gpu.index}`, gpu.type && plain(gpu.type), gpu.memoryMib && memory(gpu.memoryMib), node.simulated && 'simulated'].filter(Boolean).join(' · '));
  if (gpu.reason) return [...lines, `${gpu.health.toLowerCase()}: ${plain(gpu.reason)}`].join('\n');
  if (gpu.health) lines.push(gpu.health.toLowerCase());
  const job = cluster.job.get(gpu.job);
  if (!job) return [...lines, gpu.job ? `job ${gpu.job}` : gpu.held ? 'in use' : 'free'].join('\n');
  lines.push(`job ${nameOf(job)} ${plain(job.name)} · ${plain(job.user)} (${plain(job.account)})`);
  if (job.startedAt) lines.push(`${span((Date.now() - job.startedAt) / 1000 - (job.suspendedSeconds || 0))} of ${job.timeLimitSeconds ? span(job.timeLimitSeconds) : 'no limit'}`);
  return lines.join('\n');
}

/** An element whose tip is told when somebody looks at it. */
function tipped(element, tip) {
  element.tip = tip;
  element.dataset.tip = '';
  return element;
}

function cell(node, gpu) {
  const { key, kind, style = {} } = meaning(node, gpu);
  const attributes = { class: kind, style, 'data-key': key, tabindex: -1 };
  const label = `${node.name} GPU ${gpu.index}`;
  return tipped(gpu.job
    ? h('a', { ...attributes, href: `#/jobs/${gpu.job}`, 'aria-label': `${label}: job ${gpu.job}` })
    : h('a', { ...attributes, href: `#/nodes/${encodeURIComponent(node.name)}`, 'aria-label': `${label}: ${gpu.held ? 'in use' : gpuHealth(node, gpu) === 'healthy' ? 'free' : gpuHealth(node, gpu)}` }), () => says(node, gpu));
}

function row(node) {
  const used = node.cpus ? node.cpusAllocated / node.cpus : 0;
  return tipped(h('article', { class: `node ${nodeState(node).replace(/ /g, '_')}` },
    h('a', { class: 'name', tabindex: -1, href: `#/nodes/${encodeURIComponent(node.name)}` }, plain(shortName(node))),
    h('div', { class: 'gpus' }, spread(node).map((gpu) => cell(node, gpu))),
    h('div', { class: 'bar', title: 'CPUs in use' }, h('i', { style: { width: `${Math.round(used * 100)}%` } }))), () => says(node));
}

/** What a node's row shows, as one text: a row is drawn anew only when that changes. */
function shows(node) {
  return [colouring, node.state, node.reason, node.cpusAllocated, node.memoryAllocatedMib,
    ...spread(node).map((gpu) => `${gpu.health ?? ''}${gpu.job ? `${gpu.job}${cluster.job.get(gpu.job)?.user}` : gpu.held ? '?' : ''}`)].join('|');
}

function racks() {
  const all = new Map();
  for (const node of cluster.nodes) {
    const title = rackOf(node);
    if (!all.has(title)) all.set(title, []);
    all.get(title).push(node);
  }
  return [...all].sort(([a], [b]) => (a === NO_GPUS) - (b === NO_GPUS) || a.localeCompare(b, undefined, { numeric: true }));
}

/** A rack that stays: only the rows that show something else are drawn anew. */
function rack(title) {
  const head = h('small');
  const grid = h('div', { class: 'nodes' });
  const rows = new Map();
  const element = h('section', { class: 'rack' }, h('h2', {}, plain(title)), head, grid);
  return { element, update(nodes) {
    const gpus = nodes.flatMap((node) => node.gpus);
    const held = gpus.filter((gpu) => gpu.job || gpu.held).length;
    const types = [...new Set(gpus.map((gpu) => gpu.type))].map(plain).join(', ');
    head.textContent = [count(nodes.length, 'node'), gpus.length && `${held.toLocaleString()} of ${count(gpus.length, 'GPU')} in use`, !title.startsWith(types) && types].filter(Boolean).join(' · ');
    grid.style.setProperty('--name', `${Math.min(18, Math.max(...nodes.map((node) => shortName(node).length)))}ch`);
    grid.style.setProperty('--gpus', Math.min(8, Math.max(4, ...nodes.map((node) => spread(node).length))));
    const same = nodes.length === rows.size && nodes.every((node) => rows.has(node.name));
    if (!same) rows.clear();
    for (const node of nodes) {
      const text = shows(node);
      const last = rows.get(node.name);
      if (last?.text === text) continue;
      const drawn = { text, element: row(node) };
      if (last) arrows.replace(last.element, drawn.element);
      rows.set(node.name, drawn);
    }
    if (!same) grid.replaceChildren(...[...rows.values()].map((it) => it.element));
  } };
}

/** What the colours mean, the most frequent first; a press shows that alone. */
function legend() {
  const found = new Map();
  for (const node of cluster.nodes) {
    for (const gpu of spread(node)) {
      const { key, ...look } = meaning(node, gpu);
      const entry = found.get(key) ?? { key, ...look, gpus: 0 };
      entry.gpus++;
      found.set(key, entry);
    }
  }
  if (only && !found.has(only)) show(null);
  const holders = [...found.values()].filter((it) => it.name !== undefined).sort((a, b) => b.gpus - a.gpus || String(a.name).localeCompare(String(b.name), undefined, { numeric: true }));
  const others = colouring === 'health'
    ? Object.keys(HEALTHS).filter((it) => found.has(it)).map((it) => ({ ...found.get(it), text: HEALTHS[it].text }))
    : [['free', 'free'], ['lost', 'out of service']].filter(([key]) => found.has(key)).map(([key, text]) => ({ ...found.get(key), text }));
  const more = holders.slice(NAMED);
  return [...holders.slice(0, NAMED).map((it) => ({ ...it, text: colouring === 'job' ? jobText(it.name) : it.name === '?' ? 'of others' : plain(it.name) })), ...others].map((it) =>
    h('button', { type: 'button', 'aria-pressed': String(it.key === only), 'data-only': it.key }, h('i', { class: it.kind, style: it.style ?? {} }), it.text, h('small', {}, it.gpus.toLocaleString())))
    .concat(more.length ? [h('small', {}, `and ${count(more.length, `${colouring} more`, `${colouring}s more`)}`)] : []);
}

function jobText(id) {
  if (id === '?') return 'of others';
  const job = cluster.job.get(id);
  return job ? `${nameOf(job)} ${short(plain(job.name), 14)}` : String(id);
}

const dimmed = new CSSStyleSheet();
document.adoptedStyleSheets.push(dimmed);

function show(key) {
  only = key;
  dimmed.replaceSync(key === null ? '' : `.racks .gpu:not([data-key="${CSS.escape(key)}"]) { opacity: .16; }`);
}

function colour(name) {
  colouring = name;
  show(null);
  dispatchEvent(new Event('berth-redraw'));
}

const drawn = new Map();
const choices = h('div', { class: 'tools' }, COLOURS.map(([name, label]) => h('button', { type: 'button', 'data-colour': name, title: `${label} (c)`, onclick: () => colour(name) }, label)));
const key = h('div', { class: 'legend', role: 'group', 'aria-label': 'What the colours mean' });
const map = arrows.among(h('div', { class: 'racks', role: 'group', 'aria-label': 'GPUs by rack and node; arrows move' }));
const page = h('div', {}, h('div', { class: 'map-head' }, choices, key), map);

const named = ({ target }) => (key.contains(target) && target.closest('[data-only]')?.dataset.only) || null;

function press(name) {
  show(name === only ? null : name);
  dispatchEvent(new Event('berth-redraw'));
}

// The buttons are drawn anew all the time: no click comes of one that was so between down and up.
let pressed = null;
key.addEventListener('pointerdown', (event) => { pressed = event.button === 0 ? named(event) : null; });
document.addEventListener('pointercancel', () => { pressed = null; });
document.addEventListener('pointerup', (event) => {
  if (pressed !== null && named(event) === pressed) press(pressed);
  pressed = null;
});
// Those of the keyboard, whose detail is 0.
key.addEventListener('click', (event) => { if (event.detail === 0 && named(event) !== null) press(named(event)); });

/** The next way of colouring. */
export function turn() {
  colour(COLOURS[(COLOURS.findIndex(([name]) => name === colouring) + 1) % COLOURS.length][0]);
}

export function render() {
  if (cluster.nodes.length === 0) return h('p', { class: 'quiet' }, 'No node has registered yet. A node appears when its agent starts.');
  for (const button of choices.children) button.setAttribute('aria-pressed', String(button.dataset.colour === colouring));
  const focused = key.contains(document.activeElement) ? document.activeElement.dataset.only : null;
  key.replaceChildren(...legend());
  if (focused) [...key.children].find((it) => it.dataset.only === focused)?.focus();
  const shown = racks().map(([title, nodes]) => {
    if (!drawn.has(title)) drawn.set(title, rack(title));
    drawn.get(title).update(nodes);
    return drawn.get(title).element;
  });
  map.classList.toggle('few', cluster.nodes.length <= FEW);
  if (shown.length !== map.children.length || shown.some((element, place) => map.children[place] !== element)) map.replaceChildren(...shown);
  return page;
}
