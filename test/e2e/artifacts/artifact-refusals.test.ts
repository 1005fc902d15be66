import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { artifactCaller, type Issue, place } from '../../artifact-caller.ts';
import { type Caller, newAccount } from '../../caller.ts';

let caller: Caller;
let artifacts: ReturnType<typeof artifactCaller>;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
  artifacts = artifactCaller(caller);
});

describe('refusals', () => {
  test.each(['/x', '\\x', 'C:x', 'a/../b', '..', 'a\0b', 'metadata.json', 'user:../x', 'x'.repeat(2000), '\ud800'])(
    'the filename %j is 422 at its place',
    async (filename) => {
      expect(await artifacts.save(place(), filename, { text: 'x' })).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'artifact_name_invalid', loc: ['body', 'filename'] }], code: 'artifact_name_invalid' },
      });
    },
  );

  test('a type with NUL is 422, of a file at an address too', async () => {
    const mimeType = 'a\0b';
    for (const artifact of [{ inlineData: { data: 'AAAA', mimeType } }, { fileData: { fileUri: 'x://y', mimeType } }])
      expect(await artifacts.save(place(), 'x', artifact)).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'artifact_type_invalid', loc: ['body', 'artifact'] }], code: 'artifact_type_invalid' },
      });
  });

  test('invalid names and ids are 400 or 404 on every route, never 500', async () => {
    const names = ['..', '%2e%2e/x', 'a/..', '%00', 'C:x', '%5Cx', 'metadata.json', '%2Fx', 'x'.repeat(2000)];
    for (const name of names) {
      for (const suffix of [
        '',
        '/versions',
        '/versions/metadata',
        '/versions/0',
        '/versions/0/metadata',
        '?alt=media',
      ]) {
        expect([400, 404]).toContain(await artifacts.rawStatus('GET', `${place()}/${name}${suffix}`));
      }
      for (const method of ['DELETE', 'PUT'])
        expect([400, 404]).toContain(await artifacts.rawStatus(method, `${place()}/${name}`));
    }
    for (const id of ['..', '%2e%2e', '%00', '%20', '%5Cx', 'a%5Cusers', 'x'.repeat(600)]) {
      for (const at of [place({ app: id }), place({ user: id }), place({ session: id })]) {
        expect([400, 404]).toContain(await artifacts.rawStatus('GET', at));
        expect([400, 404]).toContain(await artifacts.rawStatus('GET', `${at}/x`));
        expect([400, 404]).toContain(await artifacts.rawStatus('DELETE', `${at}/x`));
      }
    }
  });

  test('an unencoded `#` ends the path, and the text after it is ignored', async () => {
    const at = place();
    await artifacts.save(at, 'x', { text: 'x' });
    for (const rest of ['#', '#y', '#%C3', '#%', '#/versions/a', '?alt=media#%']) {
      expect(await artifacts.rawStatus('GET', `${at}/x${rest}`)).toBe(rest.startsWith('?') ? 422 : 200);
    }
    expect(await artifacts.rawStatus('DELETE', `${at}/x#%`)).toBe(200);
    expect((await artifacts.get(`${at}/x`)).status).toBe(404);
  });

  const valid = { filename: 'x', artifact: { text: 'x' } };
  test.each<[string, unknown, [string, ...(string | number)[]][]]>([
    ['nothing', undefined, [['missing', 'body']]],
    ['null', null, [['missing', 'body']]],
    ['a list', [], [['model_attributes_type', 'body']]],
    [
      'an empty record',
      {},
      [
        ['missing', 'body', 'filename'],
        ['missing', 'body', 'artifact'],
      ],
    ],
    [
      'wrong types',
      { filename: 1, artifact: 'x', customMetadata: [] },
      [
        ['string_type', 'body', 'filename'],
        ['model_attributes_type', 'body', 'artifact'],
        ['dict_type', 'body', 'customMetadata'],
      ],
    ],
    [
      'an unknown field',
      { ...valid, artifact: { inlineData: { x: 1 } } },
      [['extra_forbidden', 'body', 'artifact', 'inlineData', 'x']],
    ],
    [
      'bad base64',
      { ...valid, artifact: { inlineData: { data: '!!!!' } } },
      [['bytes_invalid_encoding', 'body', 'artifact', 'inlineData', 'data']],
    ],
    ['half a character', { ...valid, artifact: { text: '\ud800' } }, [['string_unicode', 'body', 'artifact', 'text']]],
  ])('%s is 422, every fault listed', async (_, body, expected) => {
    const answer = await caller.request<{ detail: Issue[] }>('POST', place(), body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail.map(({ type, loc }) => [type, ...loc])).toEqual(expected);
  });

  test('faults in large bodies get the same errors as in small ones, which quote only the start of the value', async () => {
    const bytes = randomBytes(600_000).toString('base64');
    const bad = `${bytes.slice(0, 500_000)}!${bytes.slice(500_001)}`;
    const faults = await caller.request<{ detail: Issue[] }>('POST', place(), {
      artifact: { inlineData: { data: bad } },
    });
    expect(faults.status).toBe(422);
    const [missing, encoding] = faults.body.detail;
    expect(missing).toMatchObject({ type: 'missing', loc: ['body', 'filename'] });
    expect(encoding).toMatchObject({
      type: 'bytes_invalid_encoding',
      loc: ['body', 'artifact', 'inlineData', 'data'],
      ctx: { encoding_error: 'Invalid symbol 33, offset 500000.' },
    });
    expect(encoding?.input).toBe(`${bytes.slice(0, 60)}…`);
    expect(missing?.input).toEqual({ artifact: { inlineData: { data: `${bytes.slice(0, 60)}…` } } });
    const type = { 'content-type': 'application/json' };
    const head = `{"filename":"x","artifact":{"inlineData":{"data":"${bytes}"`;
    for (const [json, offset] of [
      [`${head}}}}x`, head.length + 3],
      [`${head}`, head.length],
      [head.slice(0, -1), head.indexOf(bytes) - 1],
      [`${head.slice(0, -2)}\n"}}}`, head.length - 2],
    ] as const) {
      const { status, body } = await artifacts.send('POST', place(), json, type);
      expect([status, (body.detail as Issue[])[0]?.type]).toEqual([422, 'json_invalid']);
      expect((body.detail as Issue[])[0]?.loc).toEqual(['body', offset]);
    }
    const text = Buffer.concat([
      Buffer.from(`{"filename":"x","artifact":{"text":"${'a'.repeat(100_000)}`),
      Buffer.of(0xff),
      Buffer.from('"}}'),
    ]);
    expect(await artifacts.send('POST', place(), text, type)).toMatchObject({ status: 400 });
    const half = `{"filename":"x","artifact":{"text":"${'a'.repeat(100_000)}\\ud800"}}`;
    expect(await artifacts.send('POST', place(), half, type)).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'string_unicode' }] },
    });
  });

  test('a body that is not JSON, a part without content, and a version that is not a number', async () => {
    const plain = await artifacts.send('POST', place(), 'hello', { 'content-type': 'text/plain' });
    expect(plain).toMatchObject({ status: 422, body: { detail: [{ type: 'model_attributes_type', input: 'hello' }] } });
    expect((await artifacts.save(place(), 'x', {})).status).toBe(400);
    expect((await artifacts.save(place(), 'x', { functionCall: { name: 'f' } })).status).toBe(400);
    const at = place();
    for (const [path, loc] of [
      ['x?version=', ['query', 'version']],
      ['x?version=a', ['query', 'version']],
      ['x/versions/a', ['path', 'version_id']],
      ['x/versions/a/metadata', ['path', 'version_id']],
      ['x?alt=other', ['query', 'alt']],
    ] as const) {
      const answer = await artifacts.get<{ detail: Issue[] }>(`${at}/${path}`);
      expect([answer.status, answer.body.detail[0]?.loc]).toEqual([422, loc]);
    }
    await artifacts.save(at, 'x', { text: 'one' });
    expect((await artifacts.get(`${at}/x?version=0.0`)).body).toEqual({ text: 'one' });
  });

  test('other methods are 405 with the allowed methods', async () => {
    const at = place();
    for (const path of [`${at}/x`, `${at}/x/y`]) {
      const answer = await caller.fetch('PATCH', path);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'DELETE, GET, PUT']);
    }
    expect((await caller.fetch('DELETE', at)).headers.get('allow')).toBe('GET, POST');
    expect((await caller.fetch('HEAD', `${at}/x`)).status).toBe(405);
  });
});
