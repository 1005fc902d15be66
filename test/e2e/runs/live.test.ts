import { once } from 'node:events';
import { beforeAll, expect, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import { Caller, type Frame, newAccount, type SessionJson, textOf } from '../../caller.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

interface Conversation {
  readonly socket: WebSocket;
  /** Sends a text and resolves with the events of its turn. */
  readonly say: (text: string) => Promise<Frame[]>;
}

function dial({ appName, userId, id }: SessionJson, { token } = caller): Conversation {
  const query = new URLSearchParams({ app_name: appName, user_id: userId, session_id: id, modalities: 'TEXT' });
  const address = `${inject('meshUrl').replace('http', 'ws')}/run_live?${query.toString()}`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  return {
    socket,
    say: async (text) => {
      if (socket.readyState === WebSocket.CONNECTING) await once(socket, 'open');
      const frames: Frame[] = [];
      const { promise, resolve } = Promise.withResolvers<Frame[]>();
      const collect = (data: Buffer): void => {
        const frame = JSON.parse(data.toString()) as Frame;
        frames.push(frame);
        if (frame['turnComplete'] === true) resolve(frames);
      };
      socket.on('message', collect);
      socket.send(JSON.stringify({ content: { parts: [{ text }] } }));
      return promise.finally(() => socket.off('message', collect));
    },
  };
}

test('text turns over a live connection are runs whose events are sent at once and stored', async () => {
  const session = await caller.createSession('echo');
  const { socket, say } = dial(session);
  const first = await say('one two three');
  expect(
    first
      .filter(({ partial }) => partial === true)
      .map(textOf)
      .join(''),
  ).toBe('one two three');
  const whole = first.filter((event) => event.partial !== true && event['turnComplete'] !== true);
  expect(whole.map(textOf)).toEqual(['one two three']);
  const second = await say('what is the time? [[tool:get_current_time {}]]');
  expect(JSON.stringify(second)).toContain('functionResponse');
  socket.send('{"close":true}');
  expect((await once(socket, 'close'))[0]).toBe(1000);

  const { events } = await caller.readSession(session);
  expect(events[1]).toEqual(whole[0]);
  expect(events.filter(({ author }) => author === 'user')).toHaveLength(2);
});

test('a run goes on when its live connection closes', async () => {
  const session = await caller.createSession('echo');
  const { socket, say } = dial(session);
  void say('goes on [[wait:500]] to the end');
  await once(socket, 'message');
  socket.terminate();
  await expect.poll(async () => textOf((await caller.readSession(session)).events[1])).toMatch(/goes on\s+to the end/);
});

test("a live connection to another account's session is refused", async () => {
  const session = await caller.createSession('echo');
  const { socket } = dial(session, await newAccount(inject('meshUrl')));
  const [code, reason] = await once(socket, 'close');
  expect([code, String(reason)]).toEqual([1002, 'Session not found']);
});

test('a live connection ends when its credential is revoked, also during a run', async () => {
  const account = await newAccount(inject('meshUrl'));
  const made = { name: 'live', scopes: ['runs:write'] };
  const { id, token } = (await account.request<{ id: string; token: string }>('POST', '/api/auth/tokens', made)).body;
  const session = await account.createSession('echo');
  const [{ socket, say }, other] = [dial(session, new Caller(inject('meshUrl'), token)), dial(session, account)];
  await Promise.all([once(socket, 'open'), once(other.socket, 'open')]);
  const closed = once(socket, 'close');
  void say('[[wait:60000]]');
  await expect.poll(async () => (await account.request('GET', '/runs?status=running')).body).toMatchObject([{}]);
  await account.request('DELETE', `/api/auth/tokens/${id}`);
  expect((await closed)[0]).toBe(1008);
  expect(other.socket.readyState).toBe(WebSocket.OPEN);
  other.socket.close();
  await account.request('POST', `/apps/echo/users/u1/sessions/${session.id}:cancel`, {});
});
