import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import type { MeshTls } from '@agentmesh/lib/rpc';
import { freePorts, shownSerial, testCertificate } from '@agentmesh/lib/rpc/testing';
import { expect, test } from 'vitest';
import { type Caller, newAccount } from './caller.ts';
import { startMesh } from './mesh.ts';

const names = ['tls.crt', 'tls.key', 'ca.crt'] as const;
type Files = Record<(typeof names)[number], string>;

/** Both services with a certificate of their own; each is its own authority. */
function makePair(): Record<'auth' | 'gateway', MeshTls> | undefined {
  const [auth, gateway] = [testCertificate(['auth']), testCertificate(['gateway'])];
  return auth && gateway && { auth, gateway };
}

/** Replaces the files of a folder at once, through a link, as Kubernetes does with those of a mounted Secret. */
async function mount(folder: string, files: Files): Promise<void> {
  const version = await mkdtemp(join(folder, '..version-'));
  for (const name of names) await writeFile(join(version, name), files[name]);
  await symlink(version, join(folder, '..next'));
  await rename(join(folder, '..next'), join(folder, '..data'));
}

function filesOf({ cert, key }: MeshTls, authorities: readonly MeshTls[]): Files {
  return { 'tls.crt': String(cert), 'tls.key': String(key), 'ca.crt': authorities.map(({ ca }) => ca).join('') };
}

const isFull = process.env.VERIFY === 'full';
/** Requests of each step, and the pause after each of a client, which leaves most of the machine to other tests. */
const { requests, pauseMs } = isFull ? { requests: 2_000, pauseMs: 0 } : { requests: 200, pauseMs: 10 };

/** Sends requests over eight connections until `stop`, which answers their statuses. */
function load(caller: Caller) {
  const statuses: number[] = [];
  let isOver = false;
  const one = async (): Promise<void> => {
    while (!isOver) {
      statuses.push((await caller.request('GET', '/api/users/me')).status);
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: 8 }, one));
  return {
    /** Resolves when as many more were answered as a step has. */
    step: async (): Promise<void> => {
      const least = statuses.length + requests;
      await expect.poll(() => statuses.length, { timeout: 120_000 }).toBeGreaterThan(least);
    },
    stop: async (): Promise<number[]> => {
      isOver = true;
      await all;
      return statuses;
    },
  };
}

const [former, next] = [makePair(), makePair()];

test.skipIf(former === undefined)(
  'certificates that are replaced under load fail no request, and broken ones are refused',
  { timeout: 600_000 },
  async () => {
    if (former === undefined || next === undefined) throw new Error('there is no openssl');
    await using resources = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
    resources.defer(() => rm(folder, { recursive: true }));
    const words = ['auth', 'gateway'] as const;
    const replace = async (pair: typeof former, authorities: readonly MeshTls[]): Promise<void> => {
      for (const word of words) await mount(join(folder, word), filesOf(pair[word], authorities));
    };
    for (const word of words) {
      await mkdir(join(folder, word));
      for (const name of names) await symlink(join('..data', name), join(folder, word, name));
    }
    const all = [former, next].flatMap((pair) => Object.values(pair));
    await replace(former, all);
    const database = resources.use(await testDatabaseUrl());
    const [port = 0] = await freePorts(1);
    const ownEnv = (word: string): Record<string, string> => ({
      MESH_IDENTITY: '',
      MESH_IDENTITIES: '',
      MESH_TLS_CERT: join(folder, word, 'tls.crt'),
      MESH_TLS_KEY: join(folder, word, 'tls.key'),
      MESH_TLS_CA: join(folder, word, 'ca.crt'),
      MESH_AUTH_URL: `https://127.0.0.1:${port}`,
      ...(word === 'auth' && { MESH_PORT: String(port) }),
    });
    const options = { mode: 'separate', only: ['auth'], databaseUrl: database.url, ownEnv } as const;
    const mesh = resources.use(await startMesh(options));
    const told = (text: string) => mesh.lines.filter((line) => line.includes(text)).length;
    const caller = await newAccount(mesh.url);
    const serial = (pair: typeof former) => new X509Certificate(pair.auth.cert).serialNumber;
    expect(await shownSerial(port, former.gateway)).toBe(serial(former));

    const { step, stop } = load(caller);
    await replace(next, all);
    await expect.poll(() => shownSerial(port, next.gateway)).toBe(serial(next));
    await expect.poll(() => told('files that have changed are in use')).toBe(2);
    await step();
    await replace(next, Object.values(next));
    await expect.poll(() => told('files that have changed are in use')).toBe(4);
    await step();
    await mount(join(folder, 'auth'), { ...filesOf(next.auth, all), 'tls.crt': 'none' });
    await expect.poll(() => told('files that have changed are of no use')).toBe(1);
    await step();
    expect(await shownSerial(port, next.gateway)).toBe(serial(next));
    const statuses = await stop();
    expect(statuses.filter((status) => status !== 200)).toEqual([]);

    await replace(next, Object.values(next));
    await mesh.kill('auth');
    await mesh.restart();
    // It trusts the new certificates only, so the gateway shows its own.
    await expect.poll(async () => (await caller.request('GET', '/api/users/me')).status).toBe(200);
    expect(told('files that have changed are of no use')).toBe(1);
  },
);
