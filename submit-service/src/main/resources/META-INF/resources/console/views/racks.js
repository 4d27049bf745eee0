// Where a node stands, and how it and its GPUs are.

/** What can be the matter with a GPU, from the best to the worst; of lost ones no job gets anything. */
export const HEALTHS = {
  healthy: { text: 'healthy' },
  suspect: { text: 'suspect: an error that may pass' },
  reserved: { text: 'node reserved or in maintenance' },
  testing: { text: 'testing', lost: true },
  drained: { text: 'GPU drained', lost: true },
  held: { text: 'node drained or draining' },
  gone: { text: 'GPU does not answer', lost: true },
  down: { text: 'node down or not heard', lost: true },
};

const NODES = { DOWN: 'down', NOT_RESPONDING: 'down', DRAINED: 'held', DRAINING: 'held', RESERVED: 'reserved', MAINTENANCE: 'reserved' };
const GPUS = { SUSPECT: 'suspect', TESTING: 'testing', DRAINED: 'drained', LOST: 'gone' };

/** The rack of nodes that have none, and no GPUs. */
export const NO_GPUS = 'CPU only';

/** A node's state in words. */
export function nodeState(node) {
  return node.state.toLowerCase().replace(/_/g, ' ');
}

/** How a GPU is: as it is itself, unless its node is worse. */
export function gpuHealth(node, gpu) {
  const own = GPUS[gpu.health] ?? 'healthy';
  const all = NODES[node.state] ?? 'healthy';
  const worst = Object.keys(HEALTHS);
  return worst.indexOf(own) > worst.indexOf(all) ? own : all;
}

/** A node's GPUs in their places, those out of service too. */
export function spread(node) {
  return node.outOfService ? [...node.gpus, ...node.outOfService].sort((a, b) => a.index - b.index) : node.gpus;
}

/**
 * The rack of a node: its block, else the switch over it, else what stands before its own number and has a number too
 * (rack07-node03, r7n3), else nodes with GPUs of its type.
 */
export function rackOf(node) {
  const before = /^(.*\d)[-_.]?[a-z]+[-_]?\d+$/i.exec(node.name)?.[1];
  const type = node.gpus[0]?.type;
  return node.block ?? node.leafSwitch ?? before ?? (type ? `${type}${node.simulated ? ' (simulated)' : ''}` : NO_GPUS);
}

/** A node's name in its rack. */
export function shortName(node) {
  const rack = rackOf(node);
  return node.name.startsWith(rack) ? node.name.slice(rack.length).replace(/^[-_.]/, '') || node.name : node.name;
}
