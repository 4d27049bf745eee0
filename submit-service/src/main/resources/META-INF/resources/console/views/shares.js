// Fair share: the tree of accounts, unfolded as one likes.

import { get } from '../api.js';
import { h, plain } from '../dom.js';
import { moment } from '../words.js';

let shares = null;
let readAt = 0;

async function load() {
  readAt = Date.now();
  try {
    shares = await get('/v1/fair-share');
  } catch (problem) {
    dispatchEvent(new CustomEvent('berth-toast', { detail: problem.message }));
  }
  dispatchEvent(new Event('berth-redraw'));
}

function percent(number) {
  return `${(Number(number) * 100).toFixed(1)} %`;
}

function bar(number, kind) {
  return h('span', { class: 'bar' }, h('i', { class: kind, style: { width: `${Math.min(100, Number(number) * 100)}%` } }));
}

function user(share) {
  const over = Number(share.effectiveUsage) > Number(share.normShares);
  return h('div', { class: 'share' },
    h('span', {}, plain(share.user)),
    bar(share.normShares, ''), h('span', { class: 'number' }, percent(share.normShares)),
    bar(share.effectiveUsage, over ? 'over' : 'under'), h('span', { class: 'number' }, percent(share.effectiveUsage)),
    h('span', { class: 'number strong' }, Number(share.factor).toFixed(4)));
}

export function render() {
  if (Date.now() - readAt > 10000) load();
  if (!shares) return h('p', { class: 'quiet' }, 'Loading…');
  if (shares.shares.length === 0) return h('p', { class: 'quiet' }, 'No user has a share yet.');
  const accounts = Map.groupBy ? Map.groupBy(shares.shares, (it) => it.account) : new Map([['all', shares.shares]]);
  return h('div', {},
    h('p', { class: 'quiet' }, `A factor near 1 goes first; it is a rank in the tree (Fair Tree). Worth ${Number(shares.weight).toLocaleString()} points. As of ${moment(shares.calculatedAt)}.`),
    h('div', { class: 'share head' }, h('span', {}, 'User'), h('span', {}, 'Shares'), h('span'), h('span', {}, 'Usage'), h('span'), h('span', { class: 'number' }, 'Factor')),
    [...accounts].map(([account, users]) => h('details', { open: true, class: 'panel' },
      h('summary', {}, plain(account), h('small', {}, ` ${users.length}`)),
      users.sort((a, b) => b.factor - a.factor).map(user))));
}
