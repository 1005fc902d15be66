import type { EventJson } from '@agentmesh/proto/event';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { artifactCaller, type Part } from '../../artifact-caller.ts';
import { type Caller, newAccount, type SessionJson, sessionPath, textOf } from '../../caller.ts';

let caller: Caller;
let artifacts: ReturnType<typeof artifactCaller>;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
  artifacts = artifactCaller(caller);
});

const deltaOf = (event: EventJson) => event.actions.artifactDelta;
const saving = 'say [[artifact:note.txt hello there]] done';

async function load(session: SessionJson, name: string): Promise<Part> {
  return (await artifacts.get<Part>(`${sessionPath(session)}/artifacts/${name}`)).body;
}

describe('an artifact that an agent saves', () => {
  test.each([false, true])(
    'goes out as two frames of one event, streaming %s, and is stored as one',
    async (streaming) => {
      const session = await caller.createSession();
      const frames = await caller.runSse(session, saving, { streaming });
      const index = frames.findIndex((frame) => Object.keys(deltaOf(frame)).length > 0);
      const [content, delta] = frames.slice(index - 1, index + 1);
      expect(delta?.id).toBe(content?.id);
      expect(content && deltaOf(content)).toEqual({});
      expect(content?.content?.parts?.[0]).toMatchObject({
        functionResponse: { name: 'save_artifact', response: { filename: 'note.txt', version: 0 } },
      });
      expect(delta && deltaOf(delta)).toEqual({ 'note.txt': 0 });
      expect(delta).not.toHaveProperty('content');
      expect(delta?.actions.stateDelta).toEqual(content?.actions.stateDelta);
      expect(textOf(frames.at(-1))).toBe('say done');
      const { events } = await caller.readSession(session);
      const stored = events.filter(({ id }) => id === delta?.id);
      expect(stored).toHaveLength(1);
      expect(stored[0]).toMatchObject({ actions: { artifactDelta: { 'note.txt': 0 } }, content: content?.content });
      expect(await load(session, 'note.txt/versions/0')).toEqual({ text: 'hello there' });
    },
  );

  test('is one SSE frame after the answer to a call, and one event of /run', async () => {
    const session = await caller.createSession();
    const frames = await caller.runSse(session, saving, { functionCallEventId: 'e1' });
    const [response, ...others] = frames.filter((frame) => Object.keys(deltaOf(frame)).length > 0);
    expect(others).toEqual([]);
    expect(response?.content?.parts?.[0]).toHaveProperty('functionResponse');
    expect(frames.filter(({ id }) => id === response?.id)).toHaveLength(1);
    const { body } = await caller.run(session, saving);
    expect(body.map(deltaOf)).toEqual([{}, { 'note.txt': 1 }, {}]);
    expect(body[1]).toHaveProperty('content');
  });

  test('gets a new version each time, and is visible in other sessions when its name starts with user:', async () => {
    const session = await caller.createSession();
    const { body } = await caller.run(session, '[[artifact:user:a/b.txt one]][[artifact:user:a/b.txt two]]');
    expect(body.map(deltaOf).filter((delta) => Object.keys(delta).length > 0)).toEqual([
      { 'user:a/b.txt': 0 },
      { 'user:a/b.txt': 1 },
    ]);
    expect(await load(await caller.createSession(), 'user:a/b.txt')).toEqual({ text: 'two' });
  });

  test('with another media type is stored as bytes of that type', async () => {
    const session = await caller.createSession();
    const args = JSON.stringify({ filename: 'p.html', text: '<p>é</p>', mime_type: 'text/html' });
    await caller.run(session, `[[tool:save_artifact ${args}]]`);
    const data = Buffer.from('<p>é</p>').toString('base64url').padEnd(12, '=');
    expect(await load(session, 'p.html')).toEqual({ inlineData: { mimeType: 'text/html', data } });
  });

  test('under an invalid name gives the model an error, and the run goes on', async () => {
    const session = await caller.createSession();
    const { status, body } = await caller.run(session, 'x [[artifact:../up y]]');
    expect([status, textOf(body.at(-1))]).toEqual([
      200,
      expect.stringContaining('The filename must not hold a \\"..\\" segment.'),
    ]);
  });
});

describe('load_artifacts', () => {
  test('shows the model an uploaded artifact', async () => {
    const session = await caller.createSession('librarian');
    const at = `${sessionPath(session)}/artifacts`;
    await artifacts.save(at, 'user:facts.csv', { inlineData: { data: 'YSxi', mimeType: 'text/csv' } });
    await artifacts.save(at, 'note.txt', { text: 'remember' });
    const names = (...of: unknown[]) => `[[tool:load_artifacts ${JSON.stringify({ artifact_names: of })}]]`;
    const said = async (text: string) => textOf((await caller.run(session, text)).body.at(-1));
    expect(await said(names('note.txt'))).toBe('Artifact note.txt is:remember');
    expect(await said(names('facts.csv'))).toBe('Artifact facts.csv is:a,b');
    expect(await said(`x ${names('nothing', '../up')}`)).toContain('x');
    expect(await said(`x ${names(1, null)}`)).toContain('must be a list of names');
    expect(await said('[[tool:load_artifacts {"artifact_names":"x"}]]')).toContain('must be a list of names');
  });

  test('tells the model that an artifact is too large instead of loading it', async () => {
    const session = await caller.createSession('librarian');
    const at = `${sessionPath(session)}/artifacts`;
    const body = new Uint8Array(16 * 1024 * 1024 + 1);
    await artifacts.send('PUT', `${at}/huge.bin`, body, { 'content-type': 'image/png' });
    const { body: events } = await caller.run(session, '[[tool:load_artifacts {"artifact_names":["huge.bin"]}]]');
    expect(textOf(events.at(-1))).toContain('16777217 bytes are too many to be loaded');
  });
});
