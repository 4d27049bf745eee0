// What the console knows of the cluster: asked for when something happened, and every now and then.

import { askWhoIAm, follow, get } from './api.js';

/** No more than one question in so many milliseconds, however much happens. */
const PACE = 1000;
/** What was read is drawn in one part of the time in so many: a large cluster is asked for less often. */
const REST = 20;
const IDLE = 10000;

export const cluster = { jobs: [], nodes: [], partitions: [], job: new Map(), live: false, readAt: 0 };

const listeners = new Set();
let wanted = true;
let asked = 0;
let cost = 0;

/** Calls the listener after each change; returns how to stop that. */
export function onChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function refreshSoon() {
  wanted = true;
}

/** A list of the cluster's; none of it where the cluster keeps it private. */
async function list(name) {
  try {
    return (await get(`/v1/${name}`))[name];
  } catch (problem) {
    if (problem.status === 403) return [];
    throw problem;
  }
}

async function read() {
  const [jobs, nodes, partitions] = await Promise.all([get('/v1/jobs?state=all'), list('nodes'), list('partitions'), askWhoIAm()]);
  cluster.jobs = jobs.jobs;
  cluster.nodes = nodes;
  cluster.partitions = partitions;
  cluster.job = new Map(cluster.jobs.map((job) => [job.id, job]));
  cluster.readAt = Date.now();
}

/** Tells the listeners, and notes how long it took until what they draw was on the screen. */
function tell() {
  const began = performance.now();
  for (const listener of listeners) listener();
  requestAnimationFrame(() => setTimeout(() => {
    cost = performance.now() - began;
  }));
}

/** Begins to follow the cluster. */
export async function start(onProblem) {
  await read();
  tell();
  follow(refreshSoon, (live) => {
    cluster.live = live;
    wanted = true;
    tell();
  });
  setInterval(async () => {
    const now = Date.now();
    if (document.hidden || now - asked < Math.min(IDLE, Math.max(PACE, REST * cost)) || (!wanted && now - asked < IDLE)) return;
    asked = now;
    wanted = false;
    try {
      await read();
      onProblem(null);
    } catch (problem) {
      onProblem(problem);
    }
    tell();
  }, 250);
}
