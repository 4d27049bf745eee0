// Speaks with the gateway. The token comes with the address (#token=…), which only the browser sees, and stays in this tab.

const KEY = 'berth.token';

const handed = /^#token=([\w.-]+)$/.exec(location.hash);
if (handed) {
  sessionStorage.setItem(KEY, handed[1]);
  history.replaceState(null, '', location.pathname + '#/cluster');
}

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

export function hasToken() {
  return sessionStorage.getItem(KEY) !== null;
}

export function useToken(token) {
  sessionStorage.setItem(KEY, token.trim());
}

let myself = { user: '?', roles: [], scope: 'NOTHING', coordinates: [] };

/** Asks the gateway whom it takes us for. */
export async function askWhoIAm() {
  myself = await get('/v1/me');
}

/** Whom the gateway takes us for, so that we are offered what we may do. */
export function me() {
  const { user, roles, scope, coordinates } = myself;
  return { user, operator: roles.includes('operator'), admin: roles.includes('admin'), changes: scope === 'SUBMIT' || scope === 'OPERATE', coordinates };
}

/** The gateway's answer, if it is one of success. */
export async function open(path, options = {}) {
  const answer = await fetch(path, {
    ...options,
    headers: { Authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}`, ...options.headers },
  });
  if (answer.ok) return answer;
  let detail = answer.statusText;
  try {
    detail = (await answer.json()).detail ?? detail;
  } catch {
    // No problem+json: a proxy's answer.
  }
  throw new Problem(answer.status, detail);
}

export async function get(path) {
  return (await open(path)).json();
}

export async function act(method, path, body) {
  return open(path, { method, ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }) });
}

/** Done when somebody looks at the page. */
export function seen() {
  return new Promise((resume) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      resume();
    };
    document.addEventListener('visibilitychange', look);
    look();
  });
}

/**
 * Follows the events of jobs for ever; goes on after the last one when the connection breaks. A page that nobody sees has no
 * connection: a browser gives a site few of them, and many tabs would take them all.
 */
export async function follow(onEvent, onLive) {
  let lastId = null;
  for (;;) {
    await seen();
    const gone = new AbortController();
    const hide = () => document.hidden && gone.abort();
    const leave = () => gone.abort();
    document.addEventListener('visibilitychange', hide);
    addEventListener('pagehide', leave);
    try {
      const answer = await open('/v1/events', { signal: gone.signal, headers: lastId === null ? {} : { 'Last-Event-ID': lastId } });
      onLive(true);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const blocks = (rest + part.value).split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) {
          const field = (name) => block.split('\n').find((line) => line.startsWith(name + ':'))?.slice(name.length + 1).trim();
          lastId = field('id') ?? lastId;
          if (field('data') !== undefined) {
            onEvent(field('event'), JSON.parse(field('data')));
          }
        }
      }
    } catch (problem) {
      if (problem.status === 401) return;
    } finally {
      document.removeEventListener('visibilitychange', hide);
      removeEventListener('pagehide', leave);
    }
    onLive(false);
    await new Promise((resume) => setTimeout(resume, 2000));
  }
}
