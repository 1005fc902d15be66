import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import {
  callersOf,
  createMesh,
  knownKeys,
  makeIdentity,
  type Mesh,
  type MeshTls,
  meshWord,
  readPrivateKey,
} from '@agentmesh/lib/rpc';
import { testCertificate } from '@agentmesh/lib/rpc/testing';
import { makeSecrets } from '@agentmesh/lib/service';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import { AuthService } from '@agentmesh/proto/auth/v1';
import type { DescMethod } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { newAccount } from './caller.ts';
import { contractMethods } from './contract-methods.ts';
import { words } from './deployed-settings.ts';
import { startMesh } from './mesh.ts';

const patient = { timeout: 120_000 };
const log = createLogger({ level: 'silent', name: 'test' });
const metrics = createMetrics({ processMetrics: false });

test('each service calls exactly the methods whose contract names it', patient, async () => {
  const { MESH_IDENTITIES = '', ...secrets } = makeSecrets(words);
  const secretOf = (word: string) => secrets[`${word.toUpperCase()}_MESH_IDENTITY`] ?? '';
  await using database = await testDatabaseUrl();
  const [port] = await freePorts(1);
  const env = { MESH_PORT: String(port), MESH_IDENTITIES, MESH_IDENTITY: words.map(secretOf).join(',') };
  await using _mesh = await startMesh({ mode: 'all', databaseUrl: database.url, env });
  const served = words.filter((word) => word !== 'gateway');
  const urls = Object.fromEntries(served.map((word) => [word, `http://127.0.0.1:${port}`]));
  const methods = await contractMethods();
  const wrong: string[] = [];
  for (const word of words) {
    const key = readPrivateKey(secretOf(word));
    const identities = { own: new Map(key && [[word, key.key]]), known: knownKeys([]) };
    await using node = createMesh({ urls, identities, log, metrics });
    // Other tests prove which calls are allowed; most of these calls would change something.
    const refused = methods.filter((method) => !callersOf(method).has(word));
    const outcomes = await Promise.all(refused.map((method) => reasonOf(callOf(node.as(word), method))));
    for (const [index, method] of refused.entries())
      if (outcomes[index] !== 'caller_refused')
        wrong.push(`${word} ${meshWord(method.parent)}.${method.name}: ${outcomes[index]}`);
  }
  expect(wrong).toEqual([]);
});

function callOf(mesh: Mesh, method: DescMethod): unknown {
  const client = mesh.client(method.parent) as unknown as Record<string, (request: unknown) => unknown>;
  const input = method.methodKind === 'client_streaming' ? (async function* () {})() : {};
  return client[method.localName]?.(input);
}

/** The reason of a failed call; `answered` when it did not fail. */
async function reasonOf(answer: unknown): Promise<string> {
  try {
    if (answer instanceof Promise) await answer;
    else for await (const _ of answer as AsyncIterable<unknown>) break;
    return 'answered';
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error);
  }
}

test(
  'the key of a service is replaced while the others run, and the former one opens nothing afterwards',
  patient,
  async () => {
    const [former, next, auth] = [makeIdentity('gateway'), makeIdentity('gateway'), makeIdentity('auth')];
    let gateway = former.secret;
    let known = [auth, former, next];
    await using database = await testDatabaseUrl();
    const ownEnv = (word: string) => ({
      MESH_IDENTITY: word === 'auth' ? auth.secret : gateway,
      MESH_IDENTITIES: (word === 'auth' ? known : [auth, former, next]).map(({ shown }) => shown).join(','),
    });
    await using mesh = await startMesh({ mode: 'separate', only: ['auth'], databaseUrl: database.url, ownEnv });
    const ask = async () => (await caller.request('GET', '/api/users/me')).status;
    const restart = async (word: string) => {
      await mesh.kill(word);
      await mesh.restart();
    };
    const caller = await newAccount(mesh.url);
    gateway = next.secret;
    await restart('gateway');
    expect(await ask()).toBe(200);
    known = [auth, next];
    await restart('auth');
    await expect.poll(ask).toBe(200);
    gateway = former.secret;
    await restart('gateway');
    expect(await ask()).toBe(503);
  },
);

const certificates = testCertificate() && { auth: testCertificate(['auth']), gateway: testCertificate(['gateway']) };

test.skipIf(certificates === undefined)(
  'with mutual TLS a service is the one that its certificate names, and needs no key',
  patient,
  async () => {
    const { auth, gateway } = certificates as Record<string, MeshTls>;
    const [runs, stranger] = [testCertificate(['runs']), testCertificate(['gateway'])] as MeshTls[];
    const ca = Buffer.concat([auth, gateway, runs].map((one) => one?.cert as Buffer));
    const folder = await mkdtemp(join(tmpdir(), 'mesh-tls-'));
    await using resources = new AsyncDisposableStack();
    resources.defer(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'ca'), ca);
    for (const [name, { cert, key }] of Object.entries({ auth, gateway } as Record<string, MeshTls>)) {
      await writeFile(join(folder, `${name}.cert`), cert);
      await writeFile(join(folder, `${name}.key`), key);
    }
    const database = resources.use(await testDatabaseUrl());
    const [port] = await freePorts(1);
    const url = `https://127.0.0.1:${port}`;
    const ownEnv = (word: string) => ({
      MESH_IDENTITY: '',
      MESH_IDENTITIES: '',
      MESH_TLS_CERT: join(folder, `${word}.cert`),
      MESH_TLS_KEY: join(folder, `${word}.key`),
      MESH_TLS_CA: join(folder, 'ca'),
      MESH_AUTH_URL: url,
      ...(word === 'auth' && { MESH_PORT: String(port) }),
    });
    const options = { mode: 'separate', only: ['auth'], databaseUrl: database.url, ownEnv } as const;
    const mesh = resources.use(await startMesh(options));
    const caller = await newAccount(mesh.url);
    expect((await caller.request('GET', '/api/users/me')).status).toBe(200);
    const reasonFor = async (word: string, tls: MeshTls | undefined) => {
      const address = tls === undefined ? url.replace('https', 'http') : url;
      await using node = createMesh({ urls: { auth: address }, log, metrics, ...(tls && { tls }) });
      return await reasonOf(node.as(word).client(AuthService).listAccounts({}, { timeoutMs: 20_000 }));
    };
    expect(await reasonFor('runs', { ...(runs as MeshTls), ca })).toBe('caller_refused');
    expect(await reasonFor('gateway', { ...(runs as MeshTls), ca })).toBe('identity_refused');
    expect(await reasonFor('gateway', { ...(stranger as MeshTls), ca })).toBe('service_unavailable');
    expect(await reasonFor('gateway', undefined)).toBe('service_unavailable');
  },
);
