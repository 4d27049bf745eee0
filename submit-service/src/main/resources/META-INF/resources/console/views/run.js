// The run of a job on a line: how long it waited, when it ran, how long it may.

import { h, plain, svg } from '../dom.js';
import { moment, span } from '../words.js';

const WIDTH = 1000;
const HEIGHT = 46;

/** What to draw: pieces of time with their words; null for a job that neither ran nor is planned to. */
export function pieces(job, now) {
  const begin = job.startedAt || job.plannedStart;
  if (!begin) return null;
  const limit = job.timeLimitSeconds ? begin + job.timeLimitSeconds * 1000 : null;
  const end = job.endedAt || (job.startedAt ? now : begin);
  const all = [{ kind: 'wait', from: job.submittedAt, to: begin, words: `${job.startedAt ? 'waited' : 'waits'} ${span((begin - job.submittedAt) / 1000)}` }];
  if (job.startedAt) all.push({ kind: 'ran', from: begin, to: end, words: `${job.endedAt ? 'ran' : 'runs'} ${span((end - begin) / 1000)}` });
  if (limit && limit > end && !job.endedAt) all.push({ kind: job.startedAt ? 'rest' : 'plan', from: end, to: limit, words: `at most until ${moment(limit)}` });
  return all.filter((piece) => piece.to > piece.from);
}

export function run(job) {
  const now = Date.now();
  const all = pieces(job, now);
  if (!all || all.length === 0) return null;
  const first = all[0].from;
  const last = Math.max(all.at(-1).to, job.endedAt ? 0 : now);
  const x = (at) => (at - first) / Math.max(1, last - first) * WIDTH;
  return h('section', { class: 'panel', id: 'run' }, h('h2', {}, 'Its run'),
    h('figure', { class: 'run' }, svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': all.map((it) => it.words).join(', ') },
      all.map((it) => svg('rect', { class: it.kind, x: x(it.from), y: 6, width: Math.max(2, x(it.to) - x(it.from)), height: 26, 'data-tip': plain(`${it.words}\n${moment(it.from)} – ${moment(it.to)}`) })),
      !job.endedAt && svg('line', { class: 'now', x1: x(now), x2: x(now), y1: 0, y2: 38 }))),
    h('div', { class: 'legend' }, all.map((it) => h('span', {}, h('i', { class: it.kind }), it.words)), h('span', { class: 'quiet' }, `${moment(first)} – ${moment(last)}`)));
}
