// The console: which view shows, the keys, the theme.

import { hasToken, me, useToken } from './api.js';
import { cluster, onChange, start } from './cluster-state.js';
import { h, plain } from './dom.js';
import { count } from './words.js';
import * as clusterView from './views/cluster.js';
import * as job from './views/job.js';
import * as nodes from './views/nodes.js';
import * as queue from './views/queue.js';
import * as shares from './views/shares.js';
import * as usage from './views/usage.js';

const TABS = [['cluster', 'Cluster', clusterView], ['jobs', 'Queue', queue], ['nodes', 'Nodes', nodes], ['shares', 'Shares', shares], ['usage', 'Usage', usage]];
const KEYS = 'Keys: 1 to 5 views · / search · d dark or light · c colours of the map, arrows move in it · Esc back';
const view = document.getElementById('view');
const tip = document.getElementById('tip');
const toast = document.getElementById('toast');

function route() {
  const [, name = 'cluster', detail] = location.hash.split('/');
  return { name, detail: detail && decodeURIComponent(detail) };
}

function content() {
  const { name, detail } = route();
  if (name === 'jobs' && /^\d+$/.test(detail ?? '')) return job.render(Number(detail));
  return (TABS.find(([tab]) => tab === name)?.[2] ?? clusterView).render(detail);
}

function draw() {
  const { name } = route();
  document.getElementById('tabs').replaceChildren(...TABS.map(([tab, label], place) =>
    h('a', { href: `#/${tab}`, 'aria-current': tab === name ? 'page' : null, title: `${label} (${place + 1})` }, label)));
  const focused = document.activeElement?.id;
  const caret = document.activeElement?.selectionStart;
  const next = content();
  // What stays keeps its place, its selection and where it is scrolled to.
  if (view.firstChild !== next) view.replaceChildren(next);
  if (focused === 'search') {
    const field = document.getElementById('search');
    field?.focus();
    field?.setSelectionRange(caret, caret);
  }
  summarise();
}

function summarise() {
  const gpus = cluster.nodes.flatMap((node) => node.gpus);
  const held = gpus.filter((gpu) => gpu.job || gpu.held).length;
  const waiting = cluster.jobs.filter((it) => it.state === 'PENDING').length;
  const running = cluster.jobs.filter((it) => it.state === 'RUNNING' || it.state === 'COMPLETING').length;
  document.getElementById('summary').replaceChildren(
    h('span', { class: 'wide' }, `${held.toLocaleString()} of ${count(gpus.length, 'GPU')}`),
    h('span', {}, `${running.toLocaleString()} running`),
    h('span', {}, `${waiting.toLocaleString()} waiting`),
    h('span', { class: 'wide quiet' }, plain(me().user)),
    h('span', { class: cluster.live ? 'dot live' : 'dot', title: cluster.live ? 'live' : 'not connected' }, cluster.live ? 'live' : 'offline'));
}

function say(text) {
  toast.textContent = plain(text ?? '');
  toast.hidden = !text;
}

function theme(set) {
  if (set) localStorage.setItem('berth.theme', set);
  document.documentElement.dataset.theme = localStorage.getItem('berth.theme') ?? '';
}

function turnTheme() {
  const dark = document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  theme(dark === 'dark' ? 'light' : 'dark');
}

function askForToken(why) {
  const field = h('input', { type: 'password', 'aria-label': 'Token', placeholder: 'paste a token', autocomplete: 'off' });
  view.replaceChildren(h('form', { class: 'panel sign-in', onsubmit: (event) => {
    event.preventDefault();
    useToken(field.value);
    begin();
  } }, h('h1', {}, 'Who are you?'), why && h('p', { class: 'say bad' }, plain(why)),
  h('p', {}, 'On the machine of the mesh, ', h('code', {}, 'berth console'), ' prints an address that signs you in; ', h('code', {}, 'berth token USER'), ' prints a token to paste here.'),
  field, h('button', { type: 'submit' }, 'Enter')));
  field.focus();
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches('input')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (event.key >= '1' && event.key <= String(TABS.length)) location.hash = `#/${TABS[event.key - 1][0]}`;
  else if (event.key === 'd') turnTheme();
  else if (event.key === 'c') clusterView.turn();
  else if (event.key === 'Escape') history.back();
  else if (event.key === '?') say(KEYS);
  else if (event.key === '/') {
    event.preventDefault();
    location.hash = '#/jobs';
    setTimeout(() => document.getElementById('search')?.focus(), 50);
  }
});

/** Shows what the element under the pointer, or with the focus, says of itself; null is nothing. */
function point(owner, x, y) {
  tip.hidden = !owner;
  if (tip.hidden) return;
  tip.textContent = owner.tip?.() ?? owner.dataset.tip;
  tip.style.left = `${Math.max(4, Math.min(x, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.min(y, innerHeight - tip.offsetHeight - 8)}px`;
}

document.addEventListener('pointermove', (event) => {
  point(event.pointerType === 'touch' ? null : event.target.closest?.('[data-tip]'), event.clientX + 14, event.clientY + 14);
});
document.addEventListener('focusin', (event) => {
  const owner = event.target.matches(':focus-visible[data-tip]') ? event.target : null;
  const at = event.target.getBoundingClientRect();
  point(owner, at.left, at.bottom + 6);
});
document.addEventListener('focusout', () => point(null));

document.getElementById('theme').addEventListener('click', turnTheme);
toast.addEventListener('click', () => say(null));
addEventListener('berth-toast', (event) => say(event.detail));
addEventListener('berth-redraw', draw);
addEventListener('hashchange', () => {
  say(null);
  draw();
  view.focus({ preventScroll: true });
  scrollTo(0, 0);
});

let listening = false;

async function begin() {
  if (!hasToken()) return askForToken(null);
  try {
    await start((problem) => say(problem && `The gateway does not answer: ${problem.message}`));
  } catch (problem) {
    return problem.status === 401 || problem.status === 403 ? askForToken(problem.message) : retry(problem);
  }
  if (!listening) {
    listening = true;
    onChange(() => {
      job.refresh();
      draw();
    });
  }
  draw();
}

function retry(problem) {
  say(`The gateway does not answer: ${problem.message}`);
  setTimeout(begin, 2000);
}

theme();
begin();
