// One job: its state, why it waits, what it has, and what may be done with it.

import { act, get, me } from '../api.js';
import { h, plain, table } from '../dom.js';
import { cluster, refreshSoon } from '../cluster-state.js';
import { limit, memory, moment, nameOf, span, TERMINAL } from '../words.js';
import { curves } from './curves.js';
import { log } from './log.js';
import { idleChip, stateChip } from './queue.js';
import { run } from './run.js';
import { why } from './why.js';

const read = { id: null, job: null, why: null, gpus: [], problem: null };

async function load(id) {
  const name = nameOf(cluster.job.get(id) ?? { id });
  try {
    const [job, told, telemetry] = await Promise.all([get(`/v1/jobs/${name}`), get(`/v1/jobs/${name}/why`), get(`/v1/jobs/${name}/telemetry`)]);
    Object.assign(read, { id, job, why: told, gpus: telemetry.gpus, problem: null });
  } catch (problem) {
    Object.assign(read, { id, job: null, why: null, problem });
  }
  dispatchEvent(new Event('berth-redraw'));
}

function facts(pairs) {
  return h('dl', {}, pairs.filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

function actions(job) {
  const { user, operator, changes, coordinates } = me();
  const mine = user === job.user || operator || coordinates.includes(job.account);
  if (TERMINAL.has(job.state) || !mine || !changes) return null;
  const button = (label, kind, ask, method, action) => h('button', { type: 'button', class: kind, onclick: async (event) => {
    if (ask && !confirm(ask)) return;
    event.target.disabled = true;
    try {
      await act(method, `/v1/jobs/${nameOf(job)}${action}`);
      refreshSoon();
    } catch (problem) {
      dispatchEvent(new CustomEvent('berth-toast', { detail: problem.message }));
    }
    load(job.id);
  } }, label);
  return h('span', { class: 'actions' },
    job.state === 'PENDING' && (job.hold !== 'ADMIN' || operator) && (job.hold ? button('Release', '', null, 'POST', '/release') : button('Hold', '', null, 'POST', '/hold')),
    button('Cancel job', 'danger', `Cancel job ${nameOf(job)} ${plain(job.name)} of ${plain(job.user)}?`, 'DELETE', ''));
}

const WHERE = [
  ['Node', '', (it) => h('a', { href: `#/nodes/${encodeURIComponent(it.node)}` }, plain(it.node))],
  ['Tasks', 'number', (it) => it.tasks],
  ['CPUs', '', (it) => plain(it.cpus)],
  ['Memory', 'number', (it) => memory(it.memoryMib)],
  ['GPUs', '', (it) => plain(it.gpuIndices || '–')],
  ['UUIDs', 'wide', (it) => h('span', { class: 'code' }, it.gpus.map(plain).join('\n'))],
];

/** The page; its log stays the same element while all else is drawn anew. */
const page = h('div', {}, h('div'));

function whole(job) {
  const below = log(job);
  page.firstChild.replaceWith(facets(job));
  if (page.children[1] !== (below ?? undefined)) page.replaceChildren(...[page.firstChild, below].filter(Boolean));
  return page;
}

function facets(job) {
  const took = job.startedAt ? span(((job.endedAt || Date.now()) - job.startedAt) / 1000 - (job.suspendedSeconds || 0)) : null;
  return h('div', {},
    h('div', { class: 'title' }, h('h1', {}, `${nameOf(job)} ${plain(job.name)}`), stateChip(job), idleChip(job), job.simulated && h('span', { class: 'chip off' }, 'simulated GPUs'), actions(job)),
    job.message && h('p', { class: 'say bad' }, plain(job.message)),
    h('div', { class: 'columns' },
      h('section', { class: 'panel' }, h('h2', {}, 'What it asks for'), facts([
        ['User', plain(`${job.user} (${job.account})`)],
        ['Partition, QOS', plain(`${job.partition}, ${job.qos}`)],
        ['Nodes, tasks', `${job.nodes}, ${job.tasks}`],
        ['CPUs', String(job.cpus)],
        ['Memory', job.memoryMib ? memory(job.memoryMib) : null],
        ['GPUs', job.gpus ? plain(`${job.gpus} ${job.gpuType ?? ''}`) : null],
        ['Time limit', limit(job.timeLimitSeconds)],
        ['Submitted', moment(job.submittedAt)],
        ['Started', job.startedAt ? moment(job.startedAt) : null],
        ['Ended', job.endedAt ? moment(job.endedAt) : null],
        ['Run time', took],
        ['Restarts', job.restarts || null],
        ['Exit', job.endedAt ? job.exit : null],
        ['Cancelled by', job.cancelledBy && plain(job.cancelledBy)],
        ['Comment', job.comment && plain(job.comment)],
        ['Directory', job.workingDirectory && h('span', { class: 'code' }, plain(job.workingDirectory))],
        ['Output', job.standardOutput && h('span', { class: 'code' }, plain(job.standardOutput))],
      ])),
      read.why && why(read.why)),
    run(job),
    curves(read.gpus),
    job.allocations.length > 0 && h('section', { class: 'panel' }, h('h2', {}, 'Where'), table(WHERE, job.allocations, '')));
}

export function render(id) {
  if (read.id !== id) {
    Object.assign(read, { id, job: null, why: null, gpus: [], problem: null });
    load(id);
  }
  if (read.problem) return h('p', { class: 'say bad' }, plain(read.problem.message));
  return read.job ? whole(read.job) : h('p', { class: 'quiet' }, 'Loading…');
}

/** Reads again what is shown. */
export function refresh() {
  if (read.id !== null && location.hash === `#/jobs/${read.id}`) load(read.id);
}
