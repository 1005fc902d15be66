import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openS3Store } from '../src/blobs/s3-store.ts';
import { load, newKey, openArtifacts, requestsOf, save } from './open-artifacts.ts';
import { s3Credentials, startS3 } from './start-s3.ts';

const credentials = {
  ARTIFACT_S3_ACCESS_KEY_ID: s3Credentials.accessKeyId,
  ARTIFACT_S3_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
};

test('with a bucket in the settings, large payloads are stored only there, and are removed when nothing refers to them', async () => {
  await using server = await startS3();
  const settings = {
    ARTIFACT_STORE_URL: 's3://artifacts/prefix',
    ARTIFACT_S3_ENDPOINT: server.endpoint,
    ...credentials,
  };
  await using service = await openArtifacts(settings);
  const key = newKey();
  const bytes = randomBytes(6_000_000);
  await save(service.client, key, bytes);
  await save(service.client, { ...key, name: 'small' }, bytes.subarray(0, 100));
  expect((await load(service.client, key)).bytes.equals(bytes)).toBe(true);
  const part = await load(service.client, key, { offset: 5_500_000n, length: 7n });
  expect(part.bytes.equals(bytes.subarray(5_500_000, 5_500_007))).toBe(true);
  const [object] = await service.rows('select account_id, id, state from blobs');
  expect(object).toMatchObject({ account_id: key.accountId, state: 'live' });
  await service.client.deleteArtifact({ key });
  await service.settle();
  expect(await service.rows('select 1 from blobs')).toEqual([]);
  expect((await load(service.client, { ...key, name: 'small' })).bytes).toHaveLength(100);
});

test('while the bucket is away, large payloads are refused and small ones are kept', async () => {
  const server = await startS3();
  const settings = { ARTIFACT_STORE_URL: 's3://artifacts', ARTIFACT_S3_ENDPOINT: server.endpoint, ...credentials };
  await using service = await openArtifacts(settings);
  await server[Symbol.asyncDispose]();
  const key = newKey();
  const away = expect.objectContaining({ reason: 'artifact_store_unavailable' }) as unknown;
  await expect(save(service.client, key, randomBytes(200_000))).rejects.toEqual(away);
  expect((await save(service.client, key, randomBytes(100))).version).toBe(0);
});

test('an object that is collected while it is still being sent is gone when its save has failed', async () => {
  await using server = await startS3();
  const settings = { ARTIFACT_STORE_URL: 's3://artifacts', ARTIFACT_S3_ENDPOINT: server.endpoint, ...credentials };
  await using service = await openArtifacts(settings);
  using store = openS3Store({
    bucket: 'artifacts',
    prefix: '',
    region: 'x',
    endpoint: server.endpoint,
    credentials: s3Credentials,
  });
  const key = newKey();
  let id = '';
  async function* requests() {
    for await (const request of requestsOf(key, randomBytes(7_000_000))) {
      if (request.kind.case === 'commit') {
        id = String((await service.rows('select id from blobs'))[0]?.id);
        await service.rows(`update blobs set state = 'garbage'`);
        await service.settle();
      }
      yield request;
    }
  }
  await expect(service.client.saveArtifact(requests())).rejects.toMatchObject({ code: 'unavailable' });
  expect(id).not.toBe('');
  const reading = Array.fromAsync(store.read({ accountId: key.accountId, id }, { start: 0, length: 1 }));
  await expect(reading).rejects.toMatchObject({ code: 'not_found' });
});

test('an object of a bucket that does not exist is not absent, but unavailable', async () => {
  await using server = await startS3();
  const options = { prefix: '', region: 'x', endpoint: server.endpoint, credentials: s3Credentials };
  using store = openS3Store({ ...options, bucket: 'misspelled' });
  const read = Array.fromAsync(store.read({ accountId: 'a', id: 'b' }, { start: 0, length: 1 }));
  await expect(read).rejects.toMatchObject({ code: 'unavailable', reason: 'artifact_store_unavailable' });
});

test('a store that stops in the middle of an object fails the read, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.once('close', closed.resolve);
    response.writeHead(206, { 'content-length': 100 }).write('x'.repeat(10));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  using store = openS3Store({
    bucket: 'artifacts',
    prefix: '',
    region: 'x',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: s3Credentials,
    silenceMs: 50,
  });
  const read = Array.fromAsync(store.read({ accountId: 'a', id: 'b' }, { start: 0, length: 100 }));
  await expect(read).rejects.toMatchObject({ reason: 'artifact_store_unavailable' });
  await closed.promise;
  server.close();
});

test('half of the credentials are refused at start', async () => {
  const settings = { ARTIFACT_STORE_URL: 's3://artifacts', ARTIFACT_S3_ACCESS_KEY_ID: 'x' };
  await expect(openArtifacts(settings)).rejects.toThrow('ARTIFACT_S3_SECRET_ACCESS_KEY');
});
