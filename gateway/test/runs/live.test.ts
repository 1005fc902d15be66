import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Edge, startEdge, token } from '../edge.ts';
import * as live from './live-client.ts';
import { content, echo, place, say, servicesOf, textOf } from './live-client.ts';

let edge: Edge;
let authorization: string;
beforeAll(async () => {
  edge = await startEdge(servicesOf());
  authorization = `Bearer ${await token({})}`;
});
afterAll(() => edge[Symbol.asyncDispose]());

interface Dial extends Partial<live.Dial> {
  readonly of?: Edge;
}

const dial = ({ of = edge, headers = { authorization }, ...rest }: Dial = {}) => live.dial(of, { headers, ...rest });

async function refusedWith(client: live.Client): Promise<number | undefined> {
  const [, response] = (await once(client.socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
  client.socket.on('error', () => undefined).terminate();
  return response.statusCode;
}

describe('a live connection', () => {
  it('runs one message after the other, in order, and sends their events', async () => {
    const client = dial();
    await say(
      client,
      content('one'),
      JSON.stringify({ content: { parts: [{ text: 'two' }] }, activity_end: null }),
      '{}',
    );
    await client.turns(2);
    const said = client.frames.map(({ text, turnComplete, author }) => text ?? (turnComplete && author));
    expect(said).toEqual(['o', 'one', 'clerk', 't', 'two', 'clerk']);
    expect(client.frames[2]).toMatchObject({ invocationId: 'e-one', turnComplete: true });
    await say(client, '{"close":true}');
    expect(await client.closed).toEqual([1000, '']);
  });

  it("needs credentials: the header, the subprotocol, or the web UI's cookie if the UI is on", async () => {
    for (const headers of [{}, { authorization: 'Bearer x' }]) expect(await refusedWith(dial({ headers }))).toBe(401);
    expect(await refusedWith(dial({ headers: { cookie: 'agentmesh=x' } }))).toBe(403);
    await using plain = await startEdge({ ...servicesOf(), env: { CONSOLE: 'false' } });
    expect(await refusedWith(dial({ of: plain, headers: { cookie: 'agentmesh=x' } }))).toBe(401);
    const client = dial({ headers: {}, protocols: ['agentmesh.v1', `bearer.${authorization.slice(7)}`] });
    await say(client, content('one'));
    await client.turns(1);
    expect(client.socket.protocol).toBe('agentmesh.v1');
  });

  it("accepts the web UI's cookie only from its own pages", async () => {
    const signIn = async () => ({ accessToken: await token({}) });
    const env = { ADK_WEB_UI: 'true', CORS_ALLOWED_ORIGINS: 'https://app.example' };
    await using own = await startEdge({ ...servicesOf(), env, auth: { signIn } });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: own.url };
    const form = { text: 'email=a@example.com&password=right', headers, redirect: 'manual' } as const;
    const cookie = (await own.send('/dev-ui/sign-in', form)).headers.get('set-cookie')?.split(';')[0] ?? '';
    const client = dial({ of: own, headers: { cookie, origin: own.url } });
    await say(client, content('one'));
    await client.turns(1);
    client.socket.close();
    expect(await refusedWith(dial({ of: own, headers: { cookie } }))).toBe(403);
    expect(await refusedWith(dial({ of: own, headers: { cookie, origin: 'https://app.example' } }))).toBe(403);
    const foreign = dial({ of: own, headers: { cookie, origin: 'https://evil.example' } });
    expect((await foreign.closed)[0]).toBe(1008);
  });

  it.each([
    ['another origin', { headers: { origin: 'https://evil.example' } }, [1008, 'Forbidden: origin not allowed']],
    ['another host', { headers: { host: 'evil.example' } }, [1008, 'Forbidden: host not allowed']],
    ['no app', { query: 'user_id=u&session_id=s' }, [1008, 'app_name: Field required']],
    ['no session', { query: 'app_name=shop&user_id=u' }, [1008, 'session_id: Field required']],
    ['an unknown app', { query: 'app_name=x&user_id=u&session_id=s' }, [1008, "No root_agent found for 'x'"]],
    ['an unknown session', { query: 'app_name=shop&user_id=u&session_id=x' }, [1002, 'Session not found']],
    ['an unknown modality', { query: `${place}&modalities=TEXT&modalities=SMELL` }, [1008, expect.any(String)]],
  ])('of %s is closed and says why', async (_, { headers, query }: Dial, ending) => {
    const client = dial({ headers: { authorization, ...headers }, ...(query === undefined ? {} : { query }) });
    expect(await client.closed).toEqual(ending);
  });

  it.each([
    ['audio', JSON.stringify({ blob: { mime_type: 'audio/pcm;rate=16000', data: 'AAAA' } }), 1003, /live model/],
    ['speech', JSON.stringify({ activityStart: {} }), 1003, /live model/],
    ['bytes', Buffer.from([1, 2, 3]), 1003, /JSON/],
    ['no JSON', '{', 1007, /JSON decode error/],
    ['no content', JSON.stringify({ content: { parts: 'x' } }), 1007, /^content\.parts: /],
    ['a refused message', content('refused'), 1011, /^No parts/],
    ['a failing run', content('fail'), 1011, /^ValueError: ü+$/],
    ['a message to a session that has gone', content('gone'), 1002, /^Session not found$/],
  ])('ends with a code that says why after %s', async (_, message, code, reason) => {
    const client = dial();
    await say(client, message);
    const [given, why] = await client.closed;
    expect([given, why]).toEqual([code, expect.stringMatching(reason)]);
    expect(Buffer.byteLength(why)).toBeLessThanOrEqual(123);
  });

  it('is closed for a frame above the body limit', async () => {
    await using small = await startEdge({ ...servicesOf(), env: { GATEWAY_MAX_BODY_BYTES: '1000' } });
    const client = dial({ of: small });
    await say(client, content('x'.repeat(2_000)));
    expect((await client.closed)[0]).toBe(1009);
  });

  it('shares the room of all bodies: a message that does not end is given up for others', async () => {
    const kib = 1024;
    const env = { GATEWAY_MAX_BODY_BYTES: String(256 * kib), GATEWAY_MAX_BODIES_BYTES: String(320 * kib) };
    await using small = await startEdge({ ...servicesOf(), env });
    const [first, second] = [dial({ of: small }), dial({ of: small })];
    const begin = async ({ socket }: live.Client) => {
      if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open');
      await new Promise((resolve) => socket.send('x'.repeat(170 * kib), { fin: false }, resolve));
    };
    await Promise.all([begin(first), begin(second)]);
    const [gone, left] = await Promise.race([
      first.closed.then(([code]) => [code, second] as const),
      second.closed.then(([code]) => [code, first] as const),
    ]);
    expect(gone).toBe(1013);
    const text = `{"a":"${'x'.repeat(200 * kib)}`;
    await small.send('/run', { text, headers: { 'content-type': 'application/json' } });
    expect((await left.closed)[0]).toBe(1013);
    const third = dial({ of: small });
    await say(third, content('x'.repeat(200 * kib)));
    await third.turns(1);
    third.socket.close();
  });

  it('counts its messages among all runs that arrive, and is closed with the limit that one passes', async () => {
    const accepting = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const services = servicesOf(async function* (request, signal) {
      asked.resolve();
      await accepting.promise;
      yield* echo(request, signal);
    });
    await using own = await startEdge({ ...services, env: { GATEWAY_MAX_ARRIVING_RUNS: '1' } });
    const [first, second] = [dial({ of: own }), dial({ of: own })];
    await say(first, content('one'));
    await asked.promise;
    await say(second, content('two'));
    expect(await second.closed).toEqual([1013, expect.stringContaining('GATEWAY_MAX_ARRIVING_RUNS')]);
    accepting.resolve();
    await first.turns(1);
    first.socket.close();
  });

  it('counts each message as a request of the account', async () => {
    await using own = await startEdge({ ...servicesOf(), env: { RATE_LIMIT_ACCOUNT_PER_MINUTE: '2' } });
    const client = dial({ of: own });
    await say(client, content('one'), content('two'));
    expect(await client.closed).toEqual([1013, expect.stringContaining('RATE_LIMIT_ACCOUNT_PER_MINUTE')]);
    expect(client.frames.map(({ text }) => text)).toContain('one');
  });

  it('leaves the run when the viewer disconnects, and starts no other', async () => {
    const started: string[] = [];
    const left = Promise.withResolvers<void>();
    await using own = await startEdge(
      servicesOf(async function* (request, signal) {
        started.push(textOf(request));
        signal.addEventListener('abort', () => left.resolve());
        yield* echo(request, signal);
      }),
    );
    const client = dial({ of: own });
    await say(client, content('slow'), content('never'));
    await once(client.socket, 'message');
    client.socket.terminate();
    await left.promise;
    expect(started).toEqual(['slow']);
  });

  it('slows down a client that sends faster than it is answered, and loses nothing', async () => {
    const client = dial();
    const messages = Array.from({ length: 60 }, (_, index) => `m${index}`);
    await say(client, ...messages.map(content));
    await client.turns(messages.length);
    const whole = client.frames.filter(({ text }) => text !== undefined && text.length > 1).map(({ text }) => text);
    expect(whole).toEqual(messages);
    client.socket.close();
  });

  it('reads a bounded number of messages during a run', async () => {
    await using own = await startEdge(servicesOf());
    const client = dial({ of: own });
    const large = content('x'.repeat(200_000));
    await say(client, content('slow'), ...Array.from({ length: 150 }, () => large));
    await once(client.socket, 'message');
    let last = -1;
    const isStill = () => last === (last = client.socket.bufferedAmount);
    await expect.poll(isStill, { interval: 300 }).toBe(true);
    expect(client.socket.bufferedAmount).toBeGreaterThan(10_000_000);
    client.socket.terminate();
  });

  it('is closed when the other end stops answering pings', async () => {
    await using quick = await startEdge({ ...servicesOf(), env: { GATEWAY_HEARTBEAT_SECONDS: '1' } });
    const [there, client] = [dial({ of: quick }), dial({ of: quick, autoPong: false })];
    expect((await client.closed)[0]).toBe(1006);
    expect(there.socket.readyState).toBe(WebSocket.OPEN);
    there.socket.close();
  });

  it('ends at a drain: at once if nothing runs, else after the run', async () => {
    await using own = await startEdge(servicesOf());
    const [idle, busy] = [dial({ of: own }), dial({ of: own })];
    await say(idle, content('one'));
    await idle.turns(1);
    await say(busy, content('slow'));
    await once(busy.socket, 'message');
    own.draining.abort();
    expect((await idle.closed)[0]).toBe(1001);
    expect(busy.socket.readyState).toBe(WebSocket.OPEN);
    busy.socket.close();
    await own.drain();
  });

  it('ends when its token has ended', async () => {
    await using own = await startEdge(servicesOf());
    // Long enough for a first turn, also when a second has just passed.
    const exp = Math.floor(Date.now() / 1000) + 4;
    const client = dial({ of: own, headers: { authorization: `Bearer ${await token({ exp })}` } });
    await say(client, content('one'));
    await client.turns(1);
    await expect
      .poll(async () => {
        if (client.socket.readyState === WebSocket.OPEN) client.socket.send(content('again'));
        return client.socket.readyState;
      })
      .toBe(WebSocket.CLOSED);
    expect(await client.closed).toEqual([1008, 'Could not validate credentials']);
  });
});

describe('the path of live connections', () => {
  it('is 426 for plain requests, and no other path accepts a WebSocket', async () => {
    const { status, headers } = await edge.send('/run_live');
    expect([status, headers.get('upgrade')]).toEqual([426, 'websocket']);
    const socket = new WebSocket(`${edge.url.replace('http', 'ws')}/health`);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
    expect(response.statusCode).toBe(200);
    socket.on('error', () => undefined).terminate();
  });

  it('survives invalid frames', async () => {
    const { hostname, port } = new URL(edge.url);
    const head = [
      `GET /run_live?${place} HTTP/1.1`,
      `host: ${hostname}`,
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`,
      `authorization: ${authorization}`,
    ];
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 2, maxLength: 200 }), async (garbage) => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined);
        socket.write(`${head.join('\r\n')}\r\n\r\n`);
        await once(socket, 'data');
        socket.end(garbage);
        await once(socket.resume(), 'close');
      }),
      { numRuns: 40 },
    );
    expect((await edge.send('/health')).status).toBe(200);
  });

  it('survives arbitrary messages', async () => {
    const frame = fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array().map((array) => Buffer.from(array)),
      fc
        .record({ content: fc.anything(), blob: fc.anything(), close: fc.anything() }, { requiredKeys: [] })
        .map((value) => JSON.stringify(value) ?? ''),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 5 }), async (sent) => {
        const client = dial();
        await say(client, ...sent, '{"close":true}');
        const [code] = await client.closed;
        expect([1000, 1003, 1007, 1011]).toContain(code);
      }),
      { numRuns: 60 },
    );
    expect((await edge.send('/health')).status).toBe(200);
    expect(edge.logged.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
});
