import { isFinding, isShowingKeys } from './open.ts';
import { places } from './places.ts';
import { go } from './router.ts';

/** The key that opens the search, as it is on the keyboard of this platform. */
export const findKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

const goes = new Map(places.flatMap(([, listed]) => listed).map((place) => [place.key, place.path]));
const pairMs = 1_000;

/** Listens for the keys that work on every screen. */
export function listenForKeys(): void {
  let pressedMs = -Infinity;
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      isFinding.value = !isFinding.value;
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || hasDialog()) return;
    const isSecond = performance.now() - pressedMs < pairMs;
    pressedMs = event.key === 'g' && !isSecond ? performance.now() : -Infinity;
    const to = isSecond ? goes.get(event.key) : undefined;
    if (to !== undefined) {
      // The second key means something else on some screens.
      event.preventDefault();
      go(to);
    } else if (event.key === '?') isShowingKeys.value = true;
    else if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 1 : -1);
  });
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function hasDialog(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

function moveRow(by: number): void {
  const rows = Array.from(document.querySelectorAll<HTMLElement>('[data-row]:not([inert] *)'));
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}
