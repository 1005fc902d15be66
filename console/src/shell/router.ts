import { computed, signal } from '@preact/signals';

export const base = '/console';

const url = signal(new URL(location.href));

/** State that an entry of the history keeps. */
interface Entry {
  /** Pixels by which the page was scrolled when it was left. */
  readonly top?: number;
}

const entry = (): Entry => (history.state as Entry | null) ?? {};
/** Search and place of each screen when it was left last, by its path. */
const leftScreens = new Map<string, { readonly search: string; readonly top: number }>();
// The browser would scroll before the screen is drawn.
history.scrollRestoration = 'manual';
addEventListener('pagehide', keepPlace);
addEventListener('popstate', () => {
  const left = url.value.pathname;
  url.value = new URL(location.href);
  comeBack(entry().top ?? 0, left);
});
comeBack(entry().top ?? 0);

function keepPlace(): void {
  leftScreens.set(url.peek().pathname, { search: url.peek().search, top: scrollY });
  history.replaceState({ ...entry(), top: scrollY }, '');
}

/** Scrolls to where the screen was left, once it is drawn as far, and gives the focus to the row that was opened then. */
function comeBack(top: number, left?: string): void {
  const untilMs = performance.now() + 2_000;
  const step = (): void => {
    scrollTo(0, top);
    if (Math.abs(scrollY - top) > 1 && performance.now() < untilMs) requestAnimationFrame(step);
    else if (left !== undefined) document.querySelector<HTMLElement>(rowOf(left))?.focus({ preventScroll: true });
  };
  requestAnimationFrame(step);
}

const rowOf = (pathname: string): string => `a[data-row][href="${CSS.escape(pathname)}"]`;

/** Path of the screen, behind `/console`. */
export const path = computed(() => decodedPath(url.value.pathname));
export const query = computed(() => url.value.searchParams);

/** The value of the query when it is one of these choices, else the first of them. */
export function choiceOf<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
  return choices.find((it) => it === query.value.get(name)) ?? choices[0];
}

function decodedPath(pathname: string): string {
  const rest = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  return rest === '' ? '/' : rest.replace(/(.)\/+$/, '$1');
}

export interface Going {
  /** Leaves no entry in the history. */
  readonly replaces?: boolean;
}

/** Goes to a screen, such as `/runs?status=failed`. */
export function go(to: string, { replaces = false }: Going = {}): void {
  const next = new URL(base + to, location.origin);
  if (next.href === url.value.href) return;
  if (!replaces) keepPlace();
  history[replaces ? 'replaceState' : 'pushState'](replaces ? entry() : {}, '', next);
  const isOther = next.pathname !== url.value.pathname;
  url.value = next;
  if (!isOther || replaces) return;
  scrollTo(0, 0);
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}

/** Goes to a screen as it was left. */
function goBack(pathname: string, { search, top }: { readonly search: string; readonly top: number }): void {
  const left = url.peek().pathname;
  go(pathname.slice(base.length) + search);
  comeBack(top, left);
}

/** Sets a value of the query; an empty one is left out. */
export function setQuery(values: Readonly<Record<string, string>>): void {
  const params = new URLSearchParams(url.value.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString();
  go(path.value + (text === '' ? '' : `?${text}`), { replaces: true });
}

/** Address of a screen for links, with its values encoded: href\`/runs/${id}\`. */
export function href(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return base + screen(texts, ...values);
}

/** Like `href`, for `go`. */
export function screen(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return texts.reduce((text, next, index) => text + encodeURIComponent(values[index - 1] ?? '') + next);
}

/** Values of the named parts of a path. */
export type Params = Readonly<Record<string, string>>;

/** Values of a pattern like `/runs/:id`; undefined where the path does not match it. */
export function match(pattern: string, at: string): Params | undefined {
  const [parts, given] = [pattern.split('/'), at.split('/')];
  if (parts.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) values[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return values;
}

/** Goes to a part of the screen, such as `#main`. */
function reveal(hash: string): void {
  const part = document.getElementById(hash.slice(1));
  part?.scrollIntoView();
  part?.focus({ preventScroll: true });
}

/** Lets links to screens change the screen in place of the page. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!isPlain || event.defaultPrevented || link === null || link.target !== '' || link.hasAttribute('download'))
      return;
    const to = new URL(link.href, location.href);
    if (to.origin !== location.origin || !to.pathname.startsWith(`${base}/`)) return;
    event.preventDefault();
    if (to.hash !== '' && to.pathname === location.pathname && to.search === location.search) return reveal(to.hash);
    const left = link.hasAttribute('data-back') ? leftScreens.get(to.pathname) : undefined;
    if (left !== undefined) goBack(to.pathname, left);
    else go(to.pathname.slice(base.length) + to.search);
  });
}
