import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { loadApps } from '../data/apps.ts';
import { mesh } from '../data/client.ts';
import { useQuery } from '../data/query.ts';
import { Dialog } from '../kit/dialog.tsx';
import { runPath } from '../parts/run-path.ts';
import { t } from '../texts.ts';
import { isFinding } from './open.ts';
import { isShown, places } from './places.ts';
import { go, screen } from './router.ts';

interface Found {
  readonly kind: string;
  readonly text: string;
  readonly to: string;
}

const most = 12;

/** Finds pages, agents, runs and sessions by name or id. */
export function Palette() {
  return isFinding.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const [words, chosen] = [useSignal(''), useSignal(0)];
  const found = search(useTargets(), words.value);
  useEffect(() => {
    chosen.value = 0;
  }, [words.value]);
  const open = ({ to }: Found): void => {
    isFinding.value = false;
    go(to);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) chosen.value = (chosen.value + step + found.length) % Math.max(1, found.length);
    const it = event.key === 'Enter' ? found[chosen.value] : undefined;
    if (it !== undefined) open(it);
    if (step !== undefined || it !== undefined) event.preventDefault();
  };
  return (
    <Dialog title={t.palette.title} onClose={() => (isFinding.value = false)}>
      <input
        class="input"
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${chosen.value}` : undefined}
        aria-label={t.palette.title}
        placeholder={t.palette.placeholder}
        autofocus
        onInput={(event) => (words.value = event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <ul class="found" id="found" role="listbox" aria-label={t.palette.title}>
        {found.map((it, index) => (
          <li
            key={it.to}
            id={`found-${index}`}
            role="option"
            aria-selected={index === chosen.value}
            onClick={() => open(it)}
            onMouseMove={() => (chosen.value = index)}
          >
            <span class="grow clip">{it.text}</span>
            <span class="small muted">{it.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">{t.palette.nothing}</p>}
    </Dialog>
  );
}

function useTargets(): readonly Found[] {
  const apps = useQuery('apps', loadApps).data ?? [];
  const runs = useQuery('runs?palette', async () => (await mesh.runs.list({ limit: 50 }).page()).items).data ?? [];
  const pages = places.flatMap(([, listed]) =>
    listed.filter(isShown).map(({ path, text }) => ({ kind: t.palette.page, text, to: path })),
  );
  const sessions = new Map(runs.map((run) => [screen`/sessions/${run.appName}/${run.userId}/${run.sessionId}`, run]));
  return [
    ...pages,
    ...apps.map(({ name, title }) => ({ kind: t.palette.agent, text: title, to: screen`/chat/${name}` })),
    ...runs.map((run) => ({
      kind: t.palette.run,
      text: `${run.appName} · ${run.invocationId}`,
      to: runPath(run),
    })),
    ...Array.from(sessions, ([to, { appName, sessionId }]) => ({
      kind: t.palette.session,
      text: `${appName} · ${sessionId}`,
      to,
    })),
  ];
}

function search(targets: readonly Found[], words: string): readonly Found[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return targets
    .filter(({ text, kind }) => wanted.every((word) => `${text} ${kind}`.toLowerCase().includes(word)))
    .slice(0, most);
}
