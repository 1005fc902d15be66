import { signal } from '@preact/signals';
import { Empty, Failure, Skeleton } from '../kit/states.tsx';
import { type Screen, screens } from '../screens/screens.ts';
import { t } from '../texts.ts';
import { base, match, path } from './router.ts';

const loaded = signal<ReadonlyMap<() => Promise<Screen>, Screen | Error>>(new Map());

/** The screen of the present path. */
export function Current() {
  const found = screens.map(([pattern, load]) => ({ load, params: match(pattern, path.value) }));
  const { load, params } = found.find((it) => it.params !== undefined) ?? {};
  if (load === undefined || params === undefined) return <Missing />;
  const Shown = loaded.value.get(load);
  if (Shown instanceof Error) return <Failure error={Shown} retry={reload} />;
  if (Shown !== undefined) return <Shown params={params} />;
  void start(load);
  return <Skeleton />;
}

async function start(load: () => Promise<Screen>): Promise<void> {
  let outcome: Screen | Error;
  try {
    outcome = await load();
  } catch {
    outcome = new Error(t.states.offline);
  }
  loaded.value = new Map(loaded.peek()).set(load, outcome);
}

/** Loads the page again when the server is there: a browser may remember that a file could not be loaded. */
async function reload(): Promise<void> {
  await fetch(`${base}/`);
  location.reload();
}

function Missing() {
  return <Empty icon="search" title={t.states.notFound} text={t.states.notFoundText} />;
}
