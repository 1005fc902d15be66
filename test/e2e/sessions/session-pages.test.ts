import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Answer, type Caller, newAccount, type SessionJson, sessionPath, textOf } from '../../caller.ts';

let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

/** Fetches all pages from `path` on by the `Link` header of each. */
async function follow<Body>(path: string): Promise<Body[]> {
  const pages: Body[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Answer<Body> = await caller.request<Body>('GET', next);
    expect(answer.status).toBe(200);
    pages.push(answer.body);
    const link: string | undefined = /^<(.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    expect(link?.includes(answer.headers.get('x-next-cursor') ?? 'none') ?? true).toBe(true);
    next = link === undefined ? undefined : new URL(link, caller.url + next).href.slice(caller.url.length);
  }
  return pages;
}

async function createEvents(count: number): Promise<SessionJson> {
  const events = Array.from({ length: count }, (_, index) => ({
    author: 'agent',
    content: { role: 'model', parts: [{ text: String(index) }] },
  }));
  return caller.createSession('echo', { events, state: { a: 1 } });
}

describe('the list of sessions', () => {
  test.each([
    ['limit=2', [['p0', 'p1'], ['p2', 'p3'], ['p4']]],
    ['limit=2&order=desc', [['p4', 'p3'], ['p2', 'p1'], ['p0']]],
    ['limit=5', [['p0', 'p1', 'p2', 'p3', 'p4']]],
    ['order=desc', [['p4', 'p3', 'p2', 'p1', 'p0']]],
  ])('is read page by page by ?%s, each a bare array', async (query, wanted) => {
    const owner = await newAccount(inject('meshUrl'));
    for (let n = 0; n < 5; n++) await owner.createSession('paged', { sessionId: `p${n}` });
    caller = owner;
    const pages = await follow<SessionJson[]>(`/apps/paged/users/u1/sessions?${query}`);
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual(wanted);
  });

  test('is complete and has no cursor when the request has no page parameter', async () => {
    for (let n = 0; n < 3; n++) await caller.createSession('whole');
    const { body, headers } = await caller.request<SessionJson[]>(
      'GET',
      '/apps/whole/users/u1/sessions?relative_path=./',
    );
    expect(body).toHaveLength(3);
    expect(headers.has('x-next-cursor') || headers.has('link')).toBe(false);
  });
});

test('the link to the next page keeps the filters of a list, also behind a question mark in one', async () => {
  const { body: session } = await caller.request<SessionJson>('POST', '/apps/echo/users/who%3F/sessions', {});
  for (const text of ['one', 'two']) await caller.run(session, text);
  const pages = await follow<{ userId: string }[]>('/runs?user=who?&status=completed&limit=1');
  expect(pages.map((page) => page.map(({ userId }) => userId))).toEqual([['who?'], ['who?']]);
});

describe('the events of a session', () => {
  test.each([
    ['limit=3', [['0', '1', '2'], ['3', '4', '5'], ['6']]],
    [
      'limit=4&order=desc',
      [
        ['6', '5', '4', '3'],
        ['2', '1', '0'],
      ],
    ],
    ['limit=7', [['0', '1', '2', '3', '4', '5', '6']]],
  ])('are read page by page by ?%s, the session around them', async (query, wanted) => {
    const session = await createEvents(7);
    const pages = await follow<SessionJson>(`${sessionPath(session)}?${query}`);
    expect(pages.map(({ events }) => events.map(textOf))).toEqual(wanted);
    for (const page of pages) expect(page).toMatchObject({ id: session.id, state: { a: 1 } });
  });

  test('of a missing session are 404', async () => {
    const answer = await caller.request('GET', '/apps/echo/users/u1/sessions/none?limit=1');
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Session not found' } });
  });
});

describe('a page', () => {
  test.each([
    ['limit=0', 'greater_than_equal', 'limit', { ge: 1 }],
    ['limit=501', 'less_than_equal', 'limit', { le: 500 }],
    ['limit=', 'int_parsing', 'limit', undefined],
    ['limit=1.5', 'int_parsing', 'limit', undefined],
    ['order=up', 'literal_error', 'order', { expected: "'asc' or 'desc'" }],
    ['cursor=', 'value_error', 'cursor', { error: 'the cursor is not one of this list' }],
    ['cursor=%00', 'value_error', 'cursor', { error: 'the cursor is not one of this list' }],
    ['cursor=AAAAAAAAAAAAAAAAAAAA', 'value_error', 'cursor', { error: 'the cursor is not one of this list' }],
  ])('is refused by ?%s with 422', async (query, type, field, ctx) => {
    const session = await createEvents(1);
    for (const path of ['/apps/echo/users/u1/sessions', sessionPath(session)]) {
      const { status, body } = await caller.request('GET', `${path}?${query}`);
      expect(status).toBe(422);
      expect(body.detail).toEqual([expect.objectContaining({ type, loc: ['query', field], ...(ctx && { ctx }) })]);
    }
  });

  test('has a cursor that is refused for another list, in another order and after any change', async () => {
    const session = await createEvents(3);
    const other = await createEvents(3);
    const first = await caller.request('GET', `${sessionPath(session)}?limit=1`);
    const cursor = first.headers.get('x-next-cursor') ?? '';
    const changed = cursor.slice(0, -2) + (cursor.endsWith('AA') ? 'BB' : 'AA');
    const stranger = await newAccount(inject('meshUrl'));
    await stranger.createSession('echo', { sessionId: session.id });
    const asked: [Caller, string][] = [
      [caller, `${sessionPath(other)}?cursor=${cursor}`],
      [caller, `/apps/echo/users/u1/sessions?cursor=${cursor}`],
      [caller, `${sessionPath(session)}?cursor=${changed}`],
      [caller, `${sessionPath(session)}?cursor=${cursor}&order=desc`],
      [stranger, `${sessionPath(session)}?cursor=${cursor}`],
    ];
    for (const [who, path] of asked) expect((await who.request('GET', path)).status).toBe(422);
    expect((await caller.request('GET', `${sessionPath(session)}?cursor=${cursor}`)).status).toBe(200);
  });
});

describe('the revision of a session', () => {
  function patch(session: SessionJson, ifMatch: string, delta: object = { n: 1 }): Promise<Response> {
    return fetch(caller.url + sessionPath(session), {
      method: 'PATCH',
      headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json', 'if-match': ifMatch },
      body: JSON.stringify({ stateDelta: delta }),
    });
  }

  test('is its ETag when it is created, read and changed', async () => {
    const made = await caller.request<SessionJson>('POST', '/apps/echo/users/u1/sessions');
    const read = await caller.request('GET', sessionPath(made.body));
    const page = await caller.request('GET', `${sessionPath(made.body)}?limit=1`);
    const tag = made.headers.get('etag');
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect([read.headers.get('etag'), page.headers.get('etag')]).toEqual([tag, tag]);
    const changed = await patch(made.body, tag ?? '');
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
    expect((await caller.request('GET', sessionPath(made.body))).headers.get('etag')).toBe(changed.headers.get('etag'));
  });

  test('that does not match If-Match makes a PATCH fail with 412 and change nothing', async () => {
    const made = await caller.request<SessionJson>('POST', '/apps/echo/users/u1/sessions');
    const tag = made.headers.get('etag') ?? '';
    await patch(made.body, tag, { n: 1 });
    for (const stale of [tag, '"other"', `W/${tag}`, 'no tag', '']) {
      const answer = await patch(made.body, stale, { n: 2 });
      expect(answer.status).toBe(412);
      expect(await answer.json()).toMatchObject({
        detail: expect.stringContaining('has changed'),
        code: 'session_changed',
      });
    }
    expect(await caller.readSession(made.body)).toMatchObject({ state: { n: 1 }, events: [{}] });
  });

  test('may match one of several tags, or *', async () => {
    const made = await caller.request<SessionJson>('POST', '/apps/echo/users/u1/sessions');
    const first = await patch(made.body, `"other", ${made.headers.get('etag')}`);
    const second = await patch(made.body, '*');
    expect([first.status, second.status]).toEqual([200, 200]);
  });
});
