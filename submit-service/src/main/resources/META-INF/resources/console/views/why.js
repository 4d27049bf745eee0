// Why a job waits: the engine's words, which nodes are left after each question, what would let it start, its priority.

import { h, plain } from '../dom.js';
import { count, limit, moment } from '../words.js';

const QUESTIONS = { REGISTERED: 'registered', PARTITION: 'in the partition', CONSTRAINTS: 'admitted by its constraints', SIZE: 'large enough',
  SOCKETS: 'of which the sockets are known',
  AVAILABLE: 'available', FREE: 'with room now', UNRESERVED: 'open to it until its end',
  NEIGHBOURS: 'with nobody there whom it may not be beside', UNPLANNED: 'with room until its end' };

const CHANGES = {
  GPUS: (from, to) => `${to}${to.includes(':') ? '' : ' GPUs a node'} instead of ${from}`,
  GPUS_IN_ALL: (from, to) => `${to} GPUs in all instead of ${from}`,
  GPU_TYPE: (from, to) => `GPUs of ${to === 'any' ? 'any type' : `type ${to}`} instead of ${from}`,
  GPU_MEMORY: (from, to) => to === 'any' ? `GPUs of any memory instead of ${from} MiB at least` : `GPUs of ${to} MiB at least instead of ${from}`,
  GRES: (from, to) => `${to === 'none' ? 'nothing' : to} instead of ${from}`,
  NODES: (from, to) => `${to} nodes instead of ${from}`,
  TIME_LIMIT: (from, to) => `a time limit of ${limit(Number(to))} instead of ${limit(Number(from))}`,
  SWITCHES: (from, to) => `${to === 'any' ? 'any number of' : to} switches instead of ${from}`,
  LEVEL: (from, to) => to === 'any' ? `any nodes instead of those in one ${from}` : `nodes in one ${to} instead of one ${from}`,
  SEGMENT: (from, to) => `${to === 'any' ? 'nodes of any blocks' : `segments of ${to} nodes`} instead of segments of ${from}`,
  SOCKETS: (from) => `GPUs of any sockets instead of ${from} of each`,
  LINKED: () => 'GPUs that need not be linked to one another',
  CONTIGUOUS: () => 'nodes that need not stand side by side',
  CONSTRAINT: (from) => `nodes that need not be ${from}`,
  NODE_LIST: (from) => `any nodes instead of ${from}`,
  PARTITION: (from, to) => `partition ${to} instead of ${from}`,
};

function bars(rows, kindOf = () => '') {
  const largest = Math.max(1, ...rows.map(([, size]) => Math.abs(size)));
  return h('div', { class: 'parts' }, rows.map(([name, size, words]) => [
    h('span', {}, name),
    h('span', { class: 'bar' }, h('i', { class: kindOf(size), style: { width: `${Math.abs(size) / largest * 100}%` } })),
    h('span', { class: 'number' }, words)]));
}

function priority(of) {
  const parts = ['set', 'age', 'association', 'fairShare', 'jobSize', 'partition', 'qos', 'tres', 'site', 'nice']
    .map((name) => [name.replace(/[A-Z]/g, (letter) => ' ' + letter.toLowerCase()), Number(of[name] ?? 0)])
    .filter(([, points]) => points !== 0)
    .map(([name, points]) => [name, points, Math.trunc(points).toLocaleString()]);
  return [h('h3', {}, `Priority ${Math.max(0, Math.floor(Number(of.total))).toLocaleString()}`), bars(parts, (points) => points < 0 ? 'minus' : '')];
}

/** Only the questions that left fewer nodes than the one before. */
function stages(all) {
  const left = all.filter((stage, place) => place === 0 || stage.nodes !== all[place - 1].nodes);
  if (left.length === 0) return null;
  return [h('h3', {}, 'Nodes left'), bars(left.map((stage) =>
    [QUESTIONS[stage.question] ?? 'left', stage.nodes, `${stage.nodes.toLocaleString()}${stage.gpus ? ` · ${count(stage.gpus, 'GPU')} free` : ''}`]))];
}

function changes(all) {
  if (all.length === 0) return null;
  return [h('h3', {}, 'It would start now with one of these'), h('ul', {}, all.map(({ axis, from = '', to = '' }) =>
    h('li', {}, plain((CHANGES[axis] ?? (() => `${axis} ${to} instead of ${from}`))(String(from), String(to))))))];
}

/** `, behind 12 (alice), 14 (bob) and 3 more` */
function ahead({ first = [], ahead: all = 0 }) {
  if (first.length === 0) return '';
  const more = all - first.length;
  return `, behind ${first.map(({ job, user }) => `${job} (${user})`).join(', ')}${more > 0 ? ` and ${more.toLocaleString()} more` : ''}`;
}

function holders(all) {
  return all.length > 0 && h('p', {}, `Waits for the end of ${all.map(({ job, user, until }) => `${job} (${user}) by ${moment(until)}`).join(', ')}.`);
}

export function why(of) {
  return h('section', { class: 'panel' },
    h('h2', {}, of.state === 'PENDING' ? 'Why it waits' : 'What it says'),
    h('p', { class: 'say' }, plain(of.explanation)),
    of.position && h('p', {}, `Number ${of.position.toLocaleString()} in its queue${ahead(of)}${of.plannedStart ? `, planned for ${moment(of.plannedStart)}` : ''}.`),
    holders(of.holders ?? []),
    stages(of.stages ?? []),
    changes(of.changes ?? []),
    priority(of.priority));
}
