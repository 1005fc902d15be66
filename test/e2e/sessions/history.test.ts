import type { EventJson } from '@agentmesh/proto/event';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Answer, type Caller, newAccount, type SessionJson, sessionPath, textOf } from '../../caller.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

const rewind = (session: SessionJson, rewindBeforeInvocationId: string, by = caller) =>
  by.request<SessionJson>('POST', `${sessionPath(session)}/rewind`, { rewindBeforeInvocationId });
const fork = (session: SessionJson, body: object, by = caller) =>
  by.request<SessionJson & { code?: string }>('POST', `${sessionPath(session)}/fork`, body);
const say = async (session: SessionJson, text: string) =>
  (await caller.run(session, text)).headers.get('x-invocation-id') ?? '';
const artifact = async (session: SessionJson, name: string, version?: number) => {
  const path = `${sessionPath(session)}/artifacts/${name}${version === undefined ? '' : `/versions/${version}`}`;
  const { status, body }: Answer<{ text?: string }> = await caller.request('GET', path);
  return status === 200 ? body.text : status;
};

const ownState = ({ state }: SessionJson) =>
  Object.fromEntries(Object.entries(state).filter(([key]) => !key.startsWith('user:')));

test('a rewind and a copy leave out artifacts whose names none can have, which imported events may tell', async () => {
  const artifactDelta = { '/rooted.txt': 0, '../up.txt': 1, ' user:other.txt': 0, 'no/metadata.json': 2 };
  const content = { role: 'model', parts: [{ text: 'imported' }] };
  const events = ['e-1', 'e-2'].map((invocationId) => {
    return { author: 'echo', invocationId, content, actions: { artifactDelta } };
  });
  const session = await caller.createSession('echo', { events });
  expect(await fork(session, { invocationId: 'e-2' })).toMatchObject({ status: 200 });
  const { status, body } = await rewind(session, 'e-1');
  expect({ status, delta: body.events.at(-1)?.actions.artifactDelta }).toEqual({ status: 200, delta: {} });
});

describe('rewinding a session', () => {
  test('restores the state of the session alone, keeps all events, and agents go on from there', async () => {
    const session = await caller.createSession('echo', { state: { color: 'none', kept: { a: [1] } } });
    await say(session, '[[state:color=red]] [[state:user:name=Ada]]');
    const second = await say(session, '[[state:color=blue]] [[state:more=yes]] [[state:user:name=Eva]]');
    await caller.request('PATCH', sessionPath(session), { stateDelta: { patched: 1, kept: null } });
    const before = await caller.readSession(session);
    const { status, body } = await rewind(session, second);
    expect(status).toBe(200);
    expect(body.state).toEqual({ color: 'red', kept: { a: [1] }, 'user:name': 'Eva' });
    expect(body.events.slice(0, -1)).toEqual(before.events);
    expect(body.events.at(-1)).toMatchObject({
      author: 'user',
      actions: {
        rewindBeforeInvocationId: second,
        stateDelta: { color: 'red', more: null, patched: null, kept: { a: [1] } },
      },
    });
    const first = before.events[0]?.invocationId ?? '';
    expect((await rewind(session, first)).body.state).toEqual({ color: 'none', kept: { a: [1] }, 'user:name': 'Eva' });
    expect(await say(session, 'after')).not.toBe('');
    expect(textOf((await caller.readSession(session)).events.at(-1))).toBe('after');
  });

  test('restores artifacts as new versions, and keeps the others', async () => {
    const session = await caller.createSession();
    await say(session, '[[artifact:a.txt one]]');
    const second = await say(session, '[[artifact:a.txt two]]');
    await say(session, '[[artifact:b.txt new]]');
    const { body } = await rewind(session, second);
    expect(body.events.at(-1)?.actions.artifactDelta).toEqual({ 'a.txt': 2, 'b.txt': 1 });
    expect(await artifact(session, 'a.txt')).toBe('one');
    expect(await artifact(session, 'a.txt', 1)).toBe('two');
    expect(await artifact(session, 'b.txt')).toBe(404);
    expect(await artifact(session, 'b.txt', 0)).toBe('new');
  });

  test('cancels runs that wait since then, and answers to their calls are refused', async () => {
    const session = await caller.createSession();
    const waiting = await say(session, '[[tool:request_input {}]]');
    const run = (await caller.request(`GET`, `/runs/${waiting}`)).body;
    const [call] = run['waitingFor'] as { functionCallId: string; name: string }[];
    await rewind(session, waiting);
    expect((await caller.request('GET', `/runs/${waiting}`)).body).toMatchObject({ status: 'cancelled' });
    const functionResponse = { id: call?.functionCallId, name: call?.name, response: { result: 'late' } };
    const answer = await caller.run(session, '', { newMessage: { role: 'user', parts: [{ functionResponse }] } });
    expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ code: 'function_call_not_found' })]);
  });

  test('is refused while a run goes on, for an unknown invocation, and to another account', async () => {
    const session = await caller.createSession();
    const first = await say(session, 'one');
    const { body } = await caller.request('POST', '/runs', {
      appName: 'echo',
      userId: 'u1',
      sessionId: session.id,
      newMessage: { role: 'user', parts: [{ text: '[[wait:60000]]' }] },
    });
    expect(await rewind(session, first)).toMatchObject({ status: 409, body: { code: 'session_running' } });
    await caller.request('POST', `/runs/${body['invocationId'] as string}/cancel`, {});
    expect(await rewind(session, 'e-none')).toMatchObject({ status: 400, body: { code: 'invocation_not_found' } });
    expect((await caller.request('POST', `${sessionPath(session)}/rewind`, {})).status).toBe(422);
    const stranger = await newAccount(inject('meshUrl'));
    expect(await rewind(session, first, stranger)).toMatchObject({ status: 404, body: { code: 'session_not_found' } });
    expect((await rewind(session, first)).status).toBe(200);
  });
});

describe('copying a session', () => {
  test('takes the events up to one, with state and artifacts as of that event', async () => {
    const session = await caller.createSession('echo', { state: { color: 'none', same: 1 } });
    const first = await say(session, '[[state:color=red]] [[artifact:a.txt one]]');
    await say(session, '[[state:color=blue]] [[state:more=yes]] [[artifact:a.txt two]] [[artifact:b.txt new]]');
    const source = await caller.readSession(session);
    const { status, body } = await fork(session, { invocationId: first, sessionId: `copy of ${session.id}` });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: `copy of ${session.id}`, appName: 'echo', userId: 'u1' });
    const last = source.events.findLastIndex(({ invocationId }) => invocationId === first);
    expect(body.events).toEqual(source.events.slice(0, last + 1));
    expect(ownState(body)).toEqual({ color: 'red', same: 1 });
    const copy = { ...body, id: encodeURIComponent(body.id) };
    expect([await artifact(copy, 'a.txt'), await artifact(copy, 'b.txt')]).toEqual(['one', 404]);
    await say(body, '[[artifact:a.txt other]]');
    expect([await artifact(copy, 'a.txt', 1), await artifact(session, 'a.txt')]).toEqual(['other', 'two']);
    expect(await caller.readSession(session)).toEqual(source);
  });

  test('begins at any event, also one that was rewound, and gets a random id', async () => {
    const session = await caller.createSession();
    await say(session, 'one');
    const second = await say(session, '[[state:a=1]]');
    await rewind(session, second);
    const { events } = await caller.readSession(session);
    const found = events.find(({ invocationId }) => invocationId === second) as EventJson;
    const { body } = await fork(session, { eventId: found.id });
    expect(body.id).not.toBe(session.id);
    expect(body.events).toEqual(events.slice(0, events.indexOf(found) + 1));
    const whole = await fork(session, { eventId: events.at(-1)?.id });
    expect(ownState(whole.body)).toEqual({});
  });

  test('is refused for the id of a deleted session that has left another artifact of a name, until that is deleted', async () => {
    const [session, gone] = [await caller.createSession(), await caller.createSession()];
    await say(gone, '[[artifact:a.txt old]]');
    await caller.request('DELETE', sessionPath(gone));
    const invocationId = await say(session, '[[artifact:a.txt one]] [[artifact:b.txt new]]');
    const copy = () => fork(session, { invocationId, sessionId: gone.id });
    expect(await copy()).toMatchObject({ status: 409, body: { code: 'artifact_exists' } });
    expect([await artifact(gone, 'a.txt'), await artifact(gone, 'b.txt')]).toEqual(['old', 404]);
    expect((await caller.request('GET', sessionPath(gone))).status).toBe(404);
    await caller.request('DELETE', `${sessionPath(gone)}/artifacts/a.txt`);
    expect((await copy()).status).toBe(200);
    expect([await artifact(gone, 'a.txt'), await artifact(gone, 'b.txt')]).toEqual(['one', 'new']);
    await caller.request('DELETE', sessionPath(gone));
    expect((await copy()).status).toBe(200);
  });

  test('is refused for an id that is taken, for an unknown event or two ends, and to another account', async () => {
    const session = await caller.createSession();
    const invocationId = await say(session, 'one');
    for (const [body, status, code] of [
      [{ invocationId, sessionId: session.id }, 409, 'session_exists'],
      [{ invocationId: 'e-none' }, 400, 'invocation_not_found'],
      [{ eventId: 'none' }, 400, 'event_not_found'],
      [{ eventId: 'none', invocationId }, 422, 'request_invalid'],
    ] as const) {
      expect(await fork(session, body)).toMatchObject({ status, body: { code } });
    }
    expect((await fork(session, {})).status).toBe(422);
    const both = { body: { detail: [{ loc: ['body', 'invocationId'] }] } };
    expect(await fork(session, { eventId: 'none', invocationId })).toMatchObject(both);
    const stranger = await newAccount(inject('meshUrl'));
    expect(await fork(session, { invocationId }, stranger)).toMatchObject({ body: { code: 'session_not_found' } });
  });
});
