import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ExchangeCall } from '../exchange/exchange-call.ts';
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
  const refused = Reflect.get(ExchangeCall.prototype, 'refused');
  const proof = createProof({ caller: 'gateway', audience: ['auth'], identities: testIdentities(), tls: undefined });

  test.each([2, 3, 4])('a call that waits after a leaving server has refused it %i times', async (times) => {
    await using server = await testMesh({ local: false, auth: { getAccount: ({ id }) => ({ account: { id } }) } });
    const transport = new GrpcTransport({ url: server.url, proof });
    const auth = createClient(AuthService, transport);
    await auth.getAccount({ id: 'a' });
    await server.server.drain(5_000);
    let refusals = 0;
    using _ = vi.spyOn(ExchangeCall.prototype, 'refused').mockImplementation(function (this: ExchangeCall) {
      refused.call(this);
      refusals += 1;
      // The call waits now: it is sent again 50 ms later, or more.
      if (refusals === times) transport.close();
    });
    const failure = await auth.getAccount({ id: 'a' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'MeshError', reason: 'draining' });
    expect(refusals).toBe(times);
  });

  test('a large request that waits for a silent server', async () => {
    const sockets: Socket[] = [];
    await using silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    // The server ends when they have.
    using _ = { [Symbol.dispose]: () => sockets.forEach((socket) => socket.destroy()) };
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const transport = new GrpcTransport({ url, proof });
    const large = createClient(AuthService, transport).getAccount({ id: 'a'.repeat(100_000) });
    const failure = large.catch((error: unknown) => error);
    await once(silent, 'connection');
    transport.close();
    expect(await failure).toMatchObject({ name: 'MeshError' });
  });
});
