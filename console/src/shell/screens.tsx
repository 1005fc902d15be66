import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { Empty, Failure, Skeleton } from '../kit/states.tsx';
import { t } from '../texts.ts';
import { base, match, type Params, path } from './router.ts';

type Screen = ComponentType<{ params: Params }>;

/** The screens by their paths. Each is loaded when it is first shown. */
const screens: readonly (readonly [pattern: string, load: () => Promise<Screen>])[] = [
  ['/', async () => (await import('../screens/home/home.tsx')).Home],
  ['/inbox', async () => (await import('../screens/inbox/inbox.tsx')).Inbox],
  ['/runs', async () => (await import('../screens/runs/runs.tsx')).Runs],
  ['/runs/:id', async () => (await import('../screens/runs/run.tsx')).Run],
  ['/sessions', async () => (await import('../screens/sessions/sessions.tsx')).Sessions],
  ['/sessions/:app/:user/:session', async () => (await import('../screens/sessions/session.tsx')).Session],
  ['/agents', async () => (await import('../screens/agents/agents.tsx')).Agents],
  ['/agents/new', async () => (await import('../screens/agents/new-agent.tsx')).NewAgent],
  ['/agents/:name', async () => (await import('../screens/agents/agent.tsx')).Agent],
  ['/keys', async () => (await import('../screens/keys/keys.tsx')).Keys],
  ['/automation', async () => (await import('../screens/automation/automation.tsx')).Automation],
  ['/connected/:provider', async () => (await import('../screens/automation/connected.tsx')).Connected],
  ['/account', async () => (await import('../screens/account/account.tsx')).Account],
  ['/admin', async () => (await import('../screens/account/admin.tsx')).Admin],
  ['/device', async () => (await import('../screens/device/device.tsx')).Device],
  ['/chat', async () => (await import('../screens/chat/chat.tsx')).Chat],
  ['/chat/:app', async () => (await import('../screens/chat/chat.tsx')).Chat],
  ['/chat/:app/:session', async () => (await import('../screens/chat/chat.tsx')).Chat],
];

const loaded = signal<ReadonlyMap<string, Screen | Error>>(new Map());

/** The screen of the present path. */
export function Current() {
  const found = screens.map(([pattern, load]) => ({ pattern, load, params: match(pattern, path.value) }));
  const { pattern, load, params } = found.find((it) => it.params !== undefined) ?? {};
  if (pattern === undefined || load === undefined || params === undefined) return <Missing />;
  const Shown = loaded.value.get(pattern);
  if (Shown instanceof Error) return <Failure error={Shown} retry={reload} />;
  if (Shown !== undefined) return <Shown params={params} />;
  void start(pattern, load);
  return <Skeleton />;
}

async function start(pattern: string, load: () => Promise<Screen>): Promise<void> {
  let outcome: Screen | Error;
  try {
    outcome = await load();
  } catch {
    outcome = new Error(t.states.offline);
  }
  loaded.value = new Map(loaded.peek()).set(pattern, outcome);
}

/** Loads the page again when the server is there: a browser may remember that a file could not be loaded. */
async function reload(): Promise<void> {
  await fetch(`${base}/`);
  location.reload();
}

function Missing() {
  return <Empty icon="search" title={t.states.notFound} text={t.states.notFoundText} />;
}
