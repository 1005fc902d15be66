import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller, newAccount, type SessionJson, sessionPath } from '../caller.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../fakes/openai.ts';
import { agentsDir, startMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
let openAi: FakeOpenAi;
/** One account at two replicas on one database: one caches recent events of a session, the other reads them in every turn. */
let keeping: Caller;
let reading: Caller;

beforeAll(async () => {
  const database = resources.use(await testDatabaseUrl());
  openAi = resources.use(await startFakeOpenAi());
  const start = async (cacheMb: string) => {
    const env = {
      AGENTS_DIR: agentsDir,
      OPENAI_BASE_URL: openAi.baseUrl,
      RUNS_HISTORY_WINDOW: '6',
      RUNS_HISTORY_CACHE_MB: cacheMb,
      RUNS_ANSWER_TIMEOUT_SECONDS: '1',
      RUNS_DEFAULT_ANSWER: '{"result":"by default"}',
    };
    return resources.use(await startMesh({ mode: 'all', databaseUrl: database.url, env }));
  };
  const first = await start('16');
  const second = await start('0');
  keeping = await newAccount(first.url);
  reading = new Caller(second.url, keeping.token);
});
afterAll(() => resources.disposeAsync());

const toolCall = { toolCalls: [{ id: 'call_1', name: 'get_current_time', arguments: '{}' }] };

/** Has a conversation of short and long turns, with writes by others in between. Returns the model request of each turn. */
async function converse(session: SessionJson, callerOf: (turn: number) => Caller): Promise<unknown[]> {
  const asked: unknown[] = [];
  for (let turn = 0; turn < 14; turn++) {
    const caller = callerOf(turn);
    if (turn % 3 === 2) await caller.request('PATCH', sessionPath(session), { stateDelta: { turn } });
    if (turn % 5 === 1) openAi.answer(toolCall, toolCall, toolCall, { text: `told ${turn}` });
    else openAi.answer({ text: `answer ${turn}` });
    const before = openAi.requests.length;
    await caller.run(session, `question ${turn}`);
    asked.push(openAi.requests.slice(before).map(({ messages }) => withoutTimes(messages)));
  }
  return asked;
}

/** Replaces ids of calls, which are random, and times. */
function withoutTimes(messages: unknown): unknown {
  const text = JSON.stringify(messages)
    .replaceAll(/adk-[0-9a-f-]{36}/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[^"\\]*/g, 't');
  return JSON.parse(text);
}

describe('the history that a model gets', () => {
  test('is the same from a replica that caches it, from one that reads it each time, and from both alternately', async () => {
    const sessions = [];
    for (let n = 0; n < 3; n++) sessions.push(await keeping.createSession('chat'));
    const [kept, read, mixed] = sessions as [SessionJson, SessionJson, SessionJson];
    const anew = await converse(read, () => reading);
    expect(await converse(kept, () => keeping)).toEqual(anew);
    expect(await converse(mixed, (turn) => (turn % 4 < 2 ? keeping : reading))).toEqual(anew);
  });
});

describe('a model', () => {
  test('sees nothing of what was rewound, whichever replica runs its agent', async () => {
    const session = await keeping.createSession('chat');
    const asked = async (caller: Caller, text: string): Promise<string> => {
      openAi.answer({ text: `answer to ${text}` });
      const { headers } = await caller.run(session, text);
      return headers.get('x-invocation-id') ?? '';
    };
    await asked(keeping, 'first');
    const second = await asked(keeping, 'second');
    await reading.request('POST', `${sessionPath(session)}/rewind`, { rewindBeforeInvocationId: second });
    for (const caller of [keeping, reading, keeping]) {
      await asked(caller, 'later');
      const messages = JSON.stringify(openAi.requests.at(-1)?.messages);
      expect([messages.includes('answer to first'), messages.includes('second')]).toEqual([true, false]);
    }
  });
});

describe('a run whose answer does not come in time', () => {
  test('gets the default answer once, from one of the replicas', async () => {
    const session = await keeping.createSession('echo');
    const { headers } = await keeping.run(session, '[[tool:request_input {}]]');
    const read = async () => (await reading.request('GET', `/runs/${headers.get('x-invocation-id')}`)).body;
    await expect.poll(read, { timeout: 30_000 }).toMatchObject({ status: 'completed', attempt: 2 });
    const { events } = await reading.readSession(session);
    const answers = events.filter(({ author }) => author === 'user').slice(1);
    expect(answers).toMatchObject([
      { content: { parts: [{ functionResponse: { name: 'request_input', response: { result: 'by default' } } }] } },
    ]);
  });
});

describe('a deleted account', () => {
  test('is refused with 401 by the gateway of each replica within a second, on every kind of route', async () => {
    const here = await newAccount(keeping.url);
    const there = new Caller(reading.url, here.token);
    const routes = ['/api/users/me', '/list-apps', '/runs', '/api/agents', '/api/saved-api-keys', '/api/auth/sessions'];
    const statusesOf = (caller: Caller) =>
      Promise.all(routes.map(async (route) => (await caller.request('GET', route)).status));
    const all = (status: number) => routes.map(() => status);
    for (const caller of [here, there]) expect(await statusesOf(caller)).toEqual(all(200));
    const { body: me } = await here.request<{ user_id: number }>('GET', '/api/users/me');
    expect((await here.request('DELETE', `/api/users/${me.user_id}`)).status).toBe(204);
    const deletedAt = performance.now();
    /** How long it takes until all routes answer 401. Until then they answer as before, and nothing else. */
    const refusedAfter = async (caller: Caller): Promise<number> => {
      for (;;) {
        const statuses = await statusesOf(caller);
        expect(statuses.filter((status) => status !== 200 && status !== 401)).toEqual([]);
        if (statuses.every((status) => status === 401)) return performance.now() - deletedAt;
      }
    };
    const [own, other] = await Promise.all([refusedAfter(here), refusedAfter(there)]);
    // A second, and two more for a machine that is busy with other tests.
    expect(Math.max(own, other)).toBeLessThan(3_000);
  });
});
