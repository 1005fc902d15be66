import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount, type SessionJson, sessionPath } from '../../caller.ts';

interface Memory {
  readonly id: string;
  readonly content: { readonly parts: readonly { readonly text?: string }[] };
  readonly [key: string]: unknown;
}
interface Memories {
  readonly memories: readonly Memory[];
}

const path = '/apps/echo/users/u1/memory';
let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

function eventsOf(texts: readonly string[]): object[] {
  return texts.map((text) => ({ author: 'user', content: { role: 'user', parts: [{ text }] } }));
}

async function remember(who: Caller, ...texts: string[]): Promise<SessionJson> {
  const session = await who.createSession('echo', { events: eventsOf(texts) });
  const answer = await who.request('PATCH', path, { sessionId: session.id });
  expect(answer).toMatchObject({ status: 200, body: null });
  return session;
}

async function search(who: Caller, query: string, more = ''): Promise<string[]> {
  const answer = await who.request<Memories>('GET', `${path}?query=${encodeURIComponent(query)}${more}`);
  expect(answer.status).toBe(200);
  return textsOf(answer.body);
}

function textsOf({ memories }: Memories): string[] {
  return memories.map(({ content }) => content.parts.map(({ text }) => text).join(' '));
}

describe('PATCH of the memory', () => {
  test('adds the messages of a run, which are found with their origin and stay when the session is deleted', async () => {
    const session = await caller.createSession();
    const { body: events } = await caller.run(session, 'the zebra eats');
    const at = { app: 'echo', session: session.id };
    expect(await caller.request('PATCH', path, { session_id: at.session })).toMatchObject({ status: 200, body: null });
    expect(await caller.request('PATCH', path, { sessionId: at.session })).toMatchObject({ status: 200, body: null });
    const { body } = await caller.request<Memories>('GET', `${path}?query=zebra`);
    expect(textsOf(body)).toEqual(['the zebra eats', 'the zebra eats']);
    const [, answer] = body.memories;
    expect(answer).toMatchObject({
      author: 'echo',
      content: events[0]?.content,
      customMetadata: {},
      sessionId: session.id,
      eventId: events[0]?.id,
      invocationId: events[0]?.invocationId,
      timestamp: new Date((events[0]?.timestamp ?? 0) * 1000).toISOString(),
    });
    await caller.request('DELETE', sessionPath(session));
    expect(await search(caller, 'zebra')).toHaveLength(2);
    expect(await caller.request('PATCH', path, { sessionId: session.id })).toMatchObject({ status: 404 });
  });

  test.each([
    ['of no session', { sessionId: 'nowhere' }, 404, 'Session not found'],
    ['of a blank id', { sessionId: '' }, 404, 'Session not found'],
    ['without an id', {}, 422, [{ loc: ['body', 'sessionId'], type: 'missing' }]],
    ['of null', { sessionId: null }, 422, [{ loc: ['body', 'sessionId'], type: 'string_type' }]],
    ['of a number', { session_id: 5 }, 422, [{ type: 'string_type' }]],
    ['without a body', 'null', 422, [{ loc: ['body'], type: 'missing' }]],
  ])('%s is refused', async (_, body, status, detail) => {
    expect(await caller.request('PATCH', path, body)).toMatchObject({ status, body: { detail } });
  });

  test('belongs to its account: others cannot find, list or delete it', async () => {
    const other = await newAccount(caller.url);
    const session = await remember(caller, 'walled garden');
    expect(await other.request('PATCH', path, { sessionId: session.id })).toMatchObject({ status: 404 });
    expect(await search(other, 'walled')).toEqual([]);
    const { body } = await caller.request<Memories>('GET', `${path}?query=walled`);
    expect(await other.request('DELETE', `${path}/${body.memories[0]?.id}`)).toMatchObject({ status: 200, body: null });
    expect(await other.request('DELETE', path)).toMatchObject({ status: 200, body: { deleted: 0 } });
    expect(await search(caller, 'walled')).toEqual(['walled garden']);
    expect((await new Caller(caller.url).request('PATCH', path, { sessionId: session.id })).status).toBe(401);
    for (const where of ['/apps/other/users/u1/memory', '/apps/echo/users/u2/memory']) {
      expect(textsOf((await caller.request<Memories>('GET', `${where}?query=walled`)).body)).toEqual([]);
    }
  });
});

describe('over HTTP', () => {
  test('a memory is listed page by page and deleted by id, by session and as a whole', async () => {
    const who = await newAccount(caller.url);
    const session = await remember(who, 'one', 'two', 'three');
    await remember(who, 'four');
    const first = await who.request<Memories>('GET', `${path}?limit=3`);
    expect(textsOf(first.body)).toEqual(['one', 'two', 'three']);
    const cursor = first.headers.get('x-next-cursor') ?? '';
    const second = await who.request<Memories>('GET', `${path}?limit=3&cursor=${cursor}`);
    expect(textsOf(second.body)).toEqual(['four']);
    expect(second.headers.get('x-next-cursor')).toBeNull();
    expect((await who.request('GET', `${path}?cursor=x${cursor}`)).status).toBe(422);

    const id = first.body.memories[1]?.id;
    for (let i = 0; i < 2; i++) {
      expect(await who.request('DELETE', `${path}/${id}`)).toMatchObject({ status: 200, body: null });
    }
    expect(await search(who, 'one two three')).toEqual(['one', 'three']);
    expect((await who.request('DELETE', `${path}?sessionId=${session.id}`)).body).toEqual({ deleted: 2 });
    expect(await who.request('DELETE', `${path}?sessionId=`)).toMatchObject({ status: 422 });
    expect(await who.request('DELETE', `${path}?sessionID=${session.id}`)).toMatchObject({ status: 422 });
    expect(await who.request('GET', `${path}?session_id=`)).toMatchObject({ status: 422 });
    expect((await who.request('DELETE', path)).body).toEqual({ deleted: 1 });
    expect((await who.request('GET', path)).body).toEqual({ memories: [] });
  });

  test.each(['', "cat & | ! :* <-> ' \\", '猫'.repeat(900), 'a\0b', '%', '"'])(
    'the query %.20j is text',
    async (query) => {
      await search(caller, query);
    },
  );

  test.each(['limit=0', 'limit=501', 'limit=x', `sessionId=${'x'.repeat(600)}`])('%s is 422', async (query) => {
    expect((await caller.request('GET', `${path}?${query}`)).status).toBe(422);
  });
});

describe('an agent with load_memory', () => {
  test('finds what its user said in other sessions, and nothing of other users', async () => {
    const who = await newAccount(caller.url);
    const past = await who.createSession('remember');
    await who.run(past, 'my parrot is called Pepe');
    await who.request('PATCH', '/apps/remember/users/u1/memory', { sessionId: past.id });
    const found = async (other: Caller): Promise<unknown> => {
      const session = await other.createSession('remember');
      const { body } = await other.run(session, 'look [[tool:load_memory {"query":"Pepe"}]]');
      return body.flatMap(({ content }) => content?.parts ?? []).find((part) => part.functionResponse)
        ?.functionResponse;
    };
    const memories = ['u1', 'remember'].map(() => expect.stringContaining('Pepe') as unknown);
    expect(await found(who)).toMatchObject({
      name: 'load_memory',
      response: {
        memories: memories.map((content) => ({ content, author: expect.any(String), timestamp: expect.any(String) })),
      },
    });
    expect(await found(await newAccount(caller.url))).toMatchObject({ response: { memories: [] } });
  });
});
