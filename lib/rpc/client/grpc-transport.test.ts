import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProof } from '../identity/index.ts';
import { testIdentities } from '../testing/test-identities.ts';
import { type TestMesh, testMesh } from '../testing/test-mesh.ts';
import { GrpcTransport } from './grpc-transport.ts';

const noHeaders = { headers: { 'not a name': 'x' } };
const refusal: unknown = expect.objectContaining({ name: 'MeshError', code: 'internal' });
const resources = new AsyncDisposableStack();
let mesh: TestMesh;

beforeAll(async () => {
  const getAccount = ({ id }: { readonly id: string }) => ({ account: { id } });
  mesh = resources.use(await testMesh({ local: false, auth: { getAccount } }));
});
afterAll(() => resources.disposeAsync());

describe('a call that cannot be sent rejects with MeshError', () => {
  test.each(['before the connection is made', 'when it is open'])('%s', async (when) => {
    const auth = mesh.client.client(AuthService);
    if (when === 'when it is open') await auth.getAccount({ id: 'a' });
    await expect(auth.getAccount({ id: 'a' }, noHeaders)).rejects.toEqual(refusal);
    const answers = mesh.client.client(RunsService).run({}, noHeaders)[Symbol.asyncIterator]();
    await expect(answers.next()).rejects.toEqual(refusal);
  });
});

describe('a transport that is closed ends its calls with MeshError, and nothing else of the process', () => {
  const proof = createProof({ caller: 'gateway', audience: ['auth'], identities: testIdentities(), tls: undefined });

  test.each([30, 120, 250])('a call that a leaving server has refused, closed after %i ms', async (afterMs) => {
    await using server = await testMesh({ local: false, auth: { getAccount: ({ id }) => ({ account: { id } }) } });
    const transport = new GrpcTransport({ url: server.url, proof });
    const auth = createClient(AuthService, transport);
    await auth.getAccount({ id: 'a' });
    await server.server.drain(5_000);
    const refused = auth.getAccount({ id: 'a' }).catch((error: unknown) => error);
    await delay(afterMs);
    transport.close();
    expect(await refused).toMatchObject({ name: 'MeshError', reason: 'draining' });
  });

  test('a large request that waits for a silent server', async () => {
    const sockets: Socket[] = [];
    await using silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const transport = new GrpcTransport({ url, proof });
    const large = createClient(AuthService, transport).getAccount({ id: 'a'.repeat(100_000) });
    const failure = large.catch((error: unknown) => error);
    await once(silent, 'connection');
    transport.close();
    expect(await failure).toMatchObject({ name: 'MeshError' });
    for (const socket of sockets) socket.destroy();
  });
});
