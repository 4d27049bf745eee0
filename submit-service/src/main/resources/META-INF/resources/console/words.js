// Times, sizes and names as people read them.

/** A window of so many pixels across is a phone's: as in console.css. */
export const NARROW = 720;

/** 3725 → "1:02:05", as squeue writes it. */
export function span(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / 86400);
  const hours = Math.floor(whole / 3600) % 24;
  const minutes = Math.floor(whole / 60) % 60;
  const two = (number) => String(number).padStart(2, '0');
  const clock = days || hours ? `${days ? two(hours) : hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
  return days ? `${days}-${clock}` : clock;
}

export function limit(seconds) {
  return seconds ? span(seconds) : 'unlimited';
}

/** A moment: the time alone if it is today. */
export function moment(millis) {
  if (!millis) return '–';
  const date = new Date(millis);
  const today = new Date().toDateString() === date.toDateString();
  return date.toLocaleString(undefined, today ? { timeStyle: 'medium' } : { dateStyle: 'short', timeStyle: 'short' });
}

export function memory(mib) {
  return mib >= 1024 ? `${+(mib / 1024).toFixed(1)} GiB` : `${mib} MiB`;
}

export function count(number, one, many = one + 's') {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}

export const TERMINAL = new Set(['COMPLETED', 'CANCELLED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'PREEMPTED', 'BOOT_FAIL', 'DEADLINE', 'OUT_OF_MEMORY']);

export function kindOf(state) {
  if (state === 'RUNNING' || state === 'COMPLETING') return 'run';
  if (state === 'PENDING') return 'wait';
  if (state === 'SUSPENDED') return 'held';
  return state === 'COMPLETED' ? 'done' : state === 'CANCELLED' ? 'off' : 'bad';
}

/** So many characters of it at most. */
export function short(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The name that means a job alone: an array has the number of its first task. */
export function nameOf(job) {
  return job.arrayJob === undefined ? String(job.id) : `${job.arrayJob}_${job.arrayTask}`;
}
