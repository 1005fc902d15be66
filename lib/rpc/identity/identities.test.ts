import { AuthService } from '@agentmesh/proto/auth/v1';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { Client, credentials, type Metadata } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMesh, type MeshIdentities, type MeshOptions } from '../index.ts';
import { presentAs } from '../testing/present-as.ts';
import { testCertificate } from '../testing/test-certificate.ts';
import { failureOf } from '../testing/test-calls.ts';
import { testIdentities } from '../testing/test-identities.ts';
import { type TestMesh, testMesh } from '../testing/test-mesh.ts';
import { asIs } from '../wire/index.ts';

afterEach(() => void vi.useRealTimers());

const getAccount = () => ({ account: { id: 'a1' } });
const wrong = testIdentities('another secret');
const refused = { code: 'unavailable', reason: 'identity_refused' };
const asGateway = (mesh: TestMesh) => mesh.client.as('gateway').client(AuthService).getAccount({});

/** Calls a method of auth or runs by hand. Resolves with the status of its failure, or `ok`. */
async function callByHand(mesh: TestMesh, metadata: Metadata, path = '/agentmesh.auth.v1.AuthService/GetAccount') {
  const client = new Client(mesh.url.replace('http://', ''), credentials.createInsecure());
  const outcome = await new Promise<string>((resolve) => {
    client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), metadata, (error) => resolve(error?.details ?? 'ok'));
  });
  client.close();
  return outcome;
}

/** From now on both clocks are later. */
function passSeconds(seconds: number): void {
  const monotonic = performance.now();
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  vi.advanceTimersByTime(monotonic + seconds * 1_000);
}

/** The log lines about identities, of both sides. */
const lines = (mesh: TestMesh) => mesh.logged.map(({ msg, reason, caller }) => ({ msg, reason, caller }));

describe('a token', () => {
  it('of the wrong key is refused before the handler, on every kind of call, and the server logs why without secrets', async () => {
    const handler = vi.fn<() => object>(getAccount);
    await using mesh = await testMesh({
      local: false,
      auth: { getAccount: handler },
      clientOptions: { identities: wrong },
    });
    for (let n = 0; n < 3; n += 1) expect(await failureOf(asGateway(mesh))).toMatchObject(refused);
    const stream = mesh.client.client(RunsService).run({})[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toMatchObject(refused);
    const upload = mesh.client.client(ArtifactsService).saveArtifact((async function* () {})());
    await expect(upload).rejects.toMatchObject(refused);
    expect(handler).not.toHaveBeenCalled();
    const reason = 'The caller is refused: its key is not in MESH_IDENTITIES of the called process';
    expect(lines(mesh)).toEqual([{ msg: 'refused a call of another process', reason }]);
    const { cause } = (await failureOf(asGateway(mesh))) as Error;
    expect(cause).toMatchObject({ reason: 'mesh_identity', message: reason });
    expect(JSON.stringify(mesh.logged)).not.toMatch(/eyJ/);
  });

  it('is missing: the call is refused', async () => {
    await using mesh = await testMesh({ local: false, auth: { getAccount }, clientOptions: { identities: undefined } });
    expect(await failureOf(asGateway(mesh))).toMatchObject(refused);
  });

  it('of a service does not let it act as another one, also when it holds all public keys', async () => {
    const all = testIdentities();
    const own = new Map([['gateway', all.own.get('runs') as never]]);
    await using mesh = await testMesh({
      local: false,
      auth: { getAccount },
      clientOptions: { identities: { ...all, own } },
    });
    // The key tells the service; the name that the caller gives itself does not count.
    expect(await failureOf(asGateway(mesh))).toMatchObject(refused);
    expect(lines(mesh)).toMatchObject([
      { reason: 'The caller is refused: the token of runs is not signed with its key' },
    ]);
  });

  it('that another service was shown is refused', async () => {
    await using mesh = await testMesh({ local: false, auth: { getAccount } });
    const { identities } = mesh.options;
    expect(await callByHand(mesh, await presentAs('gateway', { audience: ['auth'], identities }))).toBe('ok');
    const shown = await presentAs('gateway', { audience: ['runs'], identities });
    expect(await callByHand(mesh, shown)).toContain('the token of gateway is not for auth');
  });

  it('is accepted when the clocks differ by a minute, and refused when they differ by more than its life', async () => {
    await using mesh = await testMesh({ local: false, auth: { getAccount } });
    const tokenAt = (offsetSeconds: number): Promise<Metadata> => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offsetSeconds * 1000 });
      return presentAs('gateway', { audience: ['auth'], identities: mesh.options.identities }).finally(() =>
        vi.useRealTimers(),
      );
    };
    for (const seconds of [59, -59, -290, -350])
      expect([seconds, await callByHand(mesh, await tokenAt(seconds))]).toEqual([seconds, 'ok']);
    for (const seconds of [70, 1_000, -370]) {
      expect(await callByHand(mesh, await tokenAt(seconds))).toContain('compare the clocks');
    }
  });

  it('expires also on a stream of calls that is already open, and is remembered no longer', async () => {
    await using mesh = await testMesh({ local: false, auth: { getAccount } });
    const metadata = await presentAs('gateway', { audience: ['auth'], identities: mesh.options.identities });
    expect(await callByHand(mesh, metadata)).toBe('ok');
    passSeconds(400);
    expect(await callByHand(mesh, metadata)).toContain('compare the clocks');
  });

  it('is renewed by its caller: calls go on after its life', async () => {
    await using mesh = await testMesh({ local: false, auth: { getAccount } });
    await asGateway(mesh);
    passSeconds(3_600);
    expect(await asGateway(mesh)).toMatchObject({ account: { id: 'a1' } });
  });
});

describe('keys', () => {
  it('are replaced without a refused call: first the new public key everywhere, then the private one, then the old key goes', async () => {
    const [before, both, after] = [testIdentities('old'), testIdentities('old', 'new'), testIdentities('new', 'old')];
    const steps: [MeshIdentities, MeshIdentities][] = [
      [before, both],
      [both, both],
      [after, both],
      [after, testIdentities('new')],
    ];
    for (const [client, server] of steps) {
      await using mesh = await testMesh({
        local: false,
        auth: { getAccount },
        clientOptions: { identities: client },
        serverOptions: { identities: server },
      });
      expect(await asGateway(mesh)).toMatchObject({ account: { id: 'a1' } });
    }
  });
});

describe('a certificate', () => {
  const both = testCertificate(['runs', 'memory']);

  it.skipIf(!both)('lets its process act as the services that it names, and as no other', async () => {
    await using mesh = await testMesh({
      local: false,
      auth: { checkErasure: () => ({ isDeleted: true }), getAccount },
      tls: both,
    });
    for (const caller of ['runs', 'memory']) {
      expect(await mesh.client.as(caller).client(AuthService).checkErasure({})).toMatchObject({ isDeleted: true });
    }
    expect(await failureOf(asGateway(mesh))).toMatchObject(refused);
    const reason = 'The caller is refused: its certificate names runs, memory and not the service that calls';
    expect(lines(mesh)).toContainEqual({ msg: 'refused a call of another process', reason });
  });
});

it('a process without identities and without TLS lets nobody in', async () => {
  await using mesh = await testMesh({ local: false, auth: { getAccount }, serverOptions: { identities: undefined } });
  expect(await failureOf(asGateway(mesh))).toMatchObject(refused);
  const options: MeshOptions = { ...mesh.options, urls: { auth: mesh.url }, identities: undefined };
  await using stranger = createMesh(options);
  expect(await failureOf(stranger.as('gateway').client(AuthService).getAccount({}))).toMatchObject(refused);
});
