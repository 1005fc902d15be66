import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyedHeaders } from '@agentmesh/lib/idempotency';
import { PayloadKind } from '@agentmesh/proto/artifacts/v1';
import {
  load,
  names,
  newKey,
  openArtifacts,
  requestsOf,
  save,
  saveReference,
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

describe('versions', () => {
  test('count from 0 and load as they were saved, the latest by default', async () => {
    const key = newKey();
    const before = Date.now() / 1000;
    const first = await save(service.client, key, Buffer.from('one'), { metadata: { by: null, n: 1 } });
    await saveText(service.client, key, 'two ✓');
    expect(first).toMatchObject({ version: 0, mimeType: 'image/png', size: 3n });
    expect(first.sha256).toBe(createHash('sha256').update('one').digest('hex'));
    expect(first.createTime).toBeGreaterThan(before - 5);
    expect(first.canonicalUri).toBe('artifact://apps/echo/users/u1/sessions/s1/artifacts/a.bin/versions/0');
    const latest = await load(service.client, key);
    expect(latest).toMatchObject({ text: 'two ✓', head: { payload: PayloadKind.TEXT, version: { version: 1 } } });
    const old = await load(service.client, key, { version: 0 });
    expect(old).toMatchObject({ text: 'one', head: { payload: PayloadKind.DATA, version: first } });
    expect(JSON.parse(Buffer.from(old.head.partJson).toString())).toEqual({ inlineData: { mimeType: 'image/png' } });
    const records = await versions(service.client, key);
    expect(records.map(({ version, mimeType }) => [version, mimeType])).toEqual([
      [0, 'image/png'],
      [1, 'text/plain'],
    ]);
    expect(JSON.parse(Buffer.from(records[0]?.customMetadataJson ?? '').toString())).toEqual({ by: null, n: 1 });
    expect((await service.client.getVersion({ key, version: 0 })).version).toEqual(records[0]);
    expect((await service.client.getVersion({ key })).version).toEqual(records[1]);
  });

  test('that do not exist are not found, negative ones included', async () => {
    const key = newKey();
    await expect(load(service.client, key)).rejects.toEqual(notFound);
    await saveText(service.client, key, 'one');
    for (const version of [-1, 1, 2 ** 31 - 1]) {
      await expect(load(service.client, key, { version })).rejects.toEqual(notFound);
      const missing = code('not_found', 'artifact_version_not_found');
      await expect(service.client.getVersion({ key, version })).rejects.toEqual(missing);
    }
    expect(await versions(service.client, newKey())).toEqual([]);
  });

  test('of many concurrent saves have no gaps and no duplicates', async () => {
    const key = newKey();
    const large = randomBytes(50_000);
    const saves = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0 ? saveText(service.client, key, `text ${index}`) : save(service.client, key, large),
    );
    const saved = await Promise.all(saves);
    const numbers = saved.map(({ version }) => version).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect((await versions(service.client, key)).map(({ version }) => version)).toEqual(numbers);
  });

  test('that are an empty text can be read, and data without bytes have a record and are not found', async () => {
    const key = newKey();
    await saveText(service.client, key, '');
    await expect(load(service.client, key)).resolves.toBeDefined();
    await save(service.client, key, new Uint8Array(0));
    expect(await versions(service.client, key)).toHaveLength(2);
    await expect(load(service.client, key)).rejects.toEqual(notFound);
    await expect(load(service.client, key, { version: 1 })).rejects.toEqual(notFound);
  });

  test('over a page are listed whole and in order', async () => {
    const key = newKey();
    for (let index = 0; index < 510; index += 1) await saveText(service.client, key, 'same');
    const found = await versions(service.client, key);
    expect(found.map(({ version }) => version)).toEqual(Array.from({ length: 510 }, (_, index) => index));
  });
});

describe('names', () => {
  test('of a session and its user are listed sorted by code point, and user artifacts are visible in every session', async () => {
    const key = newKey();
    for (const name of ['b/c.txt', 'a.txt', 'user:z.txt', 'É.txt', 'Z.txt']) {
      await saveText(service.client, { ...key, name }, name);
    }
    expect(await names(service.client, key)).toEqual(['Z.txt', 'a.txt', 'b/c.txt', 'user:z.txt', 'É.txt']);
    const other = { ...key, sessionId: 's2', name: 'user:z.txt' };
    expect(await names(service.client, other)).toEqual(['user:z.txt']);
    const { text, head } = await load(service.client, other);
    expect([text, head.version?.canonicalUri]).toEqual([
      'user:z.txt',
      'artifact://apps/echo/users/u1/artifacts/user:z.txt/versions/0',
    ]);
    await saveText(service.client, other, 'again');
    expect(await versions(service.client, { ...key, name: 'user:z.txt' })).toHaveLength(2);
  });

  test.each([
    ['  a.txt ', 'a.txt'],
    ['a\\b//./c.txt', 'a/b/c.txt'],
    ['', 'artifact'],
    ['user: x ', 'user:x'],
    ['user:', 'user:artifact'],
    ['versions', 'versions'],
    ['100% of a?b#c', '100% of a?b#c'],
  ])('%j is %j', async (sent, stored) => {
    const key = newKey({ name: sent });
    await saveText(service.client, key, 'x');
    expect(await names(service.client, key)).toEqual([stored]);
    expect((await load(service.client, key)).text).toBe('x');
  });

  test.each([
    '/x',
    '\\x',
    'C:x',
    'c:\\x',
    '..',
    'a/../b',
    'a\\..',
    'user:../b',
    'user:/x',
    'a\0b',
    'a/METADATA.json',
    '\ud800',
    'x'.repeat(1025),
  ])('%j is refused by every call', async (name) => {
    const key = newKey({ name });
    const refused = code('invalid_argument', 'artifact_name_invalid');
    await expect(saveText(service.client, key, 'x')).rejects.toEqual(refused);
    await expect(load(service.client, key)).rejects.toEqual(refused);
    await expect(versions(service.client, key)).rejects.toEqual(refused);
    await expect(service.client.getVersion({ key })).rejects.toEqual(refused);
    await expect(service.client.deleteArtifact({ key })).rejects.toEqual(refused);
  });

  test.each(['', ' ', '..', '../x', 'a/../b', '/x', 'a/users', 'a\0', 'x'.repeat(513)])(
    'the id %j is refused',
    async (id) => {
      const refused = code('invalid_argument', 'artifact_id_invalid');
      for (const field of ['appName', 'userId', 'sessionId']) {
        await expect(saveText(service.client, newKey({ [field]: id }), 'x')).rejects.toEqual(refused);
        await expect(names(service.client, newKey({ [field]: id }))).rejects.toEqual(refused);
      }
    },
  );

  test('of the longest allowed length are stored', async () => {
    const id = 'i'.repeat(512);
    const key = newKey({ appName: id, userId: id, sessionId: id, name: randomBytes(512).toString('hex') });
    await saveText(service.client, key, 'x');
    expect(await names(service.client, key)).toEqual([key.name]);
  });
});

describe('references', () => {
  test('lead to the version they name, over several steps', async () => {
    const key = newKey();
    const { canonicalUri } = await save(service.client, { ...key, name: 'a b/100%?.bin' }, Buffer.from('target'));
    const middle = await saveReference(service.client, { ...key, name: 'middle' }, canonicalUri);
    expect(middle.mimeType).toBeUndefined();
    await saveReference(service.client, { ...key, name: 'user:end' }, middle.canonicalUri);
    expect(await load(service.client, { ...key, name: 'user:end' })).toMatchObject({
      text: 'target',
      head: { version: { canonicalUri } },
    });
    await saveReference(
      service.client,
      { ...key, name: 'raw' },
      canonicalUri.replaceAll(/%20|%25|%3F/g, decodeURIComponent),
    );
    expect((await load(service.client, { ...key, name: 'raw' })).text).toBe('target');
  });

  test('to a deleted artifact are not found, and a circle is refused', async () => {
    const key = newKey();
    const uri = (name: string) => `artifact://apps/echo/users/u1/sessions/s1/artifacts/${name}/versions/0`;
    await saveReference(service.client, { ...key, name: 'one' }, uri('two'));
    await expect(load(service.client, { ...key, name: 'one' })).rejects.toEqual(notFound);
    await saveReference(service.client, { ...key, name: 'two' }, uri('one'));
    const refused = code('invalid_argument', 'artifact_reference_invalid');
    await expect(load(service.client, { ...key, name: 'one' })).rejects.toEqual(refused);
  });

  test.each([
    ['artifact://apps/echo', 'artifact_reference_invalid'],
    ['artifact://apps/echo/users/u1/sessions/s1/artifacts/x/versions/-1', 'artifact_reference_invalid'],
    ['artifact://apps/echo/users/u1/sessions/s1/artifacts/x/versions/9999999999', 'artifact_reference_invalid'],
    ['artifact://apps/echo/users/u1/sessions/s1/artifacts/../x/versions/1', 'artifact_reference_invalid'],
    ['artifact://apps/other/users/u1/sessions/s1/artifacts/x/versions/0', 'artifact_reference_foreign'],
    ['artifact://apps/echo/users/u2/artifacts/user:x/versions/0', 'artifact_reference_foreign'],
    ['artifact://apps/echo/users/u1/sessions/s2/artifacts/x/versions/0', 'artifact_reference_foreign'],
    ['artifact://apps/echo/users/u1/sessions/s2/artifacts/user:x/versions/0', 'artifact_reference_foreign'],
  ])('%s is refused', async (uri, reason) => {
    await expect(saveReference(service.client, newKey(), uri)).rejects.toEqual(code('invalid_argument', reason));
  });

  test('of a user artifact to one session are refused in another', async () => {
    const key = newKey();
    const { canonicalUri } = await saveText(service.client, key, 'x');
    const shared = { ...key, name: 'user:shared' };
    await saveReference(service.client, shared, canonicalUri);
    expect((await load(service.client, shared)).text).toBe('x');
    const refused = code('invalid_argument', 'artifact_reference_foreign');
    await expect(load(service.client, { ...shared, sessionId: 's2' })).rejects.toEqual(refused);
  });

  test('other addresses are kept as they are', async () => {
    const key = newKey();
    const sent = { payload: PayloadKind.NONE, part: { fileData: { fileUri: 'gs://b/o', mimeType: 'text/csv' } } };
    const { mimeType } = await save(service.client, key, new Uint8Array(0), sent);
    const { head, bytes } = await load(service.client, key);
    expect([mimeType, bytes.length, JSON.parse(Buffer.from(head.partJson).toString())]).toEqual([
      'text/csv',
      0,
      sent.part,
    ]);
  });

  test('a type with NUL is refused', async () => {
    const refused = code('invalid_argument', 'artifact_type_invalid');
    const mimeType = 'a\0b';
    const ofData = { part: { inlineData: { mimeType } } };
    await expect(save(service.client, newKey(), Buffer.from('x'), ofData)).rejects.toEqual(refused);
    const ofFile = { payload: PayloadKind.NONE, part: { fileData: { fileUri: 'https://files.example/a', mimeType } } };
    await expect(save(service.client, newKey(), new Uint8Array(0), ofFile)).rejects.toEqual(refused);
  });

  test('a part without content is refused', async () => {
    const sent = { payload: PayloadKind.NONE, part: { functionCall: { name: 'f' } } };
    const saving = save(service.client, newKey(), new Uint8Array(0), sent);
    await expect(saving).rejects.toEqual(code('invalid_argument', 'artifact_part_invalid'));
  });
});

describe('the limits of an account', () => {
  const limited = (env: Record<string, string>) => openArtifacts({ ...env, ARTIFACT_INLINE_MAX_BYTES: '1000' });

  test('artifacts: one more is refused, and a deleted one makes room', async () => {
    await using own = await limited({ ARTIFACT_ACCOUNT_MAX_ARTIFACTS: '2' });
    const key = newKey();
    const others = ['b', 'c'].map((name) => ({ ...key, name }));
    for (const one of [key, others[0] ?? key]) await saveText(own.client, one, 'text');
    await expect(saveText(own.client, others[1] ?? key, 'text')).rejects.toMatchObject(limit('account_artifacts'));
    await own.client.deleteArtifact({ key });
    await saveText(own.client, others[1] ?? key, 'text');
    await saveText(own.client, newKey(), 'text');
  });

  test('artifacts: 250 saves at once store as many as there may be', async () => {
    await using own = await limited({ ARTIFACT_ACCOUNT_MAX_ARTIFACTS: '10' });
    const key = newKey();
    const saves = Array.from({ length: 250 }, (_, number) => saveText(own.client, { ...key, name: `a${number}` }, 'x'));
    const outcomes = await Promise.allSettled(saves);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  test('a repeated save is answered like the first one, which has filled the account', async () => {
    await using own = await limited({ ARTIFACT_ACCOUNT_MAX_ARTIFACTS: '1' });
    const key = newKey();
    const send = (bytes: Uint8Array, name: string) => {
      const headers = keyedHeaders({ key: name, route: 'POST /', content: [] });
      return own.client.saveArtifact(requestsOf(key, bytes), { headers });
    };
    expect(await send(Buffer.from('a'), 'once')).toMatchObject({ version: { version: 0 }, already: false });
    expect(await send(Buffer.from('a'), 'once')).toMatchObject({ version: { version: 0 }, already: true });
    await expect(send(Buffer.from('b'), 'once')).rejects.toMatchObject({ reason: 'idempotency_key_reused' });
    await expect(send(Buffer.from('a'), 'twice')).rejects.toMatchObject({ reason: 'account_artifacts' });
  });

  test('bytes: of all versions together', async () => {
    await using own = await limited({ ARTIFACT_ACCOUNT_MAX_BYTES: '100' });
    const key = newKey();
    for (const letter of ['x', 'y']) await saveText(own.client, key, letter.repeat(60));
    await expect(saveText(own.client, key, 'z')).rejects.toMatchObject(limit('account_artifact_bytes'));
    await own.client.deleteArtifact({ key });
    await saveText(own.client, key, 'z');
  });

  const limit = (reason: string) => ({ code: 'resource_exhausted', reason });
});
