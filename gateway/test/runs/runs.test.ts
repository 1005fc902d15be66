import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { MeshError } from '@agentmesh/lib/rpc';
import type { RunRequest, RunResponse } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RunResponseSchema } from '@agentmesh/proto/runs/v1';
import { describe, expect, it, vi } from 'vitest';
import { type Edge, type EdgeOptions, startEdge, token } from '../edge.ts';

type Step = MessageInitShape<typeof RunResponseSchema>;

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const accepted: Step = { kind: { case: 'accepted', value: { invocationId: 'e-1' } } };
const failure: Step = { kind: { case: 'failure', value: { type: 'ValueError', message: 'boom' } } };
const event = (json: object, extra: object = {}): Step => ({
  kind: { case: 'event', value: { id: randomUUID(), json: bytes(json), ...extra } },
});
const body = { appName: 'a', userId: 'u', sessionId: 's', newMessage: { parts: [{ text: 'hi' }] } };

type Run = (request: RunRequest, signal: AbortSignal) => AsyncGenerator<Step>;

function edgeOf(run: Run, env: EdgeOptions['env'] = {}): Promise<Edge> {
  return startEdge({
    env,
    runs: { run: (request, { signal }) => run(request, signal) as AsyncGenerator<RunResponse> },
  });
}

const steps = (...list: Step[]): Run =>
  async function* () {
    yield* list;
  };

/** Asks for a run, with an answer that can be read in pieces. */
async function watch(edge: Edge, path: string, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${await token({})}` };
  const sent = new TextEncoder().encode(JSON.stringify(body));
  return fetch(new URL(path, edge.url), { method: 'POST', headers, body: sent, ...(signal && { signal }) });
}

describe('/run', () => {
  it('answers with all whole events as one array and names the invocation', async () => {
    let asked: RunRequest | undefined;
    await using edge = await edgeOf(async function* (request) {
      asked = request;
      yield* [accepted, event({ n: 0 }, { partial: true }), event({ n: 1 }), event({ n: 2 })];
    });
    const answer = await edge.send('/run', {
      json: { ...body, streaming: true, stateDelta: null, customMetadata: { a: 1 } },
    });
    expect([answer.status, answer.text]).toEqual([200, '[{"n":1},{"n":2}]']);
    expect(answer.headers.get('x-invocation-id')).toBe('e-1');
    expect(asked?.streaming).toBe(false);
    expect(Buffer.from(asked?.messageJson ?? []).toString()).toBe('{"parts":[{"text":"hi"}],"role":"user"}');
    expect(asked?.stateDeltaJson).toHaveLength(0);
    expect(Buffer.from(asked?.customMetadataJson ?? []).toString()).toBe('{"a":1}');
  });

  it('may be empty', async () => {
    await using edge = await edgeOf(steps(accepted));
    expect((await edge.send('/run', { json: body })).text).toBe('[]');
  });

  it('fails with the text of the failure', async () => {
    await using edge = await edgeOf(steps(accepted, event({}), failure));
    const answer = await edge.send('/run', { json: body });
    expect([answer.status, answer.body]).toEqual([500, { detail: 'boom' }]);
  });

  it('is 409 if the session is deleted meanwhile', async () => {
    const value = { type: 'RunCancelled', message: 'The run was cancelled.' };
    await using edge = await edgeOf(steps(accepted, { kind: { case: 'failure', value } }));
    const answer = await edge.send('/run', { json: body });
    expect([answer.status, answer.body]).toEqual([409, { detail: 'The run was cancelled.', code: 'run_cancelled' }]);
  });

  it('stops collecting when the client disconnects', async () => {
    let watching: AbortSignal | undefined;
    await using edge = await edgeOf(async function* (_request, signal) {
      watching = signal;
      yield* [accepted, event({ n: 1 })];
      await once(signal, 'abort');
    });
    const client = new AbortController();
    const response = watch(edge, '/run', client.signal);
    await vi.waitFor(() => expect(watching).toBeDefined());
    client.abort();
    await expect(response).rejects.toThrow('aborted');
    await vi.waitFor(() => expect(watching?.aborted).toBe(true));
    expect((await edge.send('/health')).status).toBe(200);
    expect(edge.logged.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it.each(['/run', '/run_sse'])('is 504 when nobody accepts it, on %s', async (path) => {
    const asked = Promise.withResolvers<undefined>();
    await using edge = await edgeOf(async function* (_request, signal) {
      asked.resolve(undefined);
      await once(signal, 'abort');
      yield accepted;
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const answer = edge.send(path, { json: body });
      await asked.promise;
      await new Promise(setImmediate);
      vi.advanceTimersByTime(30_000);
      expect(await answer).toMatchObject({ status: 504, body: { code: 'deadline_exceeded' } });
    } finally {
      vi.useRealTimers();
    }
  });

  it('uses the default application', async () => {
    let asked: RunRequest | undefined;
    const run: Run = async function* (request) {
      asked = request;
      yield accepted;
    };
    await using edge = await edgeOf(run, { ADK_DEFAULT_APP_NAME: 'shop' });
    const { appName: _, ...rest } = body;
    expect((await edge.send('/run', { json: rest })).status).toBe(200);
    expect((await edge.send('/run', { json: { ...rest, appName: null } })).status).toBe(200);
    expect(asked?.session?.appName).toBe('shop');
  });

  it('refuses internal applications', async () => {
    await using edge = await edgeOf(steps(accepted));
    const detail = 'Access to internal special agents is disabled in API server mode.';
    const answer = await edge.send('/run_sse', { json: { ...body, appName: '__x' } });
    expect([answer.status, answer.body]).toEqual([403, { detail }]);
    expect((await edge.send('/apps/__x/app-info')).body).toEqual({ detail });
  });
});

describe('/run_sse', () => {
  it('sends each event as one frame with unchanged bytes', async () => {
    const odd = { kind: { case: 'event', value: { json: Buffer.from('{"a" : "ü"}') } } } as const;
    await using edge = await edgeOf(steps(accepted, event({ n: 1 }, { partial: true }), odd));
    const answer = await edge.send('/run_sse', { json: { ...body, streaming: true } });
    expect(answer.text).toBe('data: {"n":1}\n\ndata: {"a" : "ü"}\n\n');
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(answer.headers.get('x-invocation-id')).toBe('e-1');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  it('answers errors as JSON until the run is accepted', async () => {
    await using edge = await edgeOf(() => {
      throw new MeshError('not_found', 'session_not_found', 'Session not found');
    });
    const answer = await edge.send('/run_sse', { json: body });
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Session not found: s', code: 'session_not_found' }]);
  });

  it('ends with an error frame when the run fails, and when its stream breaks', async () => {
    const lastFrame = async (run: Run) => {
      await using edge = await edgeOf(run);
      const { text, status } = await edge.send('/run_sse', { json: body });
      expect(status).toBe(200);
      expect(text.startsWith('data: {"n":1}\n\n')).toBe(true);
      return JSON.parse(text.trimEnd().split('\n').at(-1)?.slice('data: '.length) ?? '') as object;
    };
    expect(await lastFrame(steps(accepted, event({ n: 1 }), failure))).toEqual({
      error: 'ValueError: boom',
      error_details: { error_type: 'ValueError', error_message: 'boom', timestamp: expect.any(Number) as number },
    });
    const broken = await lastFrame(async function* () {
      yield* [accepted, event({ n: 1 })];
      throw new Error('secret');
    });
    expect(broken).toMatchObject({ error: 'RunStreamError: The stream of the run was interrupted.' });
  });

  it('sends content and artifacts as two frames, unless the request answers a function call', async () => {
    const saved = {
      id: '1',
      content: { parts: [{ text: 'x' }] },
      actions: { stateDelta: { s: 1 }, artifactDelta: { f: 0 } },
    };
    await using edge = await edgeOf(steps(accepted, event(saved, { artifactDeltaJson: bytes({ f: 0 }) })));
    const frames = async (extra: object) =>
      (await edge.send('/run_sse', { json: { ...body, ...extra } })).text
        .split('\n\n')
        .filter((frame) => frame !== '')
        .map((frame) => JSON.parse(frame.slice(6)) as unknown);
    const { content: _, ...withoutContent } = saved;
    expect(await frames({})).toEqual([
      { ...saved, actions: { stateDelta: { s: 1 }, artifactDelta: {} } },
      withoutContent,
    ]);
    expect(await frames({ functionCallEventId: 'c' })).toEqual([saved]);
  });

  it('sends heartbeats while nothing happens', async () => {
    const pinged = Promise.withResolvers<void>();
    await using edge = await edgeOf(
      async function* () {
        yield accepted;
        await pinged.promise;
        yield event({ n: 1 });
      },
      { GATEWAY_HEARTBEAT_SECONDS: '1' },
    );
    const response = await watch(edge, '/run_sse');
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      pinged.resolve();
    }
    expect(text).toMatch(/^(: ping\n\n)+data: \{"n":1\}\n\n$/);
  });

  it('encodes an invocation id that is invalid in a header', async () => {
    await using edge = await edgeOf(
      steps({ kind: { case: 'accepted', value: { invocationId: 'é\n' } } }, event({ n: 1 })),
    );
    for (const path of ['/run', '/run_sse']) {
      const answer = await edge.send(path, { json: body });
      expect([answer.status, answer.headers.get('x-invocation-id')]).toEqual([200, '%C3%A9%0A']);
    }
  });

  it('stops watching when the viewer disconnects', async () => {
    let watching: AbortSignal | undefined;
    await using edge = await edgeOf(async function* (_request, signal) {
      watching = signal;
      yield* [accepted, event({ n: 1 })];
      await once(signal, 'abort');
    });
    const viewer = new AbortController();
    const response = await watch(edge, '/run_sse', viewer.signal);
    await response.body?.getReader().read();
    viewer.abort();
    await vi.waitFor(() => expect(watching?.aborted).toBe(true));
    expect(edge.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('keeps whole events for a stalled viewer, and drops partial ones', async () => {
    const padding = 'x'.repeat(100_000);
    let sent = 0;
    await using edge = await edgeOf(async function* () {
      yield accepted;
      for (let n = 0; n < 300; n += 1) {
        sent = n;
        yield event({ n, padding }, { partial: n % 10 !== 9 });
      }
    });
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1');
    const text = JSON.stringify({ ...body, streaming: true });
    socket.write(
      `POST /run_sse HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${await token({})}\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`,
    );
    socket.pause();
    let last = -1;
    await vi.waitFor(
      () => {
        const stalled = last === sent && sent > 0;
        last = sent;
        expect(stalled).toBe(true);
      },
      { interval: 2_000 },
    );
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.resume();
    await once(socket, 'close');
    const numbers = [...received.matchAll(/data: \{"n":(\d+)/g)].map(([, n]) => Number(n));
    expect(numbers.filter((n) => n % 10 === 9)).toEqual(Array.from({ length: 30 }, (_, index) => index * 10 + 9));
    expect(numbers.length).toBeLessThan(300);
  });
});

describe('a draining gateway', () => {
  it('finishes open streams, and accepts no new connections', async () => {
    const release = Promise.withResolvers<undefined>();
    await using edge = await edgeOf(async function* () {
      yield* [accepted, event({ n: 1 })];
      await release.promise;
      yield event({ n: 2 });
    });
    const response = await watch(edge, '/run_sse');
    edge.draining.abort();
    const drained = edge.drain();
    await vi.waitFor(() => expect(fetch(new URL('/health', edge.url))).rejects.toThrow('fetch failed'));
    release.resolve(undefined);
    expect(await response.text()).toBe('data: {"n":1}\n\ndata: {"n":2}\n\n');
    await drained;
  });
});
