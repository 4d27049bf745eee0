// The nodes as a table, or one of them.

import { act, me } from '../api.js';
import { h, plain, table } from '../dom.js';
import { cluster, refreshSoon } from '../cluster-state.js';
import { memory, moment } from '../words.js';
import { spread } from './racks.js';

function chip(node) {
  const kind = { IDLE: 'done', MIXED: 'run', ALLOCATED: 'run' }[node.state] ?? 'bad';
  return h('span', { class: `chip ${kind}` }, plain(node.state.toLowerCase().replace(/_/g, ' ')));
}

const COLUMNS = [
  ['Node', 'nowrap', (node) => h('a', { href: `#/nodes/${encodeURIComponent(node.name)}` }, plain(node.name))],
  ['State', '', chip],
  ['GPUs', 'number', (node) => node.gpus.length ? `${node.gpusAllocated} of ${node.gpus.length}` : '–'],
  ['Type', '', (node) => plain(node.gpus[0]?.type ?? '') + (node.simulated ? ' (simulated)' : '')],
  ['CPUs', 'number wide', (node) => `${node.cpusAllocated} of ${node.cpus}`],
  ['Memory', 'number wide', (node) => `${memory(node.memoryAllocatedMib)} of ${memory(node.memoryMib)}`],
  ['Load', 'number wide', (node) => node.loadPercent === undefined ? '–' : (node.loadPercent / 100).toFixed(2)],
  ['Partitions', 'wide', (node) => plain(node.partitions.join(', '))],
  ['Isolation', 'wide', (node) => plain(node.isolation.join(', ').toLowerCase()) || 'none'],
  ['Heard', 'wide nowrap', (node) => moment(node.heardAt)],
  ['Reason', 'text', (node) => plain(node.reason ?? '')],
];

/** Those of the list: isolation takes much room, and is the same on most. */
const LISTED = COLUMNS.filter(([title]) => title !== 'Isolation');

const GPUS = [
  ['GPU', 'number', (gpu) => gpu.index],
  ['Name', '', (gpu) => plain(gpu.name ?? '')],
  ['Memory', 'number', (gpu) => gpu.memoryMib ? memory(gpu.memoryMib) : '–'],
  ['Health', '', (gpu) => gpu.health ? h('span', { class: `chip ${gpu.reason ? 'bad' : 'held'}` }, gpu.health.toLowerCase()) : 'healthy'],
  ['Job', '', (gpu) => gpu.reason ? plain(gpu.reason) : gpu.job ? h('a', { href: `#/jobs/${gpu.job}` }, String(gpu.job)) : gpu.held ? 'in use' : 'free'],
  ['User', '', (gpu) => plain(cluster.job.get(gpu.job)?.user ?? '')],
  ['UUID', 'wide', (gpu) => h('span', { class: 'code' }, plain(gpu.uuid ?? ''))],
];

const DRAINED = new Set(['DRAINING', 'DRAINED', 'DRAIN', 'DOWN']);

async function change(node, body) {
  try {
    await act('POST', `/v1/nodes/${encodeURIComponent(node.name)}`, body);
    refreshSoon();
  } catch (problem) {
    dispatchEvent(new CustomEvent('berth-toast', { detail: problem.message }));
  }
}

/** For admins: no new work here, or work again. */
function actions(node) {
  if (!me().admin) return null;
  const drained = DRAINED.has(node.state) || node.reason;
  return h('span', { class: 'actions' }, drained
    ? h('button', { type: 'button', onclick: () => change(node, { state: 'resume' }) }, 'Resume')
    : h('button', { type: 'button', class: 'danger', onclick: () => {
      const reason = prompt(`Why is ${plain(node.name)} to get no new jobs?`);
      if (reason) change(node, { state: 'drain', reason });
    } }, 'Drain'));
}

export function render(name) {
  if (!name) return table(LISTED, cluster.nodes, 'No node has registered yet.');
  const node = cluster.nodes.find((it) => it.name === name);
  if (!node) return h('p', { class: 'say bad' }, `There is no node ${plain(name)}.`);
  return h('div', {},
    h('div', { class: 'title' }, h('h1', {}, plain(node.name)), chip(node), node.simulated && h('span', { class: 'chip off' }, 'simulated GPUs'), actions(node)),
    table(COLUMNS.slice(2), [node], ''),
    h('h2', {}, 'GPUs'), table(GPUS, spread(node), 'This node has no GPU.'));
}
