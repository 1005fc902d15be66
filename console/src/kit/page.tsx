import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts.ts';
import { waiting } from '../data/waiting.ts';

interface PageProps {
  readonly title: string;
  readonly lead?: string | undefined;
  readonly crumb?: { readonly href: string; readonly text: string } | undefined;
  readonly actions?: ComponentChildren;
  readonly isNarrow?: boolean;
  readonly children: ComponentChildren;
}

export function Page({ title, lead, crumb, actions, isNarrow = false, children }: PageProps) {
  useTitle(title);
  return (
    <div class={isNarrow ? 'page narrow' : 'page'}>
      <header class="page-head">
        <div class="grow">
          {crumb && (
            <a class="crumb" href={crumb.href} data-back>
              {crumb.text}
            </a>
          )}
          <h1>{title}</h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Sets the title of the page, with the number of runs that wait. */
export function useTitle(title: string): void {
  const waits = waiting.value;
  useEffect(() => {
    document.title = `${waits > 0 ? `(${waits}) ` : ''}${title} – ${t.name}`;
  }, [title, waits]);
}

export function Tabs({ tabs }: { readonly tabs: readonly { href: string; text: string; isHere: boolean }[] }) {
  const current = useRef<HTMLAnchorElement>(null);
  const at = tabs.find(({ isHere }) => isHere)?.href;
  // On a narrow screen it may stand beyond the edge.
  useEffect(() => showWhole(current.current), [at]);
  return (
    <nav class="tabs" aria-label={t.nav.parts}>
      {tabs.map(({ href, text, isHere }) => (
        <a key={href} ref={isHere ? current : null} href={href} aria-current={isHere ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

/** Scrolls the row of a link as far as the link needs. */
function showWhole(link: HTMLElement | null): void {
  const row = link?.parentElement;
  if (!link || !row) return;
  const beyond = link.getBoundingClientRect().right - row.getBoundingClientRect().right;
  if (beyond > 0) row.scrollLeft += beyond;
}

export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const [longestId, endOfId] = [12, 8];

/** An id where there is little room. The server's long ones begin with their time, so those of a minute differ at the end. */
export function shortId(id: string): string {
  return id.length > longestId ? `…${id.slice(-endOfId)}` : id;
}
