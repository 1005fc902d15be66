import type { AdkApiClient } from '@google/adk-devtools';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';

const userId = 'adk-user';
const plainFetch = globalThis.fetch;
let client: AdkApiClient;

/** The published client, imported by its file, because the package's main module imports packages of a server. */
beforeAll(async () => {
  const backendUrl = inject('meshUrl');
  const { token } = await newAccount(backendUrl);
  const file = new URL('server/adk_api_client.js', import.meta.resolve('@google/adk-devtools'));
  const published = (await import(file.href)) as { AdkApiClient: typeof AdkApiClient };
  client = new published.AdkApiClient({ backendUrl });
  // The client sends no credential, so the test adds one.
  globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    request.headers.set('authorization', `Bearer ${token}`);
    return plainFetch(request);
  };
});

afterAll(() => {
  globalThis.fetch = plainFetch;
});

test('the ADK client lists applications', async () => {
  expect(await client.listApps()).toEqual(expect.arrayContaining(['chat', 'echo']));
});

test('the ADK client creates, reads, lists and deletes sessions, with ids of its own and without', async () => {
  const made = await client.createSession({ appName: 'echo', userId, state: { a: 1 } });
  expect(made.id).toMatch(/^[0-9a-f-]{36}$/);
  const sessionId = crypto.randomUUID();
  const named = await client.createSession({ appName: 'echo', userId, sessionId });
  expect(named).toMatchObject({ id: sessionId, appName: 'echo', userId, events: [] });
  await expect(client.createSession({ appName: 'echo', userId, sessionId })).rejects.toThrow('409');

  expect(await client.getSession({ appName: 'echo', userId, sessionId })).toEqual(named);
  const listed = await client.listSessions({ appName: 'echo', userId });
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([made.id, sessionId]));
  expect((await client.listAllSessions({ userId })).map(({ id }) => id)).toContain(sessionId);

  expect(await client.deleteSession({ appName: 'echo', userId, sessionId })).toBeNull();
  await expect(client.getSession({ appName: 'echo', userId, sessionId })).rejects.toThrow('404');
});

test('the ADK client runs an agent and reads its events as they arrive, then finds them in the session', async () => {
  const { id: sessionId } = await client.createSession({ appName: 'echo', userId });
  const events = await Array.fromAsync(
    client.runAsync({ appName: 'echo', userId, sessionId, newMessage: 'one two three', streaming: true }),
  );
  const chunks = events.filter(({ partial }) => partial === true);
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.map((event) => event.content?.parts?.[0]?.text).join('')).toBe('one two three');
  expect(events.at(-1)?.content?.parts).toEqual([{ text: 'one two three' }]);

  const { events: stored } = await client.getSession({ appName: 'echo', userId, sessionId });
  expect(stored.map(({ author }) => author)).toEqual(['user', 'echo']);
  expect(stored[1]).toEqual(events.at(-1));
});

test('the ADK client gets the reason why a run failed', async () => {
  const { id: sessionId } = await client.createSession({ appName: 'echo', userId });
  const unknown = client.runAsync({ appName: 'echo', userId, sessionId: 'unknown', newMessage: 'hi' });
  await expect(unknown.next()).rejects.toThrow('404');
  const failing = client.runAsync({ appName: 'echo', userId, sessionId, newMessage: '[[fail:on purpose]]' });
  expect((await failing.next()).value).toMatchObject({ errorMessage: 'on purpose' });
  await expect(failing.next()).rejects.toThrow('ECHO_FAIL: on purpose');
});

test('the ADK client lists, loads and deletes what an agent has saved', async () => {
  const { id: sessionId } = await client.createSession({ appName: 'echo', userId });
  const session = { appName: 'echo', userId, sessionId };
  const newMessage = '[[artifact:a/note.txt one]][[artifact:a/note.txt two]] done';
  const events = await Array.fromAsync(client.runAsync({ ...session, newMessage }));
  expect(events.flatMap(({ actions }) => Object.entries(actions.artifactDelta))).toEqual([
    ['a/note.txt', 0],
    ['a/note.txt', 1],
  ]);
  expect(await client.listArtifacts(session)).toEqual(['a/note.txt']);
  const artifact = { ...session, artifactName: 'a/note.txt' };
  expect(await client.listArtifactVersions(artifact)).toEqual([0, 1]);
  expect(await client.loadArtifact(artifact)).toEqual({ text: 'two' });
  expect(await client.loadArtifact({ ...artifact, version: 0 })).toEqual({ text: 'one' });
  expect(await client.deleteArtifact(artifact)).toBeNull();
  await expect(client.loadArtifact(artifact)).rejects.toThrow('404');
});
