// The queue: what runs, what waits and why, on a table and on a time line.

import { h, hue, plain, svg, table } from '../dom.js';
import { cluster } from '../cluster-state.js';
import { count, kindOf, limit, moment, nameOf, NARROW, short, span, TERMINAL } from '../words.js';

const SHOWN = 500;

/** So many jobs are on the time line: those with a plan, and those that run and end first. */
const LANES = 16;
const PLANNED = 8;
/** The queue is well while no more of its jobs wait. */
const MOST_WAITING = 0.3;
const LABEL = 132;
let search = '';
let ended = false;

export function jobLink(job) {
  return h('a', { href: `#/jobs/${job.id}` }, nameOf(job));
}

export function stateChip(job) {
  return h('span', { class: `chip ${kindOf(job.state)}` }, plain(job.state.toLowerCase().replace(/_/g, ' ')));
}

/** The mark of a job that holds GPUs and hardly uses them. */
export function idleChip(job) {
  const low = job.lowGpuUse;
  return low && h('span', { class: 'chip bad', title: plain(low.map((it) => `${it.node}: ${it.percent} % since ${moment(it.since)}`).join(', ')) }, 'low GPU use');
}

function matches(job) {
  if (TERMINAL.has(job.state) !== ended) return false;
  const text = `${job.id} ${nameOf(job)} ${job.name} ${job.user} ${job.account} ${job.partition} ${job.qos} ${job.state} ${job.reason}`.toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

const order = { run: 0, held: 1, wait: 2 };

function sorted(jobs) {
  return ended
    ? jobs.sort((a, b) => b.endedAt - a.endedAt)
    : jobs.sort((a, b) => order[kindOf(a.state)] - order[kindOf(b.state)] || b.priority - a.priority || a.id - b.id);
}

function why(job) {
  if (job.state === 'PENDING') return plain(job.reason === 'None' ? 'new' : job.reason);
  return ended ? (job.exit === '0:0' ? '' : plain(`${job.reason === 'None' ? 'exit' : job.reason} ${job.exit}`)) : plain(job.nodeList);
}

function elapsed(job) {
  if (job.startedAt) return span(((job.endedAt || Date.now()) - job.startedAt) / 1000 - (job.suspendedSeconds || 0));
  return h('span', { class: 'quiet' }, span((Date.now() - job.submittedAt) / 1000));
}

const COLUMNS = [
  ['Job', 'number', jobLink],
  ['Name', 'text', (job) => h('span', { class: 'lines', title: plain(job.name) }, plain(job.name))],
  ['User', 'who', (job) => plain(job.user)],
  ['Partition', 'who wide', (job) => plain(job.partition)],
  ['State', '', (job) => [stateChip(job), idleChip(job)]],
  ['GPUs', 'number', (job) => job.gpus ? `${job.gpus}${job.gpuType ? ' ' + plain(job.gpuType) : ''}` : '–'],
  ['Nodes', 'number wide', (job) => job.nodes],
  ['Time', 'number', elapsed],
  ['Limit', 'number wide', (job) => limit(job.timeLimitSeconds)],
  ['Priority', 'number wide', (job) => job.priority.toLocaleString()],
  ['Nodes or reason', 'text', why],
];

/** Running jobs from their start to their limit, and waiting ones from where they are planned. */
function timeline(jobs) {
  const now = Date.now();
  const all = jobs
    .map((job) => ({ job, from: job.startedAt ?? job.plannedStart }))
    .map(({ job, from }) => ({ job, from, to: from + (job.timeLimitSeconds || 86400) * 1000, planned: !job.startedAt }))
    .filter((lane) => lane.from);
  const running = all.filter((lane) => !lane.planned).sort((a, b) => a.to - b.to);
  const waiting = all.filter((lane) => lane.planned).sort((a, b) => a.from - b.from);
  const plans = waiting.slice(0, Math.max(PLANNED, LANES - running.length));
  const lanes = [...running.slice(0, LANES - Math.min(PLANNED, plans.length)), ...plans];
  if (ended || lanes.length === 0) return null;
  const first = Math.min(now - 60000, ...lanes.map((lane) => lane.from));
  const last = Math.min(Math.max(now + 60000, ...lanes.map((lane) => lane.to)), now + 4 * (now - first) + 3600000);
  // Letters are as large on a phone.
  const width = innerWidth > NARROW ? 1000 : innerWidth - 60;
  const height = lanes.length * 16 + 24;
  const x = (time) => LABEL + Math.max(0, Math.min(1, (time - first) / (last - first))) * (width - LABEL);
  return h('figure', { class: 'timeline' }, svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Jobs over time' },
    lanes.map(({ job, from, to, planned }, lane) => svg('a', { href: `#/jobs/${job.id}` },
      svg('text', { x: 0, y: lane * 16 + 12 }, short(`${nameOf(job)} ${plain(job.name)}`, 20)),
      svg('rect', { class: planned ? 'plan' : 'rest', style: { '--hue': hue(job.id) }, x: x(from), y: lane * 16 + 2, width: Math.max(2, x(to) - x(from)), height: 12, rx: 3 }),
      !planned && svg('rect', { class: 'past', style: { '--hue': hue(job.id) }, x: x(from), y: lane * 16 + 2, width: Math.max(2, x(now) - x(from)), height: 12, rx: 3 }))),
    svg('line', { class: 'now', x1: x(now), x2: x(now), y1: 0, y2: height - 16 }),
    x(now) - LABEL > 90 && svg('text', { class: 'axis', x: LABEL, y: height - 4 }, moment(first)),
    svg('text', { class: 'axis', x: x(now), y: height - 4, 'text-anchor': 'middle' }, 'now'),
    svg('text', { class: 'axis', x: width, y: height - 4, 'text-anchor': 'end' }, moment(last))),
  all.length > lanes.length && h('figcaption', { class: 'quiet' }, `${lanes.length} of ${all.length}: those that end first, and the plans of those that wait.`));
}

/** The mark of a queue in which too many of the jobs that wait or run wait. */
function healthChip() {
  const live = cluster.jobs.filter((job) => !TERMINAL.has(job.state));
  const waiting = live.filter((job) => job.state === 'PENDING').length;
  return waiting > MOST_WAITING * live.length && h('span', { class: 'chip bad', title: `More than ${100 * MOST_WAITING} % of ${count(live.length, 'job')} that wait or run` }, `${Math.round(100 * waiting / live.length)} % wait`);
}

function redraw() {
  dispatchEvent(new Event('berth-redraw'));
}

export function render() {
  const found = sorted(cluster.jobs.filter(matches));
  return h('div', {},
    h('div', { class: 'tools' },
      h('input', { type: 'search', id: 'search', placeholder: 'user, name, partition, reason…  ( / )', 'aria-label': 'Search jobs', value: search, oninput: (event) => {
        search = event.target.value;
        redraw();
      } }),
      h('button', { type: 'button', 'aria-pressed': String(!ended), onclick: () => { ended = false; redraw(); } }, 'active'),
      h('button', { type: 'button', 'aria-pressed': String(ended), onclick: () => { ended = true; redraw(); } }, 'ended'),
      h('span', { class: 'quiet' }, count(found.length, 'job') + (found.length > SHOWN ? `, ${SHOWN} shown` : '')),
      healthChip()),
    timeline(found),
    table(COLUMNS, found.slice(0, SHOWN), ended ? 'No job has ended in the last 24 hours.' : 'Nothing runs and nothing waits. Submit with: berth sbatch SCRIPT'));
}
