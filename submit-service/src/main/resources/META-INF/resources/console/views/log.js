// What a job writes, as it writes it: the last part of it, as text that steers nothing.

import { me, open, seen } from '../api.js';
import { cluster } from '../cluster-state.js';
import { h, plain } from '../dom.js';
import { nameOf, TERMINAL } from '../words.js';

/** So many bytes are read of what was written before, and so many letters are kept on the page. */
const BEFORE = 65536;
const MOST = 262144;
const AGAIN = 2000;
/** So often what an ended job wrote is asked for: its node may be away for good. */
const TRIES = 3;

const text = h('pre', { class: 'log', tabindex: '0', 'aria-label': 'What the job wrote', onscroll: () => {
  atEnd = text.scrollHeight - text.scrollTop - text.clientHeight < 24;
} });
const note = h('span', { class: 'quiet' });
const choice = h('span', { class: 'actions' }, ['out', 'err'].map((name) =>
  h('button', { type: 'button', 'data-stream': name, onclick: () => begin(shown.job, name) }, name === 'out' ? 'output' : 'error')));
const panel = h('section', { class: 'panel', id: 'log' }, h('div', { class: 'title' }, h('h2', {}, 'What it writes'), note, choice), text);

let shown = { job: null, key: '', stream: 'out', gone: null };
let atEnd = true;
let letters = 0;

/**
 * Text of a job without what steers a terminal or a page: colours are left out, a carriage return is a new line, other control
 * characters are their pictures. Returns the text and what may go on in the next part.
 */
export function harmless(raw) {
  const [open = ''] = /(?:\r|\u001b(?:\[[\d;]{0,30})?)$/.exec(raw) ?? [];
  const whole = raw.slice(0, raw.length - open.length)
    .replace(/\u001b\[[\d;]{0,30}m/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (letter) => String.fromCharCode(0x2400 + letter.charCodeAt(0)))
    .replace(/[\u007f-\u009f]/g, '␡')
    .replace(/[\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '⍰');
  return [whole, open];
}

function clear() {
  text.replaceChildren();
  letters = 0;
}

function add(part) {
  if (part === '') return;
  text.append(document.createTextNode(part));
  letters += part.length;
  while (letters > MOST && text.childNodes.length > 1) {
    letters -= text.firstChild.length;
    text.firstChild.remove();
  }
  if (atEnd) text.scrollTop = text.scrollHeight;
}

function over(id) {
  const now = cluster.job.get(id);
  return !now || TERMINAL.has(now.state);
}

/** Reads until the job has ended; goes on where it was when it is cut off, and rests while nobody looks. */
async function follow(job, stream, gone) {
  let at = -BEFORE;
  let rest = '';
  let decoder = new TextDecoder();
  let tries = 0;
  while (!gone.signal.aborted) {
    await seen();
    const ended = over(job.id);
    const hidden = new AbortController();
    const hide = () => document.hidden && hidden.abort();
    document.addEventListener('visibilitychange', hide);
    try {
      const answer = await open(`/v1/jobs/${nameOf(job)}/output?stream=${stream}&offset=${at}&follow=true`,
        { signal: AbortSignal.any([gone.signal, hidden.signal]) });
      const from = Number(answer.headers.get('Berth-Output-Offset'));
      if (at < 0 || from !== at) {
        clear();
        decoder = new TextDecoder();
        rest = '';
        note.textContent = from > 0 ? `the last part; all of it: berth logs ${nameOf(job)}` : '';
      }
      at = from;
      const reader = answer.body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        at += part.value.length;
        tries = 0;
        const [whole, open] = harmless(rest + decoder.decode(part.value, { stream: true }));
        rest = open;
        add(whole);
      }
      if (ended) return;
    } catch (problem) {
      if (gone.signal.aborted) return;
      if (problem.status !== undefined) note.textContent = plain(problem.message);
      if (problem.status === 403 || (ended && (problem.status === 404 || ++tries === TRIES))) return;
    } finally {
      document.removeEventListener('visibilitychange', hide);
    }
    await new Promise((resume) => setTimeout(resume, hidden.signal.aborted ? 0 : AGAIN));
  }
}

function begin(job, stream) {
  shown.gone?.abort();
  const gone = new AbortController();
  shown = { job, key: `${job.id} ${job.restarts}`, stream, gone };
  clear();
  atEnd = true;
  note.textContent = '';
  for (const button of choice.children) button.setAttribute('aria-pressed', String(button.dataset.stream === stream));
  choice.hidden = !job.standardError || job.standardError === job.standardOutput;
  follow(job, stream, gone);
}

/** The log of a job that has begun, for those who may read it. */
export function log(job) {
  const { user, operator } = me();
  if (job.allocations.length === 0 || (user !== job.user && !operator)) return null;
  if (shown.key !== `${job.id} ${job.restarts}`) begin(job, 'out');
  return panel;
}

addEventListener('hashchange', () => {
  if (shown.job && location.hash !== `#/jobs/${shown.job.id}`) {
    shown.gone.abort();
    shown = { job: null, key: '', stream: 'out', gone: null };
  }
});
