// What was used over time, by account, user or type of GPU, from the books.

import { get } from '../api.js';
import { h, hue, plain, svg, table } from '../dom.js';
import { count, NARROW } from '../words.js';

const DAY = 86400;
const TIMES = [['24 hours', DAY, 3600], ['7 days', 7 * DAY, 6 * 3600], ['30 days', 30 * DAY, DAY], ['90 days', 90 * DAY, 3 * DAY]];
const GROUPS = [['account', 'by account', (it) => it.account], ['GPU type', 'by GPU type', (it) => it.gpuType || (it.gpuSeconds ? 'any GPU' : 'no GPU')], ['user', 'by user', (it) => it.user]];
const MEASURES = [['gpuSeconds', 'GPU hours'], ['cpuSeconds', 'CPU hours'], ['nodeSeconds', 'node hours'], ['billingSeconds', 'charge']];
/** So many groups have a colour of their own; the others are one. */
const SHOWN = 9;
const HEIGHT = 260;
const BASE = HEIGHT - 22;

const chosen = { time: 1, group: 0, measure: 0 };
let read = { key: '', at: 0, history: null, problem: null };

async function load(key) {
  read = { ...read, key, at: Date.now() };
  const [, length, step] = TIMES[chosen.time];
  // Parts begin at the same moments however often one looks.
  const end = Math.ceil(Date.now() / 1000 / step) * step;
  const before = { key, at: Date.now() };
  try {
    const history = await get(`/v1/accounting/history?start=${(end - length) * 1000}&end=${end * 1000}&step=${step}`);
    if (read.key === key) read = { ...before, history, problem: null };
  } catch (problem) {
    if (read.key === key) read = { ...before, history: null, problem };
  }
  dispatchEvent(new Event('berth-redraw'));
}

/** Sums by group, the largest first, and the same for each part of the time. */
export function sums(history, groupOf, measure) {
  const whole = new Map();
  const parts = [];
  for (const period of history.periods) {
    const part = new Map();
    for (const use of period.usage) {
      const amount = use[measure] / 3600;
      if (amount === 0) continue;
      const group = groupOf(use);
      part.set(group, (part.get(group) ?? 0) + amount);
      whole.set(group, (whole.get(group) ?? 0) + amount);
    }
    parts.push({ start: period.start, part });
  }
  return { whole: [...whole].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)), parts };
}

function amount(number) {
  return number.toLocaleString(undefined, { maximumFractionDigits: number < 10 ? 2 : 0 });
}

function label(millis, step) {
  const date = new Date(millis);
  return step < DAY ? date.toLocaleString(undefined, { weekday: 'short', hour: 'numeric', minute: '2-digit' }) : date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' });
}

/** A round number that is not below. */
export function above(number) {
  const ten = 10 ** Math.floor(Math.log10(number || 1));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((it) => it * ten).find((it) => it >= number) ?? 10 * ten;
}

function colour(group, place) {
  return place < SHOWN ? { '--hue': hue(group) } : {};
}

function chart(history, { whole, parts }, words) {
  const across = innerWidth > NARROW ? 1000 : innerWidth - 60;
  const step = history.step * 1000;
  const bars = Math.round((history.end - history.start) / step);
  const place = new Map(whole.map(([group], index) => [group, index]));
  const top = above(Math.max(...parts.map(({ part }) => [...part.values()].reduce((sum, it) => sum + it, 0)), 0));
  const width = (across - 60) / bars;
  const y = (value) => BASE - value / top * (BASE - 10);
  return h('figure', { class: 'usage' }, svg('svg', { viewBox: `0 0 ${across} ${HEIGHT}`, role: 'img', 'aria-label': `${words} over time` },
    [0, top / 2, top].map((value) => [
      svg('line', { class: 'ground', x1: 60, x2: across, y1: y(value), y2: y(value) }),
      svg('text', { class: 'axis', x: 54, y: y(value) + 4, 'text-anchor': 'end' }, amount(value))]),
    parts.map(({ start, part }) => {
      const x = 60 + (start - history.start) / step * width;
      let height = 0;
      return [...part].sort(([a], [b]) => place.get(a) - place.get(b)).map(([group, value]) => {
        height += value;
        return svg('rect', { class: place.get(group) < SHOWN ? '' : 'other', style: colour(group, place.get(group)), x: x + width * .1, width: width * .8, y: y(height), height: Math.max(.5, y(height - value) - y(height)),
          'data-tip': plain(`${group}: ${amount(value)} ${words}\n${label(start, history.step)}`) });
      });
    }),
    [0, Math.floor(bars / 2), bars - 1].map((bar) => svg('text', { class: 'axis', x: 60 + (bar + .5) * width, y: HEIGHT - 4, 'text-anchor': bar === 0 ? 'start' : bar === bars - 1 ? 'end' : 'middle' }, label(history.start + bar * step, history.step)))));
}

function buttons(name, labels) {
  return h('span', { class: 'choices' }, labels.map((text, place) => h('button', { type: 'button', 'aria-pressed': String(chosen[name] === place), onclick: () => {
    chosen[name] = place;
    dispatchEvent(new Event('berth-redraw'));
  } }, text)));
}

function content() {
  if (read.problem) return h('p', { class: 'say bad' }, plain(read.problem.message));
  if (!read.history) return h('p', { class: 'quiet' }, 'Loading…');
  const [, , groupOf] = GROUPS[chosen.group];
  const [measure, words] = MEASURES[chosen.measure];
  const all = sums(read.history, groupOf, measure);
  if (all.whole.length === 0) return h('p', { class: 'quiet' }, 'Nothing of that was used in this time.');
  const total = all.whole.reduce((sum, [, value]) => sum + value, 0);
  return h('div', {},
    h('section', { class: 'panel' }, chart(read.history, all, words)),
    table([
      [`By ${GROUPS[chosen.group][0]}`, '', ([group, , place]) => [h('i', { class: 'key', style: colour(group, place) }), plain(group)]],
      [words, 'number', ([, value]) => amount(value)],
      ['Part', 'number', ([, value]) => `${(100 * value / total).toFixed(1)} %`],
    ], all.whole.slice(0, 100).map(([group, value], place) => [group, value, place]), ''),
    h('p', { class: 'quiet' }, `${amount(total)} ${words} in all, ${count(all.whole.length, GROUPS[chosen.group][0])}.`));
}

export function render() {
  const key = String(chosen.time);
  if (read.key !== key || Date.now() - read.at > 60000) load(key);
  return h('div', {},
    h('div', { class: 'tools' }, buttons('time', TIMES.map(([text]) => text)), buttons('group', GROUPS.map(([, text]) => text)), buttons('measure', MEASURES.map(([, text]) => text))),
    content());
}
