import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { artifactCaller, type Part, place, type Version } from '../../artifact-caller.ts';
import { type Caller, newAccount } from '../../caller.ts';

let caller: Caller;
let artifacts: ReturnType<typeof artifactCaller>;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
  artifacts = artifactCaller(caller);
});

describe('save and load', () => {
  test('a text and its versions are returned as they were saved', async () => {
    const at = place();
    const before = Date.now() / 1000;
    const first = await artifacts.save(at, 'note.txt', { text: 'one "✓"\n' }, { customMetadata: { a: null, b: [1] } });
    expect(first).toMatchObject({ status: 200, body: { version: 0, mimeType: 'text/plain' } });
    expect(first.body.customMetadata).toEqual({ a: null, b: [1] });
    expect(first.body.createTime).toBeGreaterThan(before - 5);
    expect(first.body.canonicalUri.endsWith(`${at.slice(at.indexOf('/sessions'))}/note.txt/versions/0`)).toBe(true);
    expect((await artifacts.save(at, 'note.txt', { text: 'two' })).body).toMatchObject({
      version: 1,
      customMetadata: {},
    });
    expect((await artifacts.get<Part>(`${at}/note.txt`)).body).toEqual({ text: 'two' });
    expect((await artifacts.get<Part>(`${at}/note.txt?version=0`)).body).toEqual({ text: 'one "✓"\n' });
    expect((await artifacts.get<Part>(`${at}/note.txt/versions/0`)).body).toEqual({ text: 'one "✓"\n' });
    expect((await artifacts.get<Part>(`${at}/note.txt/versions/latest`)).body).toEqual({ text: 'two' });
    expect((await artifacts.get<number[]>(`${at}/note.txt/versions`)).body).toEqual([0, 1]);
    const records = await artifacts.get<Version[]>(`${at}/note.txt/versions/metadata`);
    expect(records.body[0]).toEqual(first.body);
    expect((await artifacts.get<Version>(`${at}/note.txt/versions/0/metadata`)).body).toEqual(first.body);
    expect((await artifacts.get<Version>(`${at}/note.txt/versions/latest/metadata`)).body).toEqual(records.body[1]);
    expect((await artifacts.get<string[]>(at)).body).toEqual(['note.txt']);
    expect(await caller.request('DELETE', `${at}/note.txt`)).toMatchObject({ status: 200, body: null });
    expect(await caller.request('DELETE', `${at}/note.txt`)).toMatchObject({ status: 200, body: null });
    expect((await artifacts.get(`${at}/note.txt`)).status).toBe(404);
    expect((await artifacts.save(at, 'note.txt', { text: 'anew' })).body.version).toBe(0);
  });

  test('a deletion that names one version deletes none', async () => {
    const at = place();
    for (const name of ['note.txt', 'a/note.txt']) {
      await artifacts.save(at, name, { text: 'kept' });
      const refused = await caller.request('DELETE', `${at}/${name}?version=0`);
      expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'version'] }] } });
      expect((await artifacts.get(`${at}/${name}`)).status).toBe(200);
    }
  });

  test.each([
    ['standard alphabet', 'base64', false],
    ['URL-safe alphabet', 'base64url', false],
    ['key of the old spelling', 'base64', true],
  ] as const)('bytes in the %s come back URL-safe with padding, small and large', async (_, encoding, isSnake) => {
    for (const size of [1, 50_000, 300_001, 3_000_000]) {
      const at = place();
      const bytes = randomBytes(size);
      const blob = { data: bytes.toString(encoding), displayName: 'é"' };
      const part = isSnake
        ? { inline_data: { ...blob, mime_type: 'image/png' } }
        : { inlineData: { ...blob, mimeType: 'image/png' } };
      const saved = await artifacts.save(at, 'a/b.png', part);
      expect(saved.body).toMatchObject({ version: 0, mimeType: 'image/png' });
      const { body, headers } = await artifacts.get<Part>(`${at}/a/b.png`);
      const data = bytes.toString('base64url').padEnd(Math.ceil(size / 3) * 4, '=');
      expect(body.inlineData?.data === data).toBe(true);
      expect(body.inlineData).toMatchObject({ mimeType: 'image/png', displayName: 'é"' });
      expect(Number(headers.get('content-length'))).toBeGreaterThan(size);
    }
  });

  test('large text keeps every character, and fields may come in any order', async () => {
    const at = place();
    const text = 'é"\\\n🎿\u0000/'.repeat(40_000);
    const escaped = JSON.stringify(text).replaceAll('é', '\\u00e9').replaceAll('/', '\\/');
    const body = `{"artifact":{"thought":true,"text":${escaped}},"customMetadata":{"k":"v"},"filename":"big.txt"}`;
    expect(await artifacts.send('POST', at, body, { 'content-type': 'application/json' })).toMatchObject({
      status: 200,
    });
    const loaded = await artifacts.get<Part & { thought: boolean }>(`${at}/big.txt`);
    expect(loaded.body.text === text).toBe(true);
    expect(loaded.body.thought).toBe(true);
  });

  test('the last duplicate of a payload key counts, and inlineData has priority over inline_data', async () => {
    const at = place();
    const [first, second] = [randomBytes(200_000), randomBytes(200_001)];
    const data = (bytes: Buffer) => `"data":"${bytes.toString('base64')}"`;
    const twice = `{"filename":"x","artifact":{"inlineData":{${data(first)},${data(second)}}}}`;
    expect(await artifacts.send('POST', at, twice, { 'content-type': 'application/json' })).toMatchObject({
      status: 200,
    });
    expect(Buffer.from(await (await artifacts.media(`${at}/x`)).arrayBuffer()).equals(second)).toBe(true);
    const both = `{"filename":"x","artifact":{"inlineData":{${data(first)}},"inline_data":{${data(second)}}}}`;
    expect(await artifacts.send('POST', at, both, { 'content-type': 'application/json' })).toMatchObject({
      status: 200,
    });
    expect(Buffer.from(await (await artifacts.media(`${at}/x`)).arrayBuffer()).equals(first)).toBe(true);
    const none = `{"filename":"x","artifact":{"inlineData":{${data(first)}},"text":"t","inlineData":null}}`;
    expect(await artifacts.send('POST', at, none, { 'content-type': 'application/json' })).toMatchObject({
      status: 200,
    });
    expect((await artifacts.get<Part>(`${at}/x`)).body).toEqual({ text: 't' });
  });

  test('names with a slash are found as / and as %2F; a suffix such as /versions is part of the route', async () => {
    const at = place();
    for (const filename of ['a/b c.txt', 'versions', 'a/versions/x/y', '100%.txt'])
      await artifacts.save(at, filename, { text: filename });
    for (const path of ['a/b%20c.txt', 'a%2Fb%20c.txt', 'a%2fb c.txt']) {
      expect((await artifacts.get<Part>(`${at}/${path}`)).body).toEqual({ text: 'a/b c.txt' });
      expect((await artifacts.get<number[]>(`${at}/${path}/versions`)).body).toEqual([0]);
    }
    expect((await artifacts.get<Part>(`${at}/versions`)).body).toEqual({ text: 'versions' });
    expect((await artifacts.get<Part>(`${at}/a/versions/x/y`)).body).toEqual({ text: 'a/versions/x/y' });
    expect((await artifacts.get<Part>(`${at}/100%25.txt`)).body).toEqual({ text: '100%.txt' });
    expect((await artifacts.get<string[]>(at)).body).toEqual(['100%.txt', 'a/b c.txt', 'a/versions/x/y', 'versions']);
    expect((await caller.request('DELETE', `${at}/a%2Fversions/x/y`)).status).toBe(200);
    expect((await artifacts.get(`${at}/a/versions/x/y`)).status).toBe(404);
    expect((await artifacts.get(`/apps/echo/users/u1/sessions/a%2Fb/artifacts/x`)).body).toEqual({
      detail: 'Not Found',
    });
    expect((await artifacts.get(`${at}/100%ZZ`)).status).toBe(404);
  });

  test('artifacts of a user are visible in every session of that user, and in no other', async () => {
    const [at, other] = [place({ user: 'shared' }), place({ user: 'shared' })];
    await artifacts.save(at, 'user:profile.txt', { text: 'p' });
    await artifacts.save(at, 'own.txt', { text: 'o' });
    expect((await artifacts.get<string[]>(other)).body).toEqual(['user:profile.txt']);
    expect((await artifacts.get<Part>(`${other}/user:profile.txt`)).body).toEqual({ text: 'p' });
    expect((await artifacts.get<Part>(`${other}/user%3Aprofile.txt`)).body).toEqual({ text: 'p' });
    expect((await artifacts.get<string[]>(place({ user: 'another' }))).body).toEqual([]);
  });

  test('references are resolved, but only within the same app, user and session', async () => {
    const at = place();
    const { body } = await artifacts.save(at, 'target.bin', { inlineData: { data: 'AQID', mimeType: 'x/y' } });
    const reference = { fileData: { fileUri: body.canonicalUri } };
    const saved = await artifacts.save(at, 'ref', reference);
    expect(saved.body).not.toHaveProperty('mimeType');
    expect((await artifacts.get<Part>(`${at}/ref`)).body).toEqual({ inlineData: { data: 'AQID', mimeType: 'x/y' } });
    expect(await artifacts.save(place(), 'ref', reference)).toMatchObject({
      status: 400,
      body: { detail: 'Session-scoped artifact references must stay within the same session scope.' },
    });
    expect(await artifacts.save(place({ user: 'u2' }), 'ref', reference)).toMatchObject({
      status: 400,
      body: { detail: 'Artifact references must stay within the same app and user scope.' },
    });
    const malformed = { fileData: { fileUri: 'artifact://nonsense' } };
    const detail = 'Invalid artifact reference URI: artifact://nonsense';
    expect(await artifacts.save(at, 'ref', malformed)).toMatchObject({ status: 400, body: { detail } });
    const elsewhere = { fileData: { fileUri: 'gs://b/o', mimeType: 'a/b' } };
    await artifacts.save(at, 'far', elsewhere);
    expect((await artifacts.get<Part>(`${at}/far`)).body).toEqual(elsewhere);
    expect((await artifacts.media(`${at}/far`)).status).toBe(404);
  });

  test('an empty text is read as it was saved', async () => {
    const at = place();
    await artifacts.save(at, 'empty', { text: '' });
    expect(await artifacts.get(`${at}/empty`)).toMatchObject({ status: 200, body: { text: '' } });
    expect(await artifacts.media(`${at}/empty`)).toMatchObject({ status: 200 });
  });

  test('a missing artifact is 404 or an empty list, and data without bytes count as missing', async () => {
    const at = place();
    await artifacts.save(at, 'void', { inlineData: { mimeType: 'a/b' } });
    for (const path of [
      'x',
      'x/versions/0',
      'x/versions/latest',
      'x/versions/-1',
      'x?version=-1',
      'void',
      'void?version=7',
    ]) {
      expect(await artifacts.get(`${at}/${path}`)).toMatchObject({
        status: 404,
        body: { detail: 'Artifact not found' },
      });
    }
    for (const path of ['x/versions/0/metadata', 'x/versions/99999999999/metadata']) {
      expect(await artifacts.get(`${at}/${path}`)).toMatchObject({
        status: 404,
        body: { detail: 'Artifact version not found' },
      });
    }
    for (const path of ['x/versions', 'x/versions/metadata'])
      expect((await artifacts.get(`${at}/${path}`)).body).toEqual([]);
    expect((await artifacts.get(place())).body).toEqual([]);
  });
});

test('accounts cannot see artifacts of other accounts, even under the same names', async () => {
  const at = place();
  await artifacts.save(at, 'user:x', { text: 'mine' });
  await artifacts.save(at, 'y', { text: 'mine' });
  const other = await newAccount(caller.url);
  expect((await other.request('GET', at)).body).toEqual([]);
  for (const path of ['user:x', 'y', 'y/versions/0', 'y?alt=media']) {
    expect((await other.request('GET', `${at}/${path}`)).status).toBe(404);
  }
  expect((await other.request('DELETE', `${at}/y`)).status).toBe(200);
  expect((await artifacts.get(`${at}/y`)).status).toBe(200);
});

test('concurrent saves get versions without gaps or duplicates', async () => {
  const at = place();
  const saves = Array.from({ length: 30 }, (_, index) =>
    index % 2 === 0
      ? artifacts.save(at, 'n', { text: `${index}` })
      : artifacts.send('PUT', `${at}/n`, randomBytes(200_000)),
  );
  const numbers = (await Promise.all(saves)).map(({ body }) => body.version).toSorted((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => index));
});
