import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../src/blobs/blob-store.ts';
import { openDirectoryStore } from '../src/blobs/directory-store.ts';
import { artifactNotFound } from '../src/errors.ts';
import { loadArtifact } from '../src/rpc/load-artifact.ts';
import { type Key, load, newKey, openArtifacts, save, type TestArtifacts } from './open-artifacts.ts';

let service: TestArtifacts;
beforeAll(async () => {
  service = await openArtifacts({ ARTIFACT_INLINE_MAX_BYTES: '1000' });
});
afterAll(() => service[Symbol.asyncDispose]());

const damaged = { code: 'internal', reason: 'artifact_damaged' };
const size = 600_000;

/** An artifact, and the file of its payload. */
async function saved(): Promise<{ key: Key; file: string }> {
  const key = newKey();
  await save(service.client, key, randomBytes(size));
  const [row] = await service.rows(`select id::text from blobs where account_id = '${key.accountId}'`);
  const id = String(row?.['id']);
  return { key, file: join(service.folder, 'artifacts', key.accountId, id.slice(0, 2), id) };
}

/** Number of bytes that a read answers as if they were all. */
const readBytes = async (key: Key, range: object = {}): Promise<number> =>
  (await load(service.client, key, range)).bytes.length;

/** Why an artifact cannot be read from a store, for a caller who leaves when the signal aborts. */
async function failureOf(key: Key, blobs: Pick<BlobStore, 'read'>, signal: AbortSignal): Promise<unknown> {
  const migrations = new URL('../migrations/', import.meta.url);
  const options = { service: 'artifacts', url: service.databaseUrl, poolSize: 1, migrations };
  await using db = await openDatabase(options, createLogger({ level: 'silent', name: 'test' }));
  const handler = loadArtifact({ db, blobs } as never) as (request: object, call: object) => AsyncIterable<unknown>;
  try {
    await Array.fromAsync(handler({ key, offset: 0n }, { signal, timeoutMs: () => undefined }));
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('a payload of which the store has lost the end', () => {
  test.each([
    ['whole', {}],
    ['in a range that crosses its end', { offset: 299_999n, length: 2n }],
    ['in a range behind its end', { offset: 400_000n }],
  ])('fails when it is read %s', async (_, range) => {
    const { key, file } = await saved();
    await truncate(file, 300_000);
    await expect(readBytes(key, range)).rejects.toMatchObject(damaged);
  });

  test('is read in a range that it has, and its head is read', async () => {
    const { key, file } = await saved();
    await truncate(file, 300_000);
    expect(await readBytes(key, { offset: 299_990n, length: 10n })).toBe(10);
    expect((await load(service.client, key, { length: 0n })).head.version?.size).toBe(BigInt(size));
  });

  test('has a cause for the log, which names the artifact and no path', async () => {
    const { key, file } = await saved();
    await truncate(file, 300_000);
    const blobs = await openDirectoryStore(join(service.folder, 'artifacts'));
    const failure = await failureOf(key, blobs, new AbortController().signal);
    expect(String((failure as Error).cause)).toContain('a.bin (version 0)');
    expect(String((failure as Error).cause)).not.toContain(service.folder);
    expect((failure as Error).message).not.toContain('a.bin');
  });
});

test('a payload that the store has lost is damaged, not an artifact that does not exist', async () => {
  const { key, file } = await saved();
  await rm(file);
  await expect(readBytes(key)).rejects.toMatchObject(damaged);
});

test('a payload without its first byte is told in the place of its head, so that a download has the status', async () => {
  const { key, file } = await saved();
  await rm(file);
  const messages = service.client.loadArtifact({ key })[Symbol.asyncIterator]();
  await expect(messages.next()).rejects.toMatchObject(damaged);
});

test('a payload that the store has lost is not looked up for a caller who has left', async () => {
  const { key } = await saved();
  const leaving = new AbortController();
  const read: BlobStore['read'] = async function* () {
    leaving.abort();
    throw artifactNotFound();
  };
  expect(await failureOf(key, { read }, leaving.signal)).toMatchObject({ code: 'canceled' });
});

test.each([
  ['without its folder', async () => undefined],
  ['with an empty folder, as where a volume is not mounted', (folder: string) => mkdir(folder)],
])('a payload is not damaged while the store is %s, but unavailable', async (_, replace) => {
  const { key } = await saved();
  const folder = join(service.folder, 'artifacts');
  await rename(folder, `${folder}-away`);
  await replace(folder);
  const away = { code: 'unavailable', reason: 'artifact_store_unavailable' };
  await expect(readBytes(key)).rejects.toMatchObject(away);
  await rm(folder, { recursive: true, force: true });
  await rename(`${folder}-away`, folder);
  expect(await readBytes(key)).toBe(size);
});

test('an artifact that is deleted before its payload is read is not found', async () => {
  const { key, file } = await saved();
  const store = await openDirectoryStore(join(service.folder, 'artifacts'));
  const read: BlobStore['read'] = async function* (...wanted) {
    await service.client.deleteArtifact({ key });
    await rm(file);
    yield* store.read(...wanted);
  };
  const failure = await failureOf(key, { read }, new AbortController().signal);
  expect(failure).toMatchObject({ code: 'not_found', reason: 'artifact_not_found' });
});
