import { AgentMesh } from '@agentmesh/client';
import { type Inbox, type RunActions, type RunView, useInbox, useRun } from '@agentmesh/client/react';
import { Window } from 'happy-dom';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { newAccount } from '../../caller.ts';

const url = inject('meshUrl');
const place = { app: 'echo', user: 'u1' };
const window = new Window();
let mesh: AgentMesh;

beforeAll(async () => {
  // Only what React asks for; requests go by Node's own fetch.
  vi.stubGlobal('window', window);
  vi.stubGlobal('document', window.document);
  mesh = new AgentMesh({ url, token: (await newAccount(url)).token ?? '' });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await window.happyDOM.close();
});

/** A component that calls a hook. `result` is what it answered at the latest rendering. */
async function render<T>(hook: () => T): Promise<{ readonly result: () => T; readonly unmount: () => void }> {
  const [{ createElement }, { createRoot }] = await Promise.all([import('react'), import('react-dom/client')]);
  let latest: { readonly value: T } | undefined;
  const Component = (): null => {
    latest = { value: hook() };
    return null;
  };
  const root = createRoot(window.document.createElement('div'));
  root.render(createElement(Component));
  await expect.poll(() => latest).toBeDefined();
  return { result: () => (latest as { readonly value: T }).value, unmount: () => root.unmount() };
}

test('useRun shows the words of a run as they come, and its end', async () => {
  const shown = await render<RunView & RunActions>(() => useRun(mesh));
  expect(shown.result().status).toBe('idle');
  shown.result().start({ ...place, text: 'Hello, [[wait:300]] mesh' });
  await expect.poll(() => shown.result().text).toContain('Hello');
  await expect.poll(() => shown.result().status).toBe('completed');
  expect(shown.result().text).toMatch(/^Hello,\s+mesh$/);
  expect(shown.result().record?.invocationId).toBe(shown.result().id);
  shown.unmount();
});

test('useRun shows a run that cannot be started as failed, with the error', async () => {
  const shown = await render<RunView & RunActions>(() => useRun(mesh));
  shown.result().start({ app: 'no-such-app', user: 'u1', text: 'hello' });
  await expect.poll(() => shown.result().status).toBe('failed');
  expect(shown.result().error?.message).toContain('no-such-app');
  shown.unmount();
});

test('useInbox follows what waits for a person, whose answer lets the run go on', async () => {
  const inbox = await render<Inbox>(() => useInbox(mesh));
  const run = await render<RunView & RunActions>(() => useRun(mesh));
  await expect.poll(() => inbox.result().runs).toEqual([]);
  run.result().start({ ...place, text: '[[tool:request_input {}]]' });
  await expect.poll(() => inbox.result().runs?.length).toBe(1);
  // The stream of the run may come later than that of the inbox.
  await expect.poll(() => run.result().status).toBe('waiting');
  await run.result().answer({ result: 'yes' });
  await expect.poll(() => run.result().status).toBe('completed');
  await expect.poll(() => inbox.result().runs).toEqual([]);
  inbox.unmount();
  run.unmount();
});

test('a component that is gone leaves its run alone', async () => {
  const shown = await render<RunView & RunActions>(() => useRun(mesh));
  shown.result().start({ ...place, text: 'first [[wait:1000]] second' });
  await expect.poll(() => shown.result().text).toContain('first');
  const id = shown.result().id ?? '';
  shown.unmount();
  expect((await mesh.runs.watch(id).final()).record.status).toBe('completed');
});
