// A group of many links that is one stop of the Tab key: arrows move in it, as they lie on the screen.

/** Makes the group one stop. */
export function among(group) {
  const all = () => [...group.querySelectorAll('a.gpu')];
  group.tabIndex = 0;
  group.addEventListener('focus', () => all()[0]?.focus());
  group.addEventListener('focusin', () => { group.tabIndex = -1; });
  group.addEventListener('focusout', () => { group.tabIndex = 0; });
  group.addEventListener('keydown', (event) => {
    const from = document.activeElement;
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (!step || !from.matches('a.gpu')) return;
    event.preventDefault();
    next(all(), from, step)?.focus();
  });
  return group;
}

/** The nearest one that way; one aside counts for more than one ahead. */
function next(all, from, [right, down]) {
  const at = from.getBoundingClientRect();
  let best = null;
  let least = Infinity;
  for (const other of all) {
    const to = other.getBoundingClientRect();
    const x = to.left + to.width / 2 - at.left - at.width / 2;
    const y = to.top + to.height / 2 - at.top - at.height / 2;
    const ahead = x * right + y * down;
    const aside = Math.abs(right ? y : x);
    if (ahead > 2 && (right ? aside < at.height : true) && ahead + 4 * aside < least) {
      least = ahead + 4 * aside;
      best = other;
    }
  }
  return best;
}

/** Puts one row in the place of another; whoever stood there stays at the same place. */
export function replace(old, drawn) {
  const cells = [...old.querySelectorAll('a')];
  const stood = cells.indexOf(document.activeElement);
  old.replaceWith(drawn);
  if (stood >= 0) drawn.querySelectorAll('a')[stood]?.focus({ preventScroll: true });
}
