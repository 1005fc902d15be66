import { setTimeout as delay } from 'node:timers/promises';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { type RunResponse, RunsService } from '@agentmesh/proto/runs/v1';
import type { HandlerContext } from '@connectrpc/connect';
import { describe, expect, it, vi } from 'vitest';
import { requestContext } from '../telemetry/index.ts';
import { isMeshError, MeshError } from './index.ts';
import { testCertificate } from './test-certificate.ts';
import { type TestMeshOptions, testMesh } from './test-mesh.ts';

const certificate = testCertificate();
const transports: [string, Pick<TestMeshOptions, 'local' | 'tls'>][] = [
  ['local', { local: true }],
  ['gRPC', { local: false }],
  ...(certificate ? [['gRPC with mutual TLS', { local: false, tls: certificate }] satisfies [string, object]] : []),
];

function chunk(text: string) {
  return { kind: { case: 'failure' as const, value: { type: '', message: text } } };
}

function textOf(response: RunResponse): string {
  return response.kind.case === 'failure' ? response.kind.value.message : '';
}

async function failureOf(work: Promise<unknown>): Promise<MeshError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isMeshError(error)) throw new Error('expected a MeshError', { cause: error });
  return error;
}

async function collect(stream: AsyncIterable<RunResponse>): Promise<string[]> {
  const texts: string[] = [];
  for await (const response of stream) texts.push(textOf(response));
  return texts;
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

describe.each(transports)('over %s', (_, transport) => {
  const start = (handlers: Pick<TestMeshOptions, 'auth' | 'runs'>) => testMesh({ ...transport, ...handlers });

  it('a unary call is answered', async () => {
    await using mesh = await start({ auth: { getAccount: ({ id }) => ({ account: { id, userId: 7n } }) } });
    const { account } = await mesh.client.client(AuthService).getAccount({ id: 'a1' });
    expect(account).toMatchObject({ $typeName: 'agentmesh.auth.v1.Account', id: 'a1', userId: 7n, email: '' });
    expect(account?.username).toBeUndefined();
  });

  it('a stream arrives whole and in order', async () => {
    const texts = Array.from({ length: 500 }, (_, index) => `message ${index}`);
    await using mesh = await start({
      runs: {
        run: async function* () {
          for (const text of texts) yield chunk(text);
        },
      },
    });
    expect(await collect(mesh.client.client(RunsService).run({}))).toEqual(texts);
  });

  it('a MeshError arrives with its code, reason and message, without its cause', async () => {
    const thrown = new MeshError('failed_precondition', 'not_ready', 'Pas prêt: 100 % für 雪 🎿\nline two', {
      cause: new Error('ours'),
    });
    await using mesh = await start({
      auth: { getAccount: () => Promise.reject(thrown) },
      runs: {
        run: async function* () {
          yield chunk('first');
          throw thrown;
        },
      },
    });
    const { code, reason, message } = thrown;
    const unary = await failureOf(mesh.client.client(AuthService).getAccount({ id: 'a1' }));
    expect({ code: unary.code, reason: unary.reason, message: unary.message }).toEqual({ code, reason, message });
    expect(unary.cause).toBeUndefined();
    const seen: string[] = [];
    const streamed = await failureOf(
      (async () => {
        for await (const response of mesh.client.client(RunsService).run({})) seen.push(textOf(response));
      })(),
    );
    expect({ code: streamed.code, reason: streamed.reason, message: streamed.message }).toEqual({
      code,
      reason,
      message,
    });
    expect(seen).toEqual(['first']);
  });

  it('the text of any other error is withheld, and logged once with the request id', async () => {
    await using mesh = await start({
      auth: {
        getAccount: () => {
          throw new TypeError('select * from secrets');
        },
      },
      runs: {
        run: async function* () {
          yield chunk('first');
          throw new TypeError('select * from secrets');
        },
      },
    });
    const expected = { code: 'internal', reason: 'internal' };
    const auth = mesh.client.client(AuthService);
    const unary = await requestContext.run({ requestId: 'r-9' }, () => failureOf(auth.getAccount({})));
    expect(unary).toMatchObject(expected);
    expect(unary.message).toBe('Internal error');
    const streamed = await failureOf(collect(mesh.client.client(RunsService).run({})));
    expect(streamed).toMatchObject(expected);
    expect(mesh.logged).toHaveLength(2);
    expect(mesh.logged[0]).toMatchObject({ requestId: 'r-9', err: { message: 'select * from secrets' } });
  });

  it('an internal error of a nested call is logged only where it was thrown', async () => {
    await using mesh = await start({
      auth: {
        getAccount: () => {
          throw new Error('deep');
        },
      },
      runs: {
        listApps: async () => {
          await mesh.client.client(AuthService).getAccount({});
          return {};
        },
      },
    });
    expect(await failureOf(mesh.client.client(RunsService).listApps({}))).toMatchObject({ code: 'internal' });
    expect(mesh.logged).toHaveLength(1);
  });

  it('a deadline ends the call on both sides', async () => {
    let context: HandlerContext | undefined;
    await using mesh = await start({
      auth: {
        getAccount: (_, handlerContext) => {
          context = handlerContext;
          return untilAborted(handlerContext.signal);
        },
      },
    });
    const failure = await failureOf(mesh.client.client(AuthService).getAccount({}, { timeoutMs: 60 }));
    expect(failure).toMatchObject({ code: 'deadline_exceeded', reason: 'deadline_exceeded' });
    await vi.waitFor(() => expect(context?.signal.reason).toMatchObject({ code: 'deadline_exceeded' }));
    expect(context?.timeoutMs()).toBeGreaterThan(0);
    expect(mesh.logged).toEqual([]);
  });

  it('a deadline ends a stream on both sides', async () => {
    let ended = false;
    await using mesh = await start({
      runs: {
        run: async function* (_, { signal }) {
          try {
            yield chunk('first');
            await untilAborted(signal);
          } finally {
            ended = true;
          }
        },
      },
    });
    const failure = await failureOf(collect(mesh.client.client(RunsService).run({}, { timeoutMs: 60 })));
    expect(failure.code).toBe('deadline_exceeded');
    await vi.waitFor(() => expect(ended).toBe(true));
    expect(mesh.logged).toEqual([]);
  });

  it('canceling a unary call aborts its handler', async () => {
    let signal: AbortSignal | undefined;
    await using mesh = await start({
      auth: {
        getAccount: (_, context) => {
          signal = context.signal;
          return untilAborted(context.signal);
        },
      },
    });
    const caller = new AbortController();
    const call = failureOf(mesh.client.client(AuthService).getAccount({}, { signal: caller.signal }));
    await vi.waitFor(() => expect(signal).toBeDefined());
    caller.abort();
    expect(await call).toMatchObject({ code: 'canceled', reason: 'canceled' });
    await vi.waitFor(() => expect(signal?.aborted).toBe(true));
    expect(mesh.logged).toEqual([]);
  });

  it('canceling a stream that waits reaches the generator, whose finally runs', async () => {
    let ended = false;
    await using mesh = await start({
      runs: {
        run: async function* (_, { signal }) {
          try {
            yield chunk('first');
            await untilAborted(signal);
          } finally {
            ended = true;
          }
        },
      },
    });
    const caller = new AbortController();
    const stream = mesh.client.client(RunsService).run({}, { signal: caller.signal });
    const answers = stream[Symbol.asyncIterator]();
    expect(textOf((await answers.next()).value as RunResponse)).toBe('first');
    const pending = failureOf(answers.next());
    caller.abort();
    expect(await pending).toMatchObject({ code: 'canceled' });
    await vi.waitFor(() => expect(ended).toBe(true));
    expect(mesh.logged).toEqual([]);
  });

  it('leaving early and aborting in finally ends a generator that ignores its signal', async () => {
    let ended = false;
    await using mesh = await start({
      runs: {
        run: async function* () {
          try {
            for (let index = 0; ; index += 1) {
              await delay(1);
              yield chunk(`message ${index}`);
            }
          } finally {
            ended = true;
          }
        },
      },
    });
    const caller = new AbortController();
    try {
      for await (const _response of mesh.client.client(RunsService).run({}, { signal: caller.signal })) break;
    } finally {
      caller.abort();
    }
    await vi.waitFor(() => expect(ended).toBe(true));
  });

  it('an aborted signal fails a call before it reaches the handler', async () => {
    const getAccount = vi.fn<() => object>(() => ({}));
    await using mesh = await start({ auth: { getAccount } });
    const call = mesh.client.client(AuthService).getAccount({}, { signal: AbortSignal.abort() });
    expect(await failureOf(call)).toMatchObject({ code: 'canceled' });
    expect(getAccount).not.toHaveBeenCalled();
  });

  it('a slow reader holds the producer back', async () => {
    let produced = 0;
    const text = 'x'.repeat(16_384);
    await using mesh = await start({
      runs: {
        run: async function* () {
          for (; produced < 2_000; produced += 1) yield chunk(text);
        },
      },
    });
    const caller = new AbortController();
    const answers = mesh.client.client(RunsService).run({}, { signal: caller.signal })[Symbol.asyncIterator]();
    for (let read = 0; read < 10; read += 1) await answers.next();
    let before = -1;
    // The producer has come to rest when it makes nothing for a while.
    for (let still = 0; still < 5; still = produced === before ? still + 1 : 0) {
      before = produced;
      await delay(10);
    }
    expect(produced).toBeLessThan(200);
    caller.abort();
  });

  it('the request id and the trace travel, and hold in every step of a generator', async () => {
    const seen: unknown[] = [];
    const note = (): void => void seen.push(requestContext.getStore());
    await using mesh = await start({
      auth: {
        getAccount: async (_, { requestHeader }) => {
          await delay(1);
          note();
          seen.push(requestHeader.get('x-request-id'), requestHeader.get('x-extra'), requestHeader.get('mesh-key'));
          return {};
        },
      },
      runs: {
        run: async function* () {
          note();
          yield chunk('first');
          note();
          await delay(1);
          note();
        },
      },
    });
    const context = { requestId: 'r-1', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    await requestContext.run(context, async () => {
      await mesh.client.client(AuthService).getAccount({}, { headers: { 'x-extra': 'yes' } });
    });
    expect(seen.splice(0)).toEqual([context, 'r-1', 'yes', null]);
    const stream = requestContext.run(context, () => mesh.client.client(RunsService).run({}));
    await requestContext.run({ requestId: 'another' }, () => collect(stream));
    expect(seen).toEqual([context, context, context]);
  });

  it('a call outside any request gets an id of its own', async () => {
    let requestId: string | undefined;
    await using mesh = await start({
      auth: {
        getAccount: () => {
          requestId = requestContext.getStore()?.requestId;
          return {};
        },
      },
    });
    await mesh.client.client(AuthService).getAccount({});
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    await requestContext.run({ requestId: 'ünprintable' }, () => mesh.client.client(AuthService).getAccount({}));
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a message of 10 MB passes both ways', async () => {
    await using mesh = await start({
      runs: {
        run: async function* ({ messageJson }) {
          yield { kind: { case: 'event' as const, value: { json: messageJson } } };
        },
      },
    });
    const messageJson = new Uint8Array(10_000_000).fill(120);
    for await (const { kind } of mesh.client.client(RunsService).run({ messageJson })) {
      if (kind.case !== 'event') throw new Error('expected an event');
      expect(kind.value.json.byteLength).toBe(messageJson.byteLength);
      expect(Buffer.isBuffer(kind.value.json)).toBe(false);
    }
  });

  it('neither side sees what the other does to a message', async () => {
    const account = { id: 'a1', email: 'kept', createdAt: { seconds: 1n } };
    const sent = { messageJson: new Uint8Array([1, 2, 3]), session: { sessionId: 'kept' } };
    await using mesh = await start({
      auth: { getAccount: () => ({ account }) },
      runs: {
        run: async function* (request) {
          request.messageJson[0] = 9;
          if (request.session) request.session.sessionId = 'changed';
          yield chunk('done');
        },
      },
    });
    const answer = await mesh.client.client(AuthService).getAccount({});
    if (answer.account?.createdAt) answer.account.createdAt.seconds = 2n;
    if (answer.account) answer.account.email = 'changed';
    expect(account).toEqual({ id: 'a1', email: 'kept', createdAt: { seconds: 1n } });
    await collect(mesh.client.client(RunsService).run(sent));
    expect(sent).toEqual({ messageJson: new Uint8Array([1, 2, 3]), session: { sessionId: 'kept' } });
  });

  it('calls are measured by service, method and code', async () => {
    await using mesh = await start({ auth: { getAccount: () => ({}) } });
    await mesh.client.client(AuthService).getAccount({});
    await failureOf(mesh.client.client(AuthService).deleteAccount({}));
    const text = await mesh.metrics.registry.metrics();
    expect(text).toContain('rpc_server_duration_seconds_count{service="auth",method="GetAccount",code="ok"} 1');
    expect(text).toContain(
      'rpc_server_duration_seconds_count{service="auth",method="DeleteAccount",code="not_found"} 1',
    );
  });

  it('a drain lets calls in flight finish', async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    await using mesh = await start({
      auth: {
        getAccount: async () => {
          entered.resolve();
          await gate.promise;
          return { account: { id: 'a1' } };
        },
      },
    });
    const call = mesh.client.client(AuthService).getAccount({});
    await entered.promise;
    const drained = mesh.server.drain(5_000);
    gate.resolve();
    expect((await call).account?.id).toBe('a1');
    await drained;
  });

  it('a drain ends what is still in flight at its deadline', async () => {
    let ended = false;
    await using mesh = await start({
      runs: {
        run: async function* (_, { signal }) {
          try {
            yield chunk('first');
            await untilAborted(signal);
          } finally {
            ended = true;
          }
        },
      },
    });
    const answers = mesh.client.client(RunsService).run({})[Symbol.asyncIterator]();
    await answers.next();
    const pending = failureOf(answers.next());
    await mesh.server.drain(30);
    expect(ended).toBe(true);
    expect(await pending).toMatchObject({ code: 'unavailable' });
  });
});
