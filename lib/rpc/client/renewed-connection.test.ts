import { X509Certificate } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { createClient } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import type { MeshTls } from '../call/index.ts';
import { GrpcTransport } from './grpc-transport.ts';
import { createProof } from '../identity/index.ts';
import { changingTls } from '../testing/changing-tls.ts';
import { shownSerial } from '../testing/shown-serial.ts';
import { testCertificate } from '../testing/test-certificate.ts';
import { testIdentities } from '../testing/test-identities.ts';
import { testMesh } from '../testing/test-mesh.ts';

const proof = createProof({
  caller: 'gateway',
  audience: ['auth', 'runs'],
  identities: testIdentities(),
  tls: undefined,
});

/** A host name that resolves to the newest replica for new connections; existing connections keep their replica. */
async function startRouter() {
  let target = 0;
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    const onward = connect({ port: target, host: '127.0.0.1', noDelay: true });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    leadTo: (url: string) => {
      target = Number(new URL(url).port);
    },
    connections: () => connections,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A replica whose runs go on until they are told to end. */
function startReplica(role: string, ended: Promise<void>) {
  return testMesh({
    local: false,
    auth: { getAccount: ({ id }) => ({ account: { id, role } }) },
    runs: {
      async *run() {
        yield { kind: { case: 'accepted', value: { invocationId: 'e-1' } } };
        await ended;
        yield { kind: { case: 'accepted', value: { invocationId: 'e-2' } } };
      },
    },
  });
}

test('a connection that reaches its age is replaced by one to newer replicas; no call fails, and streams go on where they started', async () => {
  const ended = Promise.withResolvers<void>();
  await using old = await startReplica('OLD', ended.promise);
  await using fresh = await startReplica('NEW', ended.promise);
  using router = await startRouter();
  router.leadTo(old.url);
  const transport = new GrpcTransport({ url: router.url, proof, connectionAgeMs: 50 });
  const auth = createClient(AuthService, transport);

  const stream = createClient(RunsService, transport).run({})[Symbol.asyncIterator]();
  const next = async () => {
    const answer = await stream.next();
    return answer.done === true ? undefined : answer.value.kind.value;
  };
  expect(await next()).toMatchObject({ invocationId: 'e-1' });
  router.leadTo(fresh.url);
  const roles = new Set<string | undefined>();
  const failures: unknown[] = [];
  for (let calls = 0; calls < 5_000 && !(roles.has('NEW') && router.connections() > 6); calls += 8) {
    const eight = Array.from({ length: 8 }, () => auth.getAccount({ id: 'a' }));
    for (const outcome of await Promise.allSettled(eight)) {
      if (outcome.status === 'fulfilled') roles.add(outcome.value.account?.role);
      else failures.push(outcome.reason);
    }
  }
  expect(failures).toEqual([]);
  expect([...roles].at(-1)).toBe('NEW');
  ended.resolve();
  expect(await next()).toMatchObject({ invocationId: 'e-2' });
  expect(await next()).toBeUndefined();
  transport.close();
});

test('a connection stays when no other can be opened', async () => {
  await using only = await startReplica('ONLY', Promise.resolve());
  using router = await startRouter();
  router.leadTo(only.url);
  const transport = new GrpcTransport({ url: router.url, proof, connectionAgeMs: 20 });
  const auth = createClient(AuthService, transport);
  await auth.getAccount({ id: 'a' });
  router.leadTo('http://127.0.0.1:1');
  const tries = async () => {
    await auth.getAccount({ id: 'a' });
    return router.connections();
  };
  await expect.poll(tries).toBeGreaterThan(1);
  for (let calls = 0; calls < 200; calls += 1) {
    expect((await auth.getAccount({ id: 'a' })).account?.role).toBe('ONLY');
  }
  transport.close();
});

const certificates = [testCertificate(), testCertificate()];

test.skipIf(certificates[0] === undefined)(
  'certificates that change under load fail no call: the connection is replaced, and the server shows the new one',
  async () => {
    const [former, next] = certificates as [MeshTls, MeshTls];
    const ca = [former.ca, next.ca].join('');
    const { tls, change } = changingTls({ ...former, ca });
    await using replica = await testMesh({
      local: false,
      tls,
      auth: { getAccount: ({ id }) => ({ account: { id } }) },
    });
    using router = await startRouter();
    router.leadTo(replica.url);
    const shown = createProof({ caller: 'gateway', audience: ['auth'], identities: undefined, tls });
    const transport = new GrpcTransport({ url: router.url, proof: shown, tls });
    const auth = createClient(AuthService, transport);
    let [answered, isOver] = [0, false];
    const call = async (): Promise<void> => {
      for (; !isOver; answered += 1) await auth.getAccount({ id: 'a' });
    };
    const calls = Promise.all(Array.from({ length: 8 }, call));
    await expect.poll(() => answered).toBeGreaterThan(200);
    const before = router.connections();
    change({ ...next, ca });
    await expect.poll(() => router.connections()).toBeGreaterThan(before);
    change(next);
    const { serialNumber } = new X509Certificate(next.cert);
    await expect.poll(() => shownSerial(Number(new URL(replica.url).port), next)).toBe(serialNumber);
    const during = answered;
    await expect.poll(() => answered).toBeGreaterThan(during + 200);
    isOver = true;
    await calls;
    transport.close();
  },
);
