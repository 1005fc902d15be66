import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { type Client, createClient } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProof } from '../identity/index.ts';
import { testIdentities } from '../testing/test-identities.ts';
import { testMesh } from '../testing/test-mesh.ts';
import { GrpcTransport } from './grpc-transport.ts';

const proof = createProof({ caller: 'gateway', audience: ['auth'], identities: testIdentities(), tls: undefined });
let opened: AsyncDisposableStack;
let one: Replica;
let other: Replica;
let auth: Client<typeof AuthService>;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  [one, other] = [await startReplica('ONE'), await startReplica('OTHER')];
  const url = `ipv4:127.0.0.1:${one.port},127.0.0.1:${other.port}`;
  const transport = new GrpcTransport({ url, proof });
  opened.defer(() => transport.close());
  auth = createClient(AuthService, transport);
});
afterEach(() => opened.disposeAsync());

interface Replica {
  readonly port: number;
  /** Stops its machine: connections stay open, and nothing passes. */
  freeze(): void;
  thaw(): void;
}

async function startReplica(role: string): Promise<Replica> {
  const getAccount = ({ id }: { id: string }) => ({ account: { id, role } });
  const mesh = opened.use(await testMesh({ local: false, auth: { getAccount } }));
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

test('a frozen replica costs each caller at most one deadline, and gets calls again when it is back', async () => {
  await untilBothAnswer();
  other.freeze();
  const failuresOf = async (): Promise<number> => {
    let failures = 0;
    for (let calls = 0; calls < 20; calls += 1) failures += (await callMany(1, 1_000)).get('failed') ?? 0;
    return failures;
  };
  const failures = await Promise.all(Array.from({ length: 16 }, failuresOf));
  expect(Math.max(...failures)).toBeLessThanOrEqual(1);
  expect(failures).toContain(1);
  other.thaw();
  await untilBothAnswer();
});
