import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { Client, credentials } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { describe, expect, it, vi } from 'vitest';
import { freePorts } from './testing/index.ts';
import { testCertificate } from './testing/test-certificate.ts';
import { type TestMeshOptions, testMesh } from './testing/test-mesh.ts';
import { testNode } from './testing/test-node.ts';

const getAccount = () => ({ account: { id: 'a1' } });
const certificate = testCertificate();

/** Asks as an orchestrator does: without the mesh credential. */
async function health(url: string, service: string): Promise<unknown> {
  const { path, requestSerialize, responseDeserialize } = healthService['Check'] ?? {};
  if (!path || !requestSerialize || !responseDeserialize) throw new Error('no health check');
  const client = new Client(url.replace('http://', ''), credentials.createInsecure());
  const answer = await new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service }, (error, value) =>
      error ? reject(error) : resolve(value),
    );
  });
  client.close();
  return answer;
}

describe('mutual TLS', () => {
  it.skipIf(!certificate)('lets no client without a certificate in', async () => {
    await using mesh = await testMesh({
      local: false,
      auth: { getAccount },
      tls: certificate,
      clientOptions: { tls: undefined },
    });
    await expect(mesh.client.client(AuthService).getAccount({})).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('routing', () => {
  it('a service that is neither served nor addressed names the variable to set', async () => {
    await using mesh = await testMesh({ local: false, clientOptions: { urls: {} } });
    await expect(mesh.client.client(AuthService).getAccount({})).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'service_unreachable',
      message: expect.stringContaining('MESH_AUTH_URL') as string,
    });
  });

  it('a client made before the service is served reaches it', async () => {
    await using mesh = await testMesh({ local: true });
    await using late = testNode(mesh.options);
    const client = late.client(AuthService);
    await expect(client.getAccount({})).rejects.toMatchObject({ reason: 'service_unreachable' });
    late.serve(AuthService, mesh.implementations.auth);
    await expect(client.getAccount({})).rejects.toMatchObject({ reason: 'not_served' });
  });

  it('a service that is down is unavailable, and its address stays private', async () => {
    const mesh = await testMesh({ local: false, auth: { getAccount } });
    await using client = mesh.client;
    await mesh.server[Symbol.asyncDispose]();
    const failure = await client
      .client(AuthService)
      .getAccount({})
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'unavailable',
      reason: 'service_unavailable',
      message: 'The auth service is unavailable',
    });
  });

  it('a service that restarts is found again', async () => {
    // The port stays free while nothing listens there.
    const [port = 0] = await freePorts(1);
    const first = await testMesh({ local: false, auth: { getAccount }, port });
    await using client = first.client;
    await client.client(AuthService).getAccount({});
    await first.server[Symbol.asyncDispose]();
    await expect(client.client(AuthService).getAccount({})).rejects.toMatchObject({ code: 'unavailable' });
    await using second = testNode(first.options);
    second.serve(AuthService, first.implementations.auth);
    await second.listen({ host: '127.0.0.1', port });
    await vi.waitFor(() => client.client(AuthService).getAccount({}));
  });

  it('a service is served once', async () => {
    await using mesh = await testMesh({ local: true });
    expect(() => mesh.server.serve(AuthService, mesh.implementations.auth)).toThrow('already served');
  });
});

describe('health and drain', () => {
  it('health is open, and known for the process and for each service', async () => {
    await using mesh = await testMesh({ local: false });
    expect(await health(mesh.url, '')).toEqual({ status: 'SERVING' });
    expect(await health(mesh.url, AuthService.typeName)).toEqual({ status: 'SERVING' });
    await expect(health(mesh.url, 'unknown.Service')).rejects.toMatchObject({ code: 5 });
  });

  it('while it drains a node is NOT_SERVING, refuses its neighbours and still serves itself', async () => {
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await using mesh = await testMesh({
      local: false,
      auth: { getAccount },
      runs: {
        listApps: async () => {
          entered.resolve();
          await gate.promise;
          return {};
        },
      },
    });
    const call = mesh.client.client(RunsService).listApps({});
    await entered.promise;
    const drained = mesh.server.drain(5_000);
    expect(await health(mesh.url, '')).toEqual({ status: 'NOT_SERVING' });
    expect(await health(mesh.url, AuthService.typeName)).toEqual({ status: 'NOT_SERVING' });
    await expect(mesh.client.client(AuthService).getAccount({})).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'draining',
    });
    expect((await mesh.server.client(AuthService).getAccount({})).account?.id).toBe('a1');
    gate.resolve();
    await call;
    await drained;
  });

  it('an upload that a leaving node refuses goes to another one', async () => {
    const artifacts: TestMeshOptions['artifacts'] = {
      saveArtifact: async (requests) => {
        for await (const _ of requests);
        return {};
      },
    };
    await using leaving = await testMesh({ local: false, artifacts });
    await using staying = await testMesh({ local: false, artifacts });
    const hosts = [leaving, staying].map(({ url }) => new URL(url).host);
    await using caller = testNode({ ...staying.options, urls: { artifacts: `ipv4:${hosts.join()}` } });
    const upload = () => caller.client(ArtifactsService).saveArtifact((async function* () {})());
    for (let n = 0; n < 4; n++) await upload();
    const drained = leaving.server.drain(5_000);
    const all = await Promise.allSettled(Array.from({ length: 8 }, upload));
    expect(all).toMatchObject(Array(8).fill({ status: 'fulfilled' }));
    await drained;
  });

  it('a node that leaves is NOT_SERVING, and serves callers that know no other one for as long as it waits', async () => {
    await using mesh = await testMesh({ local: false, auth: { getAccount } });
    const auth = mesh.client.client(AuthService);
    await auth.getAccount({});
    const left = mesh.server.leave(300, 120_000).then(() => 'left');
    expect(await Promise.race([left, auth.getAccount({}).then(() => 'still there')])).toBe('still there');
    expect(await health(mesh.url, '')).toEqual({ status: 'NOT_SERVING' });
    expect(await left).toBe('left');
    expect((await auth.getAccount({})).account?.id).toBe('a1');
  });

  it('a node that leaves waits for callers that come to it for the first time, although nobody else was there', async () => {
    await using mesh = await testMesh({ local: false, auth: { getAccount } });
    const startedAt = performance.now();
    await mesh.server.leave(60_000, 120_000);
    // A caller pauses up to 600 ms between two attempts to connect to another node.
    expect(performance.now() - startedAt).toBeGreaterThan(600);
    expect((await mesh.client.client(AuthService).getAccount({})).account?.id).toBe('a1');
  });

  it('a closed node refuses calls within the process too', async () => {
    const mesh = await testMesh({ local: true, auth: { getAccount } });
    await mesh.server[Symbol.asyncDispose]();
    await expect(mesh.server.client(AuthService).getAccount({})).rejects.toMatchObject({ reason: 'draining' });
  });
});
