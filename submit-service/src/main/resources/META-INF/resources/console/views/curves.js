// Curves of a job's GPUs: a small chart for use, memory and power each.

import { h, hue, plain, svg } from '../dom.js';
import { memory, moment } from '../words.js';

const WIDTH = 460;
const HEIGHT = 110;

const CHARTS = [
  ['Use', 'use', (value) => `${value} %`, 100],
  ['Memory', 'memoryUsedMib', memory, 0],
  ['Power', 'milliwatts', (value) => `${Math.round(value / 1000)} W`, 0],
];

/** The largest of numbers, which may be more than a call takes arguments. */
const largest = (numbers, least) => numbers.reduce((one, other) => Math.max(one, other), least);

/** The points of one curve as pieces of a line, apart where nothing was told. */
function pieces(gpu, field, x, y) {
  const all = [[]];
  gpu[field].forEach((value, place) => {
    if (value === null) all.push([]);
    else all.at(-1).push(`${x(gpu.at[place]).toFixed(1)},${y(value).toFixed(1)}`);
  });
  return all.filter((piece) => piece.length > 0);
}

function chart([title, field, words, least], gpus, first, last) {
  const top = largest(gpus.flatMap((gpu) => gpu[field].map((value) => value ?? 0)), Math.max(least, 1));
  const told = gpus.some((gpu) => gpu[field].some((value) => value !== null));
  if (!told) return null;
  const x = (at) => (at - first) / Math.max(1, last - first) * WIDTH;
  const y = (value) => HEIGHT - 16 - value / top * (HEIGHT - 24);
  return h('figure', { class: 'curve' }, h('figcaption', {}, title, h('small', {}, ` up to ${words(top)}`)),
    svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${title} over time` },
      svg('line', { class: 'ground', x1: 0, x2: WIDTH, y1: y(0), y2: y(0) }),
      gpus.flatMap((gpu) => pieces(gpu, field, x, y).map((points) => svg('polyline', {
        points: (points.length === 1 ? [points[0], points[0]] : points).join(' '),
        style: { '--hue': hue(gpu.uuid) }, 'data-tip': `${plain(gpu.node)}\n${plain(gpu.uuid)}`,
      }))),
      svg('text', { class: 'axis', x: 0, y: HEIGHT - 2 }, moment(first)),
      svg('text', { class: 'axis', x: WIDTH, y: HEIGHT - 2, 'text-anchor': 'end' }, moment(last))));
}

/** The charts of a job's GPUs; nothing if they say nothing. */
export function curves(gpus) {
  const times = gpus.flatMap((gpu) => gpu.at);
  if (times.length === 0) return null;
  const first = -largest(times.map((at) => -at), -Infinity);
  const last = largest(times, -Infinity);
  return h('section', { class: 'panel', id: 'curves' }, h('h2', {}, 'What its GPUs do'),
    h('div', { class: 'columns' }, CHARTS.map((it) => chart(it, gpus, first, last))));
}
