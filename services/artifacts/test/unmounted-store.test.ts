import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeDeletions } from '@agentmesh/lib/service/testing';
import { asDeclared } from '@agentmesh/lib/rpc/testing';
import { startProcess } from '@agentmesh/lib/service';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBlobStore } from '../src/blobs/open-blob-store.ts';
import type { Config } from '../src/config.ts';
import { storeUnavailable } from '../src/errors.ts';
import { artifacts } from '../src/index.ts';
import { verifyPayloads } from '../src/verify-payloads.ts';
import { type Key, load, newKey, openArtifacts, save, type TestArtifacts } from './open-artifacts.ts';

const away = { code: 'unavailable', reason: 'artifact_store_unavailable' };
const payload = randomBytes(600_000);
let first: TestArtifacts;
let key: Key;
let dataDir: string;
const resources = new AsyncDisposableStack();

beforeAll(async () => {
  first = resources.use(await openArtifacts());
  key = newKey();
  await save(first.client, key, payload);
  dataDir = await mkdtemp(join(tmpdir(), 'unmounted-'));
  resources.defer(() => rm(dataDir, { recursive: true }));
});
afterAll(() => resources.disposeAsync());

/** Starts the service beside the same database with another folder. */
const startElsewhere = () =>
  startProcess({
    services: [fakeDeletions().service, artifacts],
    words: ['auth', 'artifacts'],
    env: { DATABASE_URL: first.databaseUrl, DATA_DIR: dataDir, OPS_PORT: '0', LOG_LEVEL: 'silent' },
  });

describe('a start with an empty folder beside a database that knows payloads', () => {
  test.each(['no folder', 'an empty folder'])(
    'answers that the store is unavailable, with %s, and goes on when its volume is there',
    async (kind) => {
      const folder = join(dataDir, 'artifacts');
      if (kind !== 'no folder') await mkdir(folder);
      await using elsewhere = await startElsewhere();
      const client = asDeclared(elsewhere.mesh).client(ArtifactsService);
      await expect(load(client, key)).rejects.toMatchObject(away);
      await expect(save(client, newKey(), payload)).rejects.toMatchObject(away);
      const small = newKey();
      await save(client, small, Buffer.from('small'));
      expect((await load(client, small)).text).toBe('small');

      await rm(folder, { recursive: true, force: true });
      await rename(join(first.folder, 'artifacts'), folder);
      expect((await load(client, key)).bytes.equals(payload)).toBe(true);
      await rename(folder, join(first.folder, 'artifacts'));
    },
  );

  test('keeps what is to be removed until the store is there', async () => {
    const doomed = newKey();
    await save(first.client, doomed, randomBytes(600_000));
    const folder = join(first.folder, 'artifacts');
    await rename(folder, `${folder}-away`);
    await first.client.deleteArtifact({ key: doomed });
    await expect(first.settle()).rejects.toMatchObject({ reason: 'artifact_store_unavailable' });
    await rename(`${folder}-away`, folder);
    await first.settle();
    expect(
      await readdir(join(folder, doomed.accountId, (await readdir(join(folder, doomed.accountId)))[0] ?? '')),
    ).toEqual([]);
  });

  test('says so in the log, and leaves the folder as it is', async () => {
    const told: unknown[] = [];
    const log = { error: (...line: unknown[]) => told.push(line) };
    const host = { dataDir, resources, hasObjects: () => Promise.resolve(true), log };
    const store = await openBlobStore({} as Config, host);
    await expect(store.check()).rejects.toMatchObject(away);
    expect(told).toEqual([
      [{ folder: join(dataDir, 'artifacts') }, expect.stringContaining('is its volume mounted?') as string],
    ]);
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('does not take a path that cannot be read for an empty folder', async () => {
    const file = join(dataDir, 'artifacts');
    await writeFile(file, '');
    const host = { dataDir, resources, hasObjects: () => Promise.resolve(true) };
    await expect(openBlobStore({} as Config, host)).rejects.toMatchObject({ code: 'ENOTDIR' });
    await rm(file);
  });

  test('is one fault of verify-restore, not one for each payload', async () => {
    const faults: string[] = [];
    const blobs = await openBlobStore({} as Config, { dataDir, resources, hasObjects: () => Promise.resolve(true) });
    const verification = { db: { query: () => Promise.resolve([]) }, blobs, leftOver: () => undefined };
    const summary = await verifyPayloads({ ...verification, fault: (line) => faults.push(line) });
    expect(faults).toEqual([expect.stringContaining('is its volume mounted')]);
    expect(summary).toBe('compared no payloads with the blob store');
  });

  test('is not taken for one that may only be read and has objects', async () => {
    const blobs = await openBlobStore({} as Config, { dataDir, resources, hasObjects: () => Promise.resolve(false) });
    const writer = await blobs.write({ accountId: randomUUID(), id: randomUUID() });
    await writer.finish();
    const readOnly = { ...blobs, check: () => Promise.reject(storeUnavailable(new Error('EROFS'))) };
    const told: string[] = [];
    const verification = { db: { query: () => Promise.resolve([]) }, blobs: readOnly, leftOver: () => undefined };
    const summary = await verifyPayloads({ ...verification, fault: (line) => told.push(line) });
    expect([told, summary]).toEqual([[], 'compared 0 payloads with 1 objects of the blob store']);
  });
});

test('a start with a folder that was a store before, or beside a database without payloads, makes what is missing', async () => {
  const folder = join(dataDir, 'artifacts');
  await mkdir(join(folder, key.accountId), { recursive: true });
  const restored = { dataDir, resources, hasObjects: () => Promise.resolve(true) };
  await (await openBlobStore({} as Config, restored)).check();
  await rm(folder, { recursive: true });
  await (await openBlobStore({} as Config, { ...restored, hasObjects: () => Promise.resolve(false) })).check();
});
