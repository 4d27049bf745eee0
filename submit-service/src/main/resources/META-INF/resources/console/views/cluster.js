// The map: every GPU of the cluster as a cell.

import { h, hue, plain } from '../dom.js';
import { cluster } from '../cluster-state.js';
import { count, memory, span } from '../words.js';

const COLOURS = [['job', 'by job'], ['user', 'by user'], ['state', 'by use']];
let colouring = 'job';

function colour(gpu, node) {
  if (node.state === 'DOWN' || node.state === 'NOT_RESPONDING') return ['gpu lost', {}];
  if (!gpu.job && !gpu.held) return ['gpu free', {}];
  if (colouring === 'state') return ['gpu held', {}];
  const job = cluster.job.get(gpu.job);
  return ['gpu', { '--hue': hue(colouring === 'user' ? (job?.user ?? '?') : gpu.job ?? '?') }];
}

function says(node, gpu) {
  const lines = [`${plain(node.name)} · ${plain(node.state.toLowerCase())}`];
  if (gpu) {
    lines.push(`GPU ${gpu.index} · ${plain(gpu.type)} · ${memory(gpu.memoryMib)}${node.simulated ? ' · simulated' : ''}`);
    const job = cluster.job.get(gpu.job);
    if (job) {
      lines.push(`job ${job.id} ${plain(job.name)} · ${plain(job.user)} (${plain(job.account)})`);
      if (job.startedAt) lines.push(`${span((Date.now() - job.startedAt) / 1000 - (job.suspendedSeconds || 0))} of ${job.timeLimitSeconds ? span(job.timeLimitSeconds) : 'no limit'}`);
    } else {
      lines.push(gpu.job ? `job ${gpu.job}` : gpu.held ? 'in use' : 'free');
    }
  } else {
    lines.push(`CPUs ${node.cpusAllocated} of ${node.cpus} · memory ${memory(node.memoryAllocatedMib)} of ${memory(node.memoryMib)}`);
  }
  return lines.join('\n');
}

function card(node) {
  const used = node.cpus ? node.cpusAllocated / node.cpus : 0;
  return h('article', { class: `node ${node.state.toLowerCase()}`, 'data-tip': says(node) },
    h('a', { class: 'name', href: `#/nodes/${encodeURIComponent(node.name)}` }, plain(node.name)),
    h('div', { class: 'gpus' }, node.gpus.map((gpu) => {
      const [kind, style] = colour(gpu, node);
      const cell = { class: kind, style, 'data-tip': says(node, gpu) };
      return gpu.job ? h('a', { ...cell, href: `#/jobs/${gpu.job}`, 'aria-label': `GPU ${gpu.index}: job ${gpu.job}` }) : h('i', cell);
    })),
    h('div', { class: 'bar', title: 'CPUs in use' }, h('i', { style: { width: `${Math.round(used * 100)}%` } })));
}

/** What a node's card shows, as one text: a card is drawn anew only when that changes. */
function shows(node) {
  return [colouring, node.state, node.cpusAllocated, node.memoryAllocatedMib,
    ...node.gpus.map((gpu) => gpu.job ? `${gpu.job}${cluster.job.get(gpu.job)?.user}` : gpu.held ? '?' : '')].join('|');
}

function groups() {
  const all = new Map();
  for (const node of cluster.nodes) {
    const type = node.gpus[0]?.type;
    const title = type ? `${type}${node.simulated ? ' (simulated)' : ''}` : 'CPU only';
    if (!all.has(title)) all.set(title, []);
    all.get(title).push(node);
  }
  return [...all].sort(([a], [b]) => a.localeCompare(b));
}

/** A part of the map that stays: only the cards that show something else are drawn anew. */
function section(title) {
  const head = h('small');
  const grid = h('div', { class: 'nodes' });
  const cards = new Map();
  const element = h('section', { class: 'rack' }, h('h2', {}, plain(title), head), grid);
  return { element, update(nodes) {
    const gpus = nodes.flatMap((node) => node.gpus);
    const held = gpus.filter((gpu) => gpu.job || gpu.held).length;
    head.textContent = ` ${count(nodes.length, 'node')}${gpus.length ? `, ${held} of ${count(gpus.length, 'GPU')} in use` : ''}`;
    const same = nodes.length === cards.size && nodes.every((node) => cards.has(node.name));
    if (!same) cards.clear();
    for (const node of nodes) {
      const text = shows(node);
      const last = cards.get(node.name);
      if (last?.text === text) continue;
      const drawn = { text, element: card(node) };
      last?.element.replaceWith(drawn.element);
      cards.set(node.name, drawn);
    }
    if (!same) grid.replaceChildren(...[...cards.values()].map((it) => it.element));
  } };
}

const sections = new Map();
const tools = h('div', { class: 'tools' }, COLOURS.map(([name, label]) => h('button', { type: 'button', 'data-colour': name, onclick: () => {
  colouring = name;
  dispatchEvent(new Event('berth-redraw'));
} }, label)));
const map = h('div');
const page = h('div', {}, tools, map);

export function render() {
  if (cluster.nodes.length === 0) return h('p', { class: 'quiet' }, 'No node has registered yet. A node appears when its agent starts.');
  for (const button of tools.children) button.setAttribute('aria-pressed', String(button.dataset.colour === colouring));
  const shown = groups().map(([title, nodes]) => {
    if (!sections.has(title)) sections.set(title, section(title));
    sections.get(title).update(nodes);
    return sections.get(title).element;
  });
  if (shown.length !== map.children.length || shown.some((element, place) => map.children[place] !== element)) map.replaceChildren(...shown);
  return page;
}
