import { createParser } from 'eventsource-parser';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { checkFrames, followRun } from '../../follow-run.ts';
import { Caller, newAccount, runBody, type SessionJson } from '../../caller.ts';

const url = inject('meshUrl');
let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(url);
});

interface Frame {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown> & { readonly partial?: boolean };
}

interface Watching {
  readonly headers?: Record<string, string>;
  readonly query?: string;
  /** Leaves after this number of frames. */
  readonly most?: number;
  readonly onComment?: (comment: string) => void;
}

/** Reads a stream like an EventSource, to its end or for some frames. */
async function watch(id: string, { headers, query = '', most = Infinity, onComment }: Watching = {}) {
  const leaving = new AbortController();
  const response = await fetch(`${url}/runs/${id}/events${query}`, {
    headers: { authorization: `Bearer ${caller.token}`, ...headers },
    signal: leaving.signal,
  });
  const frames: Frame[] = [];
  if (response.status !== 200 || response.body === null) {
    await response.text();
    return { status: response.status, frames };
  }
  const parser = createParser({
    onEvent: ({ event = 'message', id: frameId = '', data }) =>
      frames.push({ event, id: frameId, data: JSON.parse(data) as Frame['data'] }),
    ...(onComment && { onComment }),
  });
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(chunk);
    if (frames.length >= most) break;
  }
  leaving.abort();
  return { status: response.status, frames: frames.slice(0, most) };
}

async function start(session: SessionJson, text: string, over: object = {}): Promise<string> {
  const body = runBody(session, text, { streaming: true, ...over });
  const { status, body: run } = await caller.request<{ invocationId: string }>('POST', '/runs', body);
  expect(status).toBe(202);
  return run.invocationId;
}

const wholeOf = (frames: readonly Frame[]) =>
  frames.filter(({ event, data }) => event === 'message' && data.partial !== true).map(({ data }) => data);

describe('the events of a run', () => {
  test('are streamed before, while and after it is executed, to several viewers, with one end each', async () => {
    const session = await caller.createSession();
    const first = await start(session, '[[wait:60000]] first');
    const second = await start(session, 'second');
    const waiting = Promise.withResolvers<string>();
    const watching = [watch(first), watch(second, { onComment: waiting.resolve })];
    expect(await waiting.promise).toBe('queued 1');
    await caller.request('POST', `/runs/${first}/cancel`, {});
    const [meanwhile = { frames: [] }, queued = { frames: [] }] = await Promise.all(watching);
    const after = await watch(second);
    const { events } = await caller.readSession(session);
    const of = (id: string) => events.filter(({ invocationId }) => invocationId === id);
    expect(wholeOf(meanwhile.frames)).toEqual(of(first));
    expect(wholeOf(queued.frames)).toEqual(of(second));
    expect(wholeOf(after.frames)).toEqual(of(second));
    for (const { frames } of [meanwhile, queued, after]) {
      expect(frames.filter(({ event }) => event === 'end')).toHaveLength(1);
      expect(frames.at(-1)).toMatchObject({
        event: 'end',
        data: { status: frames === meanwhile.frames ? 'cancelled' : 'completed' },
      });
    }
    expect(after.frames.map(({ id }) => id)).toEqual(['3', '4', '4-end1']);
  });

  test('have partial ones with ids of their own while it is executed, also for a viewer who comes later', async () => {
    const id = await start(await caller.createSession(), 'some words [[wait:60000]] more');
    const first = await watch(id, { most: 2 });
    expect(first.frames.map((frame) => [frame.id, frame.data.partial])).toEqual([
      ['1', undefined],
      ['1-1', true],
    ]);
    const next = await watch(id, { most: 1, headers: { 'last-event-id': '1-1' } });
    expect(next.frames).toMatchObject([{ id: '1-2', data: { partial: true } }]);
    await caller.request('POST', `/runs/${id}/cancel`, {});
    const rest = await watch(id, { headers: { 'last-event-id': '1-2' } });
    expect(rest.frames).toMatchObject([
      { id: '2', data: { interrupted: true } },
      { event: 'end', data: { status: 'cancelled' } },
    ]);
  });

  test('open at once behind the newest one, while the run says nothing', async () => {
    const id = await start(await caller.createSession(), '[[wait:60000]] late');
    await watch(id, { most: 1 });
    const startedMs = performance.now();
    const open = await fetch(`${url}/runs/${id}/events?after=1`, {
      headers: { authorization: `Bearer ${caller.token}` },
    });
    expect([open.status, performance.now() - startedMs < 25_000]).toEqual([200, true]);
    await open.body?.cancel();
    await caller.request('POST', `/runs/${id}/cancel`, {});
  });

  test('come behind the place that a client names, and not again after the end', async () => {
    const id = await start(await caller.createSession(), 'hello');
    const { frames } = await watch(id);
    const whole = frames.filter(({ event, data }) => event === 'message' && data.partial !== true);
    const [first, second] = whole;
    const rest = await watch(id, { headers: { 'last-event-id': first?.id ?? '' } });
    expect(wholeOf(rest.frames)).toEqual([second?.data]);
    expect(wholeOf((await watch(id, { query: `?after=${first?.id}` })).frames)).toEqual([second?.data]);
    expect(await watch(id, { headers: { 'last-event-id': frames.at(-1)?.id ?? '' } })).toMatchObject({ status: 204 });
    expect(await watch(id, { query: '?after=nonsense' })).toMatchObject({ status: 422 });
  });

  test('all come once and in order, wherever a client is cut off', async () => {
    const text = Array.from({ length: 4 }, (_, n) => `[[tool:get_current_time {}]] word${n} and more `).join('');
    const session = await caller.createSession();
    const run = await start(session, text);
    const options = { urls: [url], token: caller.token ?? '', run, random: Math.random, mostBytes: 3_000 };
    const followed = await Promise.all([followRun(options), followRun(options)]);
    const { events } = await caller.readSession(session);
    for (const { frames } of followed) {
      checkFrames(
        frames,
        events.map(({ id }) => id),
      );
    }
    expect(followed.reduce((sum, { cuts }) => sum + cuts, 0)).toBeGreaterThan(2);
  });

  test('end with the record of a run that waits, and go on after its answer', async () => {
    const session = await caller.createSession();
    const id = await start(session, '[[tool:request_input {}]]');
    const asked = await watch(id);
    const { id: place = '', data } = asked.frames.at(-1) ?? {};
    expect(data).toMatchObject({ status: 'waiting' });
    const [call] = (data?.['waitingFor'] ?? []) as { functionCallId: string; name: string }[];
    const functionResponse = { id: call?.functionCallId, name: call?.name, response: { result: 'blue' } };
    const newMessage = { role: 'user', parts: [{ functionResponse }] };
    expect(await caller.run(session, '', { newMessage })).toMatchObject({ status: 200 });
    const rest = await watch(id, { headers: { 'last-event-id': place } });
    expect(rest.frames.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed', attempt: 2 } });
    expect([...wholeOf(asked.frames), ...wholeOf(rest.frames)]).toEqual((await caller.readSession(session)).events);
  });

  test('end again for a client who saw the run wait, when it was cancelled since', async () => {
    const id = await start(await caller.createSession(), '[[tool:request_input {}]]');
    const { id: place = '' } = (await watch(id)).frames.at(-1) ?? {};
    await caller.request('POST', `/runs/${id}/cancel`, {});
    const rest = await watch(id, { headers: { 'last-event-id': place } });
    expect(rest.frames).toMatchObject([
      { data: { errorCode: 'CANCELLED' } },
      { event: 'end', data: { status: 'cancelled' } },
    ]);
  });
});

describe('a ticket', () => {
  const ticketOf = async (id: string, by = caller) =>
    by.request<{ ticket: string }>('POST', `/runs/${id}/events/ticket`, {});

  test('opens the events of its run without a header, and of no other', async () => {
    const session = await caller.createSession();
    const [id, other] = [await start(session, 'hello'), await start(session, 'other')];
    const { status, body } = await ticketOf(id);
    expect(status).toBe(201);
    // Proxies log it: no part of it is readable.
    const parts = body.ticket.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(parts.join()).not.toContain(id);
    expect(parts.join()).not.toContain('"sub"');
    const open = (run: string, ticket: string) => fetch(`${url}/runs/${run}/events?ticket=${ticket}`);
    const text = await (await open(id, body.ticket)).text();
    expect(text).toContain('event: end');
    expect((await open(other, body.ticket)).status).toBe(401);
    expect((await open(id, `${body.ticket}x`)).status).toBe(401);
    expect((await open(id, caller.token ?? '')).status).toBe(401);
    expect(await new Caller(url, body.ticket).request('GET', `/runs/${id}`)).toMatchObject({ status: 401 });
  });

  test('is not given for a run of another account, whose events are not found either', async () => {
    const id = await start(await caller.createSession(), 'hello');
    const stranger = await newAccount(url);
    expect(await ticketOf(id, stranger)).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
    expect(await stranger.request('GET', `/runs/${id}/events`)).toMatchObject({
      status: 404,
      body: { code: 'run_not_found' },
    });
  });
});
