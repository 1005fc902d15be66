import { Readable } from 'node:stream';
import { setImmediate as immediate } from 'node:timers/promises';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AuthService, GetAccountRequestSchema, GetAccountResponseSchema } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { ExchangeRequestSchema, ExchangeResponseSchema } from '@agentmesh/proto/mesh/v1';
import { type DescMethod, fromBinary, type MessageInitShape, toBinary, create } from '@bufbuild/protobuf';
import type { Client } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EXCHANGE_PATH } from './exchange-client.ts';
import { encode } from '../messages/index.ts';
import { asIs } from '../wire/index.ts';
import { openConnection } from '../client/grpc-connection.ts';
import { presentAs } from '../testing/present-as.ts';
import { testIdentities } from '../testing/test-identities.ts';
import { chunk, collect, failureOf, untilAborted } from '../testing/test-calls.ts';
import { type TestMesh, type TestMeshOptions, testMesh } from '../testing/test-mesh.ts';

const getAccount = 'agentmesh.auth.v1.AuthService/GetAccount';

let opened: AsyncDisposableStack;

beforeEach(() => {
  opened = new AsyncDisposableStack();
});

afterEach(() => opened.disposeAsync());

async function start(auth: TestMeshOptions['auth']): Promise<TestMesh> {
  return opened.use(await testMesh({ local: false, ...(auth && { auth }) }));
}

/** A stream of calls, made by hand. */
async function exchange(mesh: TestMesh, identities = mesh.options.identities) {
  const client: Client = openConnection({ url: mesh.url });
  opened.defer(() => client.close());
  const metadata = await presentAs('gateway', { audience: ['auth'], identities });
  const stream = client.makeBidiStreamRequest(EXCHANGE_PATH, asIs, asIs, metadata, {});
  const heard: unknown[] = [];
  const failed = new Promise<{ code: number }>((resolve) => stream.once('error', resolve as () => void));
  stream.on('data', (bytes: Buffer) => {
    const { id, kind } = fromBinary(ExchangeResponseSchema, bytes);
    const account = kind.case === 'answer' ? fromBinary(GetAccountResponseSchema, kind.value).account?.id : undefined;
    heard.push([id, kind.case, account ?? (kind.case === 'failure' ? kind.value.reason : undefined)]);
  });
  const send = (message: MessageInitShape<typeof ExchangeRequestSchema>): void =>
    void stream.write(encode(ExchangeRequestSchema, message));
  const call = (id: number, account: string, method = getAccount): void => {
    const request = toBinary(GetAccountRequestSchema, create(GetAccountRequestSchema, { id: account }));
    send({ id, kind: { case: 'call', value: { method, request } } });
  };
  return { call, send, heard, failed, stream };
}

test('answers are sent as soon as they exist, each with the id of its call', async () => {
  const slow = Promise.withResolvers<void>();
  const mesh = await start({
    getAccount: async ({ id }) => {
      if (id === 'slow') await slow.promise;
      return { account: { id } };
    },
  });
  const { call, heard } = await exchange(mesh);
  call(7, 'slow');
  call(8, 'quick');
  await vi.waitFor(() => expect(heard).toEqual([[8, 'answer', 'quick']]));
  slow.resolve();
  await vi.waitFor(() => expect(heard).toContainEqual([7, 'answer', 'slow']));
});

test('calls and answers of one round of the event loop arrive in a few messages, each of which is read in one round', async () => {
  let round = 0;
  const over = new AbortController();
  const rounds = (async () => {
    for (; !over.signal.aborted; await immediate()) round += 1;
  })();
  const begun: number[] = [];
  const all = Promise.withResolvers<void>();
  const mesh = await start({
    getAccount: async ({ id }) => {
      if (id === 'first') return { account: { id } };
      if (begun.push(round) === 40) all.resolve();
      await all.promise;
      return { account: { id } };
    },
  });
  const auth = mesh.client.client(AuthService);
  await auth.getAccount({ id: 'first' });
  const answered = await Promise.all(
    Array.from({ length: 40 }, async (_, id) => {
      expect(await auth.getAccount({ id: `${id}` })).toMatchObject({ account: { id: `${id}` } });
      return round;
    }),
  );
  over.abort();
  await rounds;
  for (const when of [begun, answered]) expect(new Set(when).size).toBeLessThanOrEqual(4);
});

test('a caller of an earlier version gets each answer by itself', async () => {
  const all = Promise.withResolvers<void>();
  let begun = 0;
  const mesh = await start({
    getAccount: async ({ id }) => {
      if ((begun += 1) === 20) all.resolve();
      await all.promise;
      return { account: { id } };
    },
  });
  const { call, heard } = await exchange(mesh);
  for (let id = 1; id <= 20; id += 1) call(id, `${id}`);
  await vi.waitFor(() => expect(heard).toHaveLength(20));
  expect(heard).toContainEqual([20, 'answer', '20']);
});

test('a method that nobody serves fails alone', async () => {
  const { call, heard } = await exchange(await start({ getAccount: ({ id }) => ({ account: { id } }) }));
  call(1, 'a', 'agentmesh.auth.v1.AuthService/Nothing');
  call(2, 'b');
  await vi.waitFor(() => expect(heard).toHaveLength(2));
  expect(heard).toContainEqual([1, 'failure', 'rpc_unimplemented']);
  expect(heard).toContainEqual([2, 'answer', 'b']);
});

/** The service as a later version declares it: its method has another name. */
function renamed<S extends typeof AuthService | typeof ArtifactsService>(service: S, method: DescMethod): S {
  const later = { ...method, name: 'Later' };
  return { ...service, methods: [later], method: { [method.localName]: later } } as unknown as S;
}

test('a call of a newer version fails as unavailable, on every transport', async () => {
  const mesh = await start({ getAccount: ({ id }) => ({ account: { id } }) });
  const unavailable = { code: 'unavailable', reason: 'rpc_unimplemented' };
  const auth = mesh.client.client(renamed(AuthService, AuthService.method.getAccount));
  expect(await failureOf(auth.getAccount({ id: 'a' }))).toMatchObject(unavailable);
  const artifacts = mesh.client.client(renamed(ArtifactsService, ArtifactsService.method.saveArtifact));
  const upload = artifacts.saveArtifact(
    Readable.from([{ kind: { case: 'chunk' as const, value: new Uint8Array(1) } }]),
  );
  expect(await failureOf(upload)).toMatchObject(unavailable);
});

test('a caller without the credential is refused, and bytes that are no message do no harm', async () => {
  const mesh = await start({ getAccount: ({ id }) => ({ account: { id } }) });
  expect(await (await exchange(mesh, testIdentities('wrong'))).failed).toMatchObject({ code: 16 });
  const garbled = await exchange(mesh);
  garbled.stream.write(Buffer.from([0xff, 0xff, 0xff]));
  expect(await garbled.failed).toMatchObject({ code: 13 });
  expect(await mesh.client.client(AuthService).getAccount({ id: 'a' })).toMatchObject({ account: { id: 'a' } });
});

test('calls of a caller who goes away are aborted', async () => {
  let signal: AbortSignal | undefined;
  const mesh = await start({
    getAccount: (_, context) => {
      signal = context.signal;
      return untilAborted(context.signal);
    },
  });
  const { call, stream, failed } = await exchange(mesh);
  call(1, 'a');
  await vi.waitFor(() => expect(signal).toBeDefined());
  stream.cancel();
  await failed;
  await vi.waitFor(() => expect(signal?.aborted).toBe(true));
});

test('a server that shuts down answers calls in progress, sends a farewell and starts no more calls', async () => {
  const slow = Promise.withResolvers<void>();
  const begun: string[] = [];
  const mesh = await start({
    getAccount: async ({ id }) => {
      begun.push(id);
      await slow.promise;
      return { account: { id } };
    },
  });
  const { call, heard } = await exchange(mesh);
  call(1, 'under way');
  await vi.waitFor(() => expect(begun).toEqual(['under way']));
  const drained = mesh.server.drain(5_000);
  await vi.waitFor(() => expect(heard).toEqual([[0, 'farewell', undefined]]));
  call(2, 'late');
  await vi.waitFor(() => expect(heard).toContainEqual([2, 'refused', undefined]));
  slow.resolve();
  await drained;
  await vi.waitFor(() => expect(heard).toContainEqual([1, 'answer', 'under way']));
  expect(begun).toEqual(['under way']);
});

test('an answer beyond the limit fails alone', async () => {
  const largeMade = Promise.withResolvers<void>();
  const mesh = await start({
    getAccount: async ({ id }) => {
      if (id === 'small') await largeMade.promise;
      else largeMade.resolve();
      return { account: { id: id === 'small' ? id : 'x'.repeat(64 * 1024 * 1024) } };
    },
  });
  const auth = mesh.client.client(AuthService);
  const [large, small] = await Promise.allSettled([
    failureOf(auth.getAccount({ id: 'l' })),
    auth.getAccount({ id: 'small' }),
  ]);
  expect(large).toMatchObject({ value: { code: 'resource_exhausted', reason: 'message_too_large' } });
  expect(small).toMatchObject({ value: { account: { id: 'small' } } });
});

test('a large request has a stream of its own: it arrives whole, and one beyond the limit fails alone', async () => {
  const mesh = await start({ getAccount: ({ id }) => ({ account: { id: `${id.length}` } }) });
  const auth = mesh.client.client(AuthService);
  const [whole, beyond, small] = await Promise.all([
    auth.getAccount({ id: 'x'.repeat(20 * 1024 * 1024) }),
    failureOf(auth.getAccount({ id: 'x'.repeat(64 * 1024 * 1024) })),
    auth.getAccount({ id: 'small' }),
  ]);
  expect(whole.account?.id).toBe(`${20 * 1024 * 1024}`);
  expect(beyond).toMatchObject({ code: 'resource_exhausted', reason: 'message_too_large' });
  expect(small.account?.id).toBe('5');
});

test('a stream whose answer is beyond the limit fails, and its handler is ended', async () => {
  let left = false;
  const runs = {
    async *run() {
      try {
        yield chunk('first');
        yield chunk('x'.repeat(64 * 1024 * 1024));
        yield chunk('never');
      } finally {
        left = true;
      }
    },
  };
  const mesh = opened.use(await testMesh({ local: false, runs }));
  const failure = await failureOf(collect(mesh.client.client(RunsService).run({})));
  expect(failure).toMatchObject({ code: 'resource_exhausted', reason: 'message_too_large' });
  await vi.waitFor(() => expect(left).toBe(true));
});

test('calls that a server leaves open when it closes fail, and so does the next while there is none', async () => {
  let begun = 0;
  const mesh = await start({
    getAccount: (_, { signal }) => {
      begun += 1;
      return untilAborted(signal);
    },
  });
  const auth = mesh.client.client(AuthService);
  const open = Array.from({ length: 3 }, () => failureOf(auth.getAccount({ id: 'a' })));
  await vi.waitFor(() => expect(begun).toBe(3));
  await mesh.server[Symbol.asyncDispose]();
  for (const failure of await Promise.all(open)) expect(['unavailable', 'canceled']).toContain(failure.code);
  expect(await failureOf(auth.getAccount({ id: 'a' }))).toMatchObject({ code: 'unavailable' });
});
