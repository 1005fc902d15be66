import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  load,
  names,
  newKey,
  openArtifacts,
  requestsOf,
  save,
  saveText,
  type TestArtifacts,
  versions,
} from './open-artifacts.ts';

let service: TestArtifacts;
beforeAll(async () => {
  service = await openArtifacts({ ARTIFACT_MAX_BYTES: '3000000', ARTIFACT_INLINE_MAX_BYTES: '1000' });
});
afterAll(() => service[Symbol.asyncDispose]());

const code = (code: string, reason: string): unknown => expect.objectContaining({ code, reason });
const notFound = code('not_found', 'artifact_not_found');

describe('payloads', () => {
  test('up to the limit of PostgreSQL are rows, larger ones files, and both can be read in part', async () => {
    const key = newKey();
    for (const [size, files] of [
      [1000, 0],
      [1001, 1],
      [2_000_000, 1],
    ] as const) {
      const before = (await service.files()).length;
      const bytes = randomBytes(size);
      await save(service.client, key, bytes, { chunkBytes: 777 });
      expect((await service.files()).length - before).toBe(files);
      expect((await load(service.client, key)).bytes.equals(bytes)).toBe(true);
      const part = await load(service.client, key, { offset: 10n, length: 500n });
      expect(part.bytes.equals(bytes.subarray(10, 510))).toBe(true);
      expect(part.head.version?.size).toBe(BigInt(size));
      const tail = await load(service.client, key, { offset: BigInt(size - 3), length: 10n });
      expect(tail.bytes.equals(bytes.subarray(size - 3))).toBe(true);
      expect((await load(service.client, key, { offset: BigInt(size + 1) })).bytes).toHaveLength(0);
      expect((await load(service.client, key, { length: 0n })).bytes).toHaveLength(0);
    }
  });

  test('that are equal are stored once in an account, and apart in two', async () => {
    const bytes = randomBytes(20_000);
    const key = newKey();
    const before = (await service.files()).length;
    await save(service.client, key, bytes);
    await save(service.client, { ...key, name: 'copy' }, bytes);
    await save(service.client, { ...key, userId: 'u2' }, bytes);
    expect((await service.files()).length - before).toBe(1);
    await save(service.client, newKey(), bytes);
    expect((await service.files()).length - before).toBe(2);
  });

  test('live as long as a version refers to them', async () => {
    const bytes = randomBytes(20_000);
    const key = newKey();
    const before = await service.files();
    const copy = { ...key, name: 'copy' };
    for (const one of [key, key, copy]) await save(service.client, one, bytes);
    await service.client.deleteArtifact({ key });
    await service.settle();
    expect((await load(service.client, copy)).bytes.equals(bytes)).toBe(true);
    await service.client.deleteArtifact({ key: copy });
    await service.client.deleteArtifact({ key: copy });
    expect(await service.files()).toEqual(before);
    expect((await saveText(service.client, copy, 'anew')).version).toBe(0);
  });

  test('are removed also when one among them cannot be', async () => {
    const account = newKey();
    const stuck = `00000000-0000-4000-8000-${account.accountId.slice(-12)}`;
    const before = await service.files();
    await service.rows(
      `insert into blobs (account_id, id, state) values ('${account.accountId}', '${stuck}', 'garbage')`,
    );
    // A folder in the place of the object: it cannot be removed like a file.
    const folder = join(service.folder, 'artifacts', account.accountId, stuck.slice(0, 2), stuck);
    await mkdir(join(folder, 'inner'), { recursive: true });
    await save(service.client, account, randomBytes(20_000));
    await service.client.deleteArtifact({ key: account });
    await expect(service.settle()).rejects.toMatchObject({ reason: 'artifact_store_unavailable' });
    expect(await service.rows(`select id, state from blobs where account_id = '${account.accountId}'`)).toEqual([
      { id: stuck, state: 'garbage' },
    ]);
    await rm(folder, { recursive: true });
    expect(await service.files()).toEqual(before);
  });

  test('are never lost when saves and deletes of the same content meet', async () => {
    const bytes = randomBytes(20_000);
    const key = newKey();
    const work = Array.from({ length: 60 }, async (_, index) => {
      const one = { ...key, name: `n${index % 6}` };
      if (index % 3 === 2) await service.client.deleteArtifact({ key: one });
      else await save(service.client, one, bytes);
      if (index % 10 === 0) await service.settle();
    });
    await Promise.all(work);
    await service.settle();
    for (const name of await names(service.client, key)) {
      for (const { version } of await versions(service.client, { ...key, name })) {
        expect((await load(service.client, { ...key, name }, { version })).bytes.equals(bytes)).toBe(true);
      }
    }
    for (const name of await names(service.client, key)) await service.client.deleteArtifact({ key: { ...key, name } });
    expect(await service.rows(`select 1 from payloads where account_id = '${key.accountId}'`)).toEqual([]);
  });

  test('over the limit end the save at once and leave nothing', async () => {
    const before = await service.files();
    let sent = 0;
    const key = newKey();
    async function* endless() {
      yield { kind: { case: 'opening' as const, value: { key } } };
      for (; sent < 1000; sent += 1) yield { kind: { case: 'chunk' as const, value: randomBytes(100_000) } };
    }
    const refused = code('resource_exhausted', 'artifact_too_large');
    await expect(service.client.saveArtifact(endless())).rejects.toEqual(refused);
    expect(sent).toBeLessThan(40);
    expect(await service.files()).toEqual(before);
    expect(await names(service.client, key)).toEqual([]);
  });

  test('of a save that its caller leaves are removed', async () => {
    const before = await service.files();
    const key = newKey();
    const leaving = new AbortController();
    async function* left() {
      yield { kind: { case: 'opening' as const, value: { key } } };
      yield { kind: { case: 'chunk' as const, value: randomBytes(500_000) } };
      leaving.abort();
      yield* requestsOf(key, randomBytes(10));
    }
    const saving = service.client.saveArtifact(left(), { signal: leaving.signal });
    await expect(saving).rejects.toMatchObject({ code: 'canceled' });
    await expect.poll(() => service.files()).toEqual(before);
    expect(await names(service.client, key)).toEqual([]);
  });

  test('that are sent again replace the earlier bytes', async () => {
    const key = newKey();
    async function* requests() {
      const [opening, ...rest] = await Array.fromAsync(requestsOf(key, Buffer.from('second')));
      if (opening !== undefined) yield opening;
      yield { kind: { case: 'chunk' as const, value: randomBytes(100_000) } };
      yield { kind: { case: 'restart' as const, value: {} } };
      yield* rest;
    }
    const { version } = await service.client.saveArtifact(requests());
    expect(version?.sha256).toBe(createHash('sha256').update('second').digest('hex'));
    expect((await load(service.client, key)).text).toBe('second');
  });

  test('whose save took so long that they were collected make no version', async () => {
    const key = newKey();
    async function* slow() {
      const requests = await Array.fromAsync(requestsOf(key, randomBytes(50_000)));
      for (const request of requests.slice(0, -1)) yield request;
      await service.rows(`update blobs set state = 'garbage' where account_id = '${key.accountId}'`);
      await service.settle();
      yield* requests.slice(-1);
    }
    await expect(service.client.saveArtifact(slow())).rejects.toEqual(expect.objectContaining({ code: 'unavailable' }));
    expect(await names(service.client, key)).toEqual([]);
  });
});

describe('accounts', () => {
  test("cannot see each other's artifacts", async () => {
    const key = newKey();
    await saveText(service.client, key, 'mine');
    const other = { ...key, accountId: newKey().accountId };
    await expect(load(service.client, other)).rejects.toEqual(notFound);
    expect([await names(service.client, other), await versions(service.client, other)]).toEqual([[], []]);
    await service.client.deleteArtifact({ key: other });
    expect((await load(service.client, key)).text).toBe('mine');
    expect((await saveText(service.client, other, 'theirs')).version).toBe(0);
  });

  test('are erased to the last row and file when auth announces their deletion, and the counts stay the same when it does so again', async () => {
    const key = newKey();
    const before = await service.files();
    const bytes = randomBytes(5000);
    await save(service.client, key, bytes);
    await save(service.client, key, bytes);
    await saveText(service.client, { ...key, name: 'user:t' }, 'small');
    const counts = { versions: 3n, payloads: 2n, bytes: 5005n };
    expect(await service.announceDeletion(key.accountId)).toMatchObject({ service: 'artifacts', counts });
    expect(await service.files()).toEqual(before);
    for (const table of ['artifacts', 'versions', 'payloads', 'blobs']) {
      expect(await service.rows(`select 1 from ${table} where account_id = '${key.accountId}'`)).toEqual([]);
    }
    expect(await service.announceDeletion(key.accountId)).toMatchObject({ service: 'artifacts', counts });
  });

  test('a call without an account is refused', async () => {
    const refused = code('invalid_argument', 'request_invalid');
    await expect(saveText(service.client, newKey({ accountId: 'x' }), 'x')).rejects.toEqual(refused);
    await expect(service.client.saveArtifact((async function* () {})())).rejects.toEqual(refused);
  });
});
