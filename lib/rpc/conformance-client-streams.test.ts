import { setTimeout as delay } from 'node:timers/promises';
import { ArtifactsService, type SaveArtifactRequest } from '@agentmesh/proto/artifacts/v1';
import type { HandlerContext } from '@connectrpc/connect';
import { describe, expect, it, vi } from 'vitest';
import { requestContext } from '../telemetry/index.ts';
import { MeshError } from './index.ts';
import { failureOf, openConnections, transports, untilAborted } from './testing/test-calls.ts';
import { testMesh } from './testing/test-mesh.ts';

type Save = (requests: AsyncIterable<SaveArtifactRequest>, context: HandlerContext) => Promise<{ version?: object }>;

const chunkOf = (bytes: Uint8Array) => ({ kind: { case: 'chunk' as const, value: bytes } });
const sizeOf = ({ kind }: SaveArtifactRequest) => (kind.case === 'chunk' ? kind.value.byteLength : 0);

/** Chunks without end, a tick apart; `left` when nobody takes them any more. */
function endlessly() {
  const state = { sent: 0, left: false };
  async function* input() {
    try {
      for (; ; state.sent += 1) {
        yield chunkOf(new Uint8Array(65_536));
        await delay(0);
      }
    } finally {
      state.left = true;
    }
  }
  return { state, input: input() };
}

/** Sends one chunk and then nothing, until it is left. */
function silently() {
  const state = { left: false };
  const left = Promise.withResolvers<void>();
  let sent = false;
  const input: AsyncIterableIterator<ReturnType<typeof chunkOf>> = {
    [Symbol.asyncIterator]: () => input,
    next: async () => {
      if (sent) await left.promise;
      if (sent) return { done: true, value: undefined };
      sent = true;
      return { done: false, value: chunkOf(new Uint8Array(10)) };
    },
    return: async () => {
      state.left = true;
      left.resolve();
      return { done: true, value: undefined };
    },
  };
  return { state, input };
}

describe.each(transports)('a client stream over %s', (_, transport) => {
  const start = (saveArtifact: Save) => testMesh({ ...transport, artifacts: { saveArtifact } });

  it('arrives whole and in order, and is answered once', async () => {
    const seen: number[] = [];
    await using mesh = await start(async (requests) => {
      for await (const request of requests) seen.push(sizeOf(request));
      return { version: { version: seen.length } };
    });
    const sizes = Array.from({ length: 300 }, (_, index) => (index * 997) % 70_000);
    async function* input() {
      for (const size of sizes) yield chunkOf(new Uint8Array(size));
    }
    const { version } = await mesh.client.client(ArtifactsService).saveArtifact(input());
    expect(version?.version).toBe(300);
    expect(seen).toEqual(sizes);
    const { version: none } = await mesh.client.client(ArtifactsService).saveArtifact((async function* () {})());
    expect(none?.version).toBe(300);
  });

  it('carries bytes that the caller does not see change, in the context of the request', async () => {
    let context: unknown;
    await using mesh = await start(async (requests) => {
      for await (const { kind } of requests) {
        context = requestContext.getStore()?.requestId;
        if (kind.case === 'opening' && kind.value.key) kind.value.key.name = 'changed';
      }
      return {};
    });
    const opening = { kind: { case: 'opening' as const, value: { key: { name: 'kept' } } } };
    async function* input() {
      yield opening;
    }
    const artifacts = mesh.client.client(ArtifactsService);
    await requestContext.run({ requestId: 'r-7' }, () => artifacts.saveArtifact(input()));
    expect([context, opening.kind.value.key.name]).toEqual(['r-7', 'kept']);
  });

  it.each([
    ['that goes on', endlessly],
    ['that is silent', silently],
  ])('%s is refused by an early error, which arrives as it is thrown, and its source is left', async (__, source) => {
    await using mesh = await start(async (requests) => {
      for await (const request of requests) {
        if (sizeOf(request) > 0) throw new MeshError('resource_exhausted', 'too_large', 'Too large ✓');
      }
      return {};
    });
    const { state, input } = source();
    const failure = await failureOf(mesh.client.client(ArtifactsService).saveArtifact(input));
    expect(failure).toMatchObject({ code: 'resource_exhausted', reason: 'too_large', message: 'Too large ✓' });
    await vi.waitFor(() => expect(state.left).toBe(true));
    expect(mesh.logged).toEqual([]);
  });

  it('is closed when it is answered before its end', async () => {
    await using mesh = await start(async (requests) => {
      for await (const _request of requests) return { version: { version: 7 } };
      return {};
    });
    const { state, input } = endlessly();
    const { version } = await mesh.client.client(ArtifactsService).saveArtifact(input);
    expect(version?.version).toBe(7);
    await vi.waitFor(() => expect(state.left).toBe(true));
  });

  it('waits for a slow handler', async () => {
    const gate = Promise.withResolvers<void>();
    await using mesh = await start(async (requests) => {
      for await (const _request of requests) await gate.promise;
      return {};
    });
    const { state, input } = endlessly();
    const leaving = new AbortController();
    const call = failureOf(mesh.client.client(ArtifactsService).saveArtifact(input, { signal: leaving.signal }));
    let before = -1;
    // The producer waits when it has produced nothing for a while.
    for (let still = 0; still < 5; still = state.sent === before ? still + 1 : 0) {
      before = state.sent;
      await delay(10);
    }
    expect(state.sent).toBeLessThan(100);
    leaving.abort();
    gate.resolve();
    expect(await call).toMatchObject({ code: 'canceled' });
  });

  /** A handler that reads on and on, and answers only what its protocol says is whole; tells when it has begun and has ended. */
  function reader() {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const handler: Save = async (requests) => {
      try {
        for await (const _request of requests) begun.resolve();
        throw new MeshError('invalid_argument', 'not_whole', 'The last message is missing');
      } finally {
        ended.resolve();
      }
    };
    return { handler, begun: begun.promise, ended: ended.promise };
  }

  it('that is canceled ends on both sides while the handler waits for more', async () => {
    const { handler, begun, ended } = reader();
    await using mesh = await start(handler);
    const { state, input } = silently();
    const leaving = new AbortController();
    const call = failureOf(mesh.client.client(ArtifactsService).saveArtifact(input, { signal: leaving.signal }));
    await begun;
    leaving.abort();
    expect(await call).toMatchObject({ code: 'canceled' });
    await ended;
    await vi.waitFor(() => expect(state.left).toBe(true));
    expect(mesh.logged).toEqual([]);
  });

  it('that is too slow ends on both sides while the handler waits for more', async () => {
    const { handler, begun, ended } = reader();
    await using mesh = await start(handler);
    await openConnections(mesh);
    const { state, input } = silently();
    const call = failureOf(mesh.client.client(ArtifactsService).saveArtifact(input, { timeoutMs: 1_000 }));
    await begun;
    expect(await call).toMatchObject({ code: 'deadline_exceeded' });
    await ended;
    await vi.waitFor(() => expect(state.left).toBe(true));
    expect(mesh.logged).toEqual([]);
  });

  it('whose source fails cancels the call, and the text of the failure stays with the caller', async () => {
    const { handler, begun, ended } = reader();
    await using mesh = await start(handler);
    async function* input() {
      yield chunkOf(new Uint8Array(10));
      await begun;
      throw new TypeError('select * from secrets');
    }
    const call = failureOf(mesh.client.client(ArtifactsService).saveArtifact(input()));
    expect(await call).toMatchObject({ code: 'canceled' });
    await ended;
    expect(JSON.stringify(mesh.logged)).not.toContain('secrets');
  });

  it('does not outlast a drain', async () => {
    const entered = Promise.withResolvers<void>();
    let ended = false;
    await using mesh = await start(async (requests, { signal }) => {
      try {
        for await (const _request of requests) entered.resolve();
        return await untilAborted(signal);
      } finally {
        ended = true;
      }
    });
    const call = failureOf(mesh.client.client(ArtifactsService).saveArtifact(silently().input));
    await entered.promise;
    await mesh.server.drain(30);
    expect(ended).toBe(true);
    expect(await call).toMatchObject({ code: 'unavailable' });
  });
});
