import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BlobStore } from '../src/blobs/blob-store.ts';
import { openDirectoryStore } from '../src/blobs/directory-store.ts';
import { openS3Store } from '../src/blobs/s3-store.ts';
import { s3Credentials, startS3 } from './start-s3.ts';

interface TestStore extends AsyncDisposable {
  readonly store: BlobStore;
}

async function directory(): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'blobs-'));
  const store = await openDirectoryStore(join(folder, 'deep', 'store'));
  return { store, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function s3(): Promise<TestStore> {
  const server = await startS3();
  const options = { bucket: 'artifacts', prefix: 'a/b', region: 'eu-west-1' };
  const store = openS3Store({ ...options, endpoint: server.endpoint, credentials: s3Credentials });
  return {
    store,
    [Symbol.asyncDispose]: async () => {
      store[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const newName = () => ({ accountId: randomUUID(), id: randomUUID() });

async function write(store: BlobStore, name: ReturnType<typeof newName>, bytes: Buffer): Promise<void> {
  const writer = await store.write(name);
  for (let at = 0; at < bytes.length; at += 65_000) await writer.write(bytes.subarray(at, at + 65_000));
  await writer.finish();
}

async function read(store: BlobStore, name: ReturnType<typeof newName>, start = 0, length = Infinity): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.read(name, { start, length: Math.min(length, 1e9) })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe.each([
  ['a directory', directory],
  ['an S3-compatible server', s3],
])('%s', (_, open) => {
  test('returns the written bytes, whole and in part, small and in several parts', async () => {
    await using opened = await open();
    const { store } = opened;
    await store.check();
    for (const size of [1, 100_000, 12_000_003]) {
      const name = newName();
      const bytes = randomBytes(size);
      await write(store, name, bytes);
      expect((await read(store, name)).equals(bytes)).toBe(true);
      const start = Math.floor(size / 3);
      expect((await read(store, name, start, 500)).equals(bytes.subarray(start, start + 500))).toBe(true);
      expect(await read(store, name, 0, 0)).toHaveLength(0);
    }
  });

  test('returns those bytes of a range that an object has', async () => {
    await using opened = await open();
    const name = newName();
    const bytes = randomBytes(1_000);
    await write(opened.store, name, bytes);
    expect((await read(opened.store, name, 990, 20)).equals(bytes.subarray(990))).toBe(true);
    expect(await read(opened.store, name, 1_000, 20)).toHaveLength(0);
  });

  test('does not show aborted, unfinished or removed objects', async () => {
    await using opened = await open();
    const { store } = opened;
    const name = newName();
    const writer = await store.write(name);
    await writer.write(randomBytes(7_000_000));
    const missing = expect.objectContaining({ code: 'not_found' }) as unknown;
    await expect(read(store, name)).rejects.toEqual(missing);
    await writer.abort();
    await expect(read(store, name)).rejects.toEqual(missing);
    const kept = newName();
    await write(store, kept, randomBytes(10));
    await store.remove(kept);
    await store.remove(kept);
    await store.remove(newName());
    await store.removeAccount(kept.accountId);
    await expect(read(store, kept)).rejects.toEqual(missing);
  });

  test('lists each complete object once, and tells its size', async () => {
    await using opened = await open();
    const { store } = opened;
    const names = Array.from({ length: 5 }, newName);
    for (const [index, name] of names.entries()) await write(store, name, randomBytes(10 + index));
    const unfinished = await store.write(newName());
    await unfinished.write(randomBytes(10));
    const listed = [];
    for await (const page of store.list()) listed.push(...page);
    const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id).toSorted();
    expect(idsOf(listed)).toEqual(idsOf(names));
    expect(listed).toEqual(expect.arrayContaining(names));
    const sizes = await Promise.all([...names, newName()].map((name) => store.size(name)));
    expect(sizes).toEqual([10, 11, 12, 13, 14, undefined]);
    await unfinished.abort();
  });

  test('that is away throws unavailable, and leaves no unhandled rejection', async () => {
    const opened = await open();
    const { store } = opened;
    const name = newName();
    const writer = await store.write(name);
    await opened[Symbol.asyncDispose]();
    const away = expect.objectContaining({ code: 'unavailable', reason: 'artifact_store_unavailable' }) as unknown;
    await expect(store.check()).rejects.toEqual(away);
    const finishing = (async () => {
      for (let part = 0; part < 200; part += 1) await writer.write(randomBytes(65_536));
      await writer.finish();
    })();
    await expect(finishing).rejects.toEqual(away);
    await writer.abort();
  });
});
