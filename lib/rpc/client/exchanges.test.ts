import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { type Client, createClient } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProof } from '../identity/index.ts';
import { testIdentities } from '../testing/test-identities.ts';
import { testMesh } from '../testing/test-mesh.ts';
import { explorePause } from './exchanges.ts';
import { GrpcTransport } from './grpc-transport.ts';

const proof = createProof({
  caller: 'gateway',
  audience: ['auth', 'artifacts', 'runs'],
  identities: testIdentities(),
  tls: undefined,
});
let opened: AsyncDisposableStack;
let one: Replica;
let other: Replica;
let url: string;
let auth: Client<typeof AuthService>;
let artifacts: Client<typeof ArtifactsService>;
let runs: Client<typeof RunsService>;
/** Replicas that began to read an account, each time. */
let begun: string[];
/** Id of an account that takes longer to read than a silent replica is waited for. */
const slow = 'slow';

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  begun = [];
  [one, other] = [await startReplica('ONE'), await startReplica('OTHER')];
  url = `ipv4:127.0.0.1:${one.port},127.0.0.1:${other.port}`;
  const transport = new GrpcTransport({ url, proof });
  opened.defer(() => transport.close());
  auth = createClient(AuthService, transport);
  artifacts = createClient(ArtifactsService, transport);
  runs = createClient(RunsService, transport);
});
afterEach(() => opened.disposeAsync());

interface Replica {
  readonly port: number;
  /** Stops its machine: connections stay open, and nothing passes. */
  freeze(): void;
  thaw(): void;
  /** Breaks its connections. */
  cut(): void;
  /** Says that it leaves; see GrpcServer. */
  leave(): Promise<void>;
  /** Refuses new calls from now on, as a process does that stops. */
  drain(): Promise<void>;
}

async function startReplica(role: string): Promise<Replica> {
  const getAccount = async ({ id }: { id: string }) => {
    begun.push(role);
    if (id === slow) await delay(2_500);
    return { account: { id, role } };
  };
  const deleteAccount = () => ({});
  async function* run(_: unknown, { signal }: { readonly signal: AbortSignal }) {
    yield { kind: { case: 'accepted' as const, value: { invocationId: role } } };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
  const saveArtifact = async (messages: AsyncIterable<unknown>) => {
    await Array.fromAsync(messages);
    return {};
  };
  const mesh = opened.use(
    await testMesh({ local: false, auth: { getAccount, deleteAccount }, runs: { run }, artifacts: { saveArtifact } }),
  );
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const router = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: Number(new URL(mesh.url).port), host: '127.0.0.1', noDelay: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy());
      from.on('data', (bytes) => to.write(bytes));
      if (isFrozen) from.pause();
    }
  });
  await new Promise<void>((resolve) => router.listen(0, '127.0.0.1', resolve));
  opened.defer(() => {
    for (const socket of sockets) socket.destroy();
    router.close();
  });
  return {
    port: (router.address() as AddressInfo).port,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    leave: () => mesh.server.leave(60_000, 120_000),
    drain: () => mesh.server.drain(5_000),
  };
}

/** The replicas that answered some calls, each with its number of calls; `failed` counts the calls without an answer. */
async function callMany(count: number, timeoutMs?: number): Promise<Map<string, number>> {
  const outcomes = await Promise.all(
    Array.from({ length: count }, () =>
      auth.getAccount({ id: 'a' }, timeoutMs === undefined ? {} : { timeoutMs }).then(
        ({ account }) => account?.role ?? '',
        () => 'failed',
      ),
    ),
  );
  const roles = new Map<string, number>();
  for (const role of outcomes) roles.set(role, (roles.get(role) ?? 0) + 1);
  return roles;
}

async function untilBothAnswer(): Promise<void> {
  await expect.poll(async () => [...(await callMany(20)).keys()].toSorted()).toEqual(['ONE', 'OTHER']);
}

test('calls are shared by all replicas at the same time', async () => {
  await untilBothAnswer();
  const roles = await callMany(400);
  expect(roles.get('ONE')).toBeGreaterThan(100);
  expect(roles.get('OTHER')).toBeGreaterThan(100);
});

test('a frozen replica fails no call that may be repeated, and gets calls again when it is back', async () => {
  await untilBothAnswer();
  other.freeze();
  const rolesOf = async (): Promise<string[]> => {
    const roles: string[] = [];
    for (let calls = 0; calls < 20; calls += 1) roles.push(...(await callMany(1, 20_000)).keys());
    return roles;
  };
  const roles = (await Promise.all(Array.from({ length: 16 }, rolesOf))).flat();
  expect(new Set(roles)).toEqual(new Set(['ONE']));
  other.thaw();
  await untilBothAnswer();
});

test('a stream from a replica that is frozen fails within seconds, and one from another replica goes on', async () => {
  await untilBothAnswer();
  const streams = Array.from({ length: 8 }, () => runs.run({})[Symbol.asyncIterator]());
  const beginsAtOther = async (stream: (typeof streams)[number]): Promise<boolean> => {
    const first = await stream.next();
    if (first.done === true || first.value.kind.case !== 'accepted') throw new Error('not accepted');
    return first.value.kind.value.invocationId === 'OTHER';
  };
  const isOfOther = await Promise.all(streams.map(beginsAtOther));
  expect(new Set(isOfOther)).toEqual(new Set([true, false]));
  other.freeze();
  const ends = streams.map((stream): Promise<unknown> => stream.next().catch((error: unknown) => error));
  const failed = await Promise.all(ends.filter((_, index) => isOfOther[index]));
  expect(failed).toEqual(failed.map((): unknown => expect.objectContaining({ reason: 'service_silent' })));
  const left = ends.filter((_, index) => isOfOther[index] === false);
  expect(await Promise.race([...left, Promise.resolve('goes on')])).toBe('goes on');
});

test('an answer that takes long is waited for, and its call is sent once', async () => {
  await untilBothAnswer();
  begun = [];
  const { account } = await auth.getAccount({ id: slow });
  expect(begun).toEqual([account?.role]);
});

test('a call that may be repeated goes to another replica when its connection breaks', async () => {
  await untilBothAnswer();
  begun = [];
  const reads = Array.from({ length: 8 }, () => auth.getAccount({ id: slow }));
  await expect.poll(() => begun.filter((role) => role === 'OTHER').length).toBeGreaterThan(0);
  other.freeze();
  other.cut();
  const roles = (await Promise.all(reads)).map(({ account }) => account?.role);
  expect(roles).toEqual(roles.map(() => 'ONE'));
});

test('a frozen replica costs each caller at most one call that may not be repeated', async () => {
  await untilBothAnswer();
  other.freeze();
  const failuresOf = async (): Promise<number> => {
    let failures = 0;
    for (let calls = 0; calls < 20; calls += 1)
      await auth.deleteAccount({}, { timeoutMs: 5_000 }).catch(() => (failures += 1));
    return failures;
  };
  const failures = await Promise.all(Array.from({ length: 16 }, failuresOf));
  expect(Math.max(...failures)).toBeLessThanOrEqual(1);
  expect(failures).toContain(1);
  other.thaw();
  await untilBothAnswer();
});

test('large requests and uploads go to a replica that answers while another is frozen', async () => {
  await untilBothAnswer();
  other.freeze();
  const large = Array.from({ length: 6 }, () => auth.getAccount({ id: 'a'.repeat(100_000) }, { timeoutMs: 20_000 }));
  expect((await Promise.all(large)).map(({ account }) => account?.role)).toEqual(large.map(() => 'ONE'));
  const uploads = Array.from({ length: 6 }, () => artifacts.saveArtifact(parts(), { timeoutMs: 20_000 }));
  expect(await Promise.all(uploads)).toHaveLength(6);
});

test('an upload that waits for a frozen replica goes to another one when the connection breaks', async () => {
  await untilBothAnswer();
  other.freeze();
  const uploads = Array.from({ length: 6 }, () => artifacts.saveArtifact(parts(), { timeoutMs: 20_000 }));
  // Before another one is tried.
  await delay(50);
  other.cut();
  expect(await Promise.all(uploads)).toHaveLength(6);
});

async function* parts() {
  yield { kind: { case: 'chunk' as const, value: new Uint8Array(1_000) } };
  yield { kind: { case: 'chunk' as const, value: new Uint8Array(1_000) } };
}

test('a replica waits no longer than until its callers have gone to another one', async () => {
  await untilBothAnswer();
  const calls = callMany(50);
  await other.leave();
  expect((await calls).has('failed')).toBe(false);
  expect(await callMany(50)).toEqual(new Map([['ONE', 50]]));
});

test('no call fails while a replica leaves that its callers already know, or do not know yet', async () => {
  await untilBothAnswer();
  const [calls] = await Promise.all([Promise.all(Array.from({ length: 50 }, () => callMany(4))), other.drain()]);
  expect(calls.flatMap((roles) => roles.get('failed') ?? 0).reduce((sum, failed) => sum + failed, 0)).toBe(0);
  for (let n = 0; n < 10; n += 1) {
    const transport = new GrpcTransport({ url, proof });
    opened.defer(() => transport.close());
    auth = createClient(AuthService, transport);
    expect(await callMany(4)).toEqual(new Map([['ONE', 4]]));
  }
});

test('a call to a service whose only replica leaves fails soon', async () => {
  await Promise.all([one.drain(), other.drain()]);
  const failure = await auth.getAccount({ id: 'a' }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'unavailable', reason: 'draining' });
});

test.each([1, 2, 15, 16, 100])('each of %i replicas is visited while its stream can still be used', (replicas) => {
  expect(explorePause(replicas) * replicas).toBeLessThan(30_000);
  expect(explorePause(replicas)).toBeLessThanOrEqual(2_000);
});
