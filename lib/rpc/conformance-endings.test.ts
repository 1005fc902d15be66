import { setTimeout as delay } from 'node:timers/promises';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { type RunResponse, RunsService } from '@agentmesh/proto/runs/v1';
import type { HandlerContext } from '@connectrpc/connect';
import { describe, expect, it, vi } from 'vitest';
import { chunk, collect, failureOf, openConnections, textOf, transports, untilAborted } from './testing/test-calls.ts';
import { type TestMeshOptions, testMesh } from './testing/test-mesh.ts';

describe.each(transports)('over %s', (_, transport) => {
  const start = (handlers: Pick<TestMeshOptions, 'auth' | 'runs'>) => testMesh({ ...transport, ...handlers });

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
    await openConnections(mesh);
    const failure = await failureOf(mesh.client.client(AuthService).getAccount({}, { timeoutMs: 1_000 }));
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
    await openConnections(mesh);
    const failure = await failureOf(collect(mesh.client.client(RunsService).run({}, { timeoutMs: 1_000 })));
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
    // The producer waits when it has produced nothing for a while.
    for (let still = 0; still < 5; still = produced === before ? still + 1 : 0) {
      before = produced;
      await delay(10);
    }
    expect(produced).toBeLessThan(200);
    caller.abort();
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
    expect(await pending).toMatchObject({ code: 'unavailable', reason: 'cut_off' });
  });
});
