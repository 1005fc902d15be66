import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';

const path = '/api/saved-api-keys';
const secret = 'sk-planted-secret-of-tests-4242';
const given = { key_name: ' Work ', provider: ' OpenAI ', api_key_value: secret };

interface Saved {
  readonly api_key_id: string;
  readonly detail?: string;
}

let caller: Caller;
let other: Caller;

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
  other = await newAccount(inject('meshUrl'));
});

const create = async (over: object = {}) => (await caller.request<Saved>('POST', path, { ...given, ...over })).body;

describe('a saved key', () => {
  test('is created, listed, read, changed and deleted without being shown', async () => {
    const made = await caller.request<Saved>('POST', path, {
      ...given,
      model: 'gpt-5-mini',
      owner_id: 'x',
      organization_id: '',
    });
    expect(made).toMatchObject({
      status: 200,
      body: {
        api_key_id: expect.stringMatching(/^apikey\d+$/),
        key_name: 'Work',
        provider: 'openai',
        model: 'gpt-5-mini',
        model_api_base: null,
        message: expect.any(String),
      },
    });
    const id = made.body.api_key_id;
    const listed = await caller.request<object[]>('GET', path);
    const me = await caller.request<{ email: string }>('GET', '/api/users/me');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const record = {
      api_key_id: id,
      key_name: 'Work',
      provider: 'openai',
      model: 'gpt-5-mini',
      model_api_base: null,
      api_key_value: `saved:${id}`,
      last_four: '4242',
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      owner_id: me.body.email,
      organization_id: me.body.email.split('@')[1],
      created_at: time,
      updated_at: time,
      last_used_at: null,
      status: 'active',
    };
    expect(listed.body).toEqual([record]);
    expect((await caller.request('GET', `${path}/${id}`)).body).toEqual(record);
    const sent = { key_name: 'Home', model: '', api_key_value: `saved:${id}` };
    for (const method of ['PATCH', 'PUT']) {
      expect(await caller.request(method, `${path}/${id}`, sent)).toMatchObject({
        status: 200,
        body: { api_key_id: id, key_name: 'Home', model: null, provider: 'openai' },
      });
    }
    expect((await caller.request('GET', `${path}/${id}`)).body).toMatchObject({ last_four: '4242' });
    await caller.request('PATCH', `${path}/${id}`, { api_key_value: 'sk-the-next-secret-0001' });
    expect((await caller.request('GET', `${path}/${id}`)).body).toMatchObject({ last_four: '0001' });
    expect(await caller.request('DELETE', `${path}/${id}`)).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    expect((await caller.request('DELETE', `${path}/${id}`)).status).toBe(404);
  });

  test('of another account answers like one that does not exist, and an id of another form is 400', async () => {
    const { api_key_id: id } = await create();
    const answers = async (from: Caller, key: string) =>
      Promise.all([
        from.request('GET', `${path}/${key}`),
        from.request('PATCH', `${path}/${key}`, { key_name: 'x' }),
        from.request('POST', `${path}/${key}/test`),
        from.request('DELETE', `${path}/${key}`),
      ]);
    const seen = (list: { status: number; body: object }[]) => list.map(({ status, body }) => [status, body]);
    const missing = seen(await answers(other, 'apikey999999999'));
    expect(seen(await answers(other, id))).toEqual(missing);
    expect(missing).toEqual(Array(4).fill([404, { detail: 'API key not found', code: 'key_not_found' }]));
    for (const wrong of ['7', 'apikey', 'apikey-1', 'apikey1x', 'agent7', 'apikey9999999999999999999']) {
      for (const { status, body } of await answers(caller, wrong)) {
        expect([status, body]).toEqual([400, { detail: 'Invalid API key ID format' }]);
      }
    }
    expect((await caller.request('GET', `${path}/${id}`)).status).toBe(200);
  });

  test('needs a token, and a personal token its scope', async () => {
    expect((await new Caller(caller.url).request('GET', path)).status).toBe(401);
    const made = await caller.request<{ token: string }>('POST', '/api/auth/tokens', {
      name: 'r',
      scopes: ['keys:read'],
    });
    const program = new Caller(caller.url, made.body.token);
    expect((await program.request('GET', path)).status).toBe(200);
    expect((await program.request('POST', path, given)).status).toBe(403);
  });
});

describe('bad input is answered 422 at its field, without the key:', () => {
  const cases: readonly (readonly [string, object, string])[] = [
    ['no name', { key_name: '  ' }, 'key_name'],
    ['a long name', { key_name: 'n'.repeat(101) }, 'key_name'],
    ['a provider with an escape', { provider: 'acme\u001b[2J' }, 'provider'],
    ['a short key', { api_key_value: 'abc' }, 'api_key_value'],
    ['a key of 1 MB', { api_key_value: 'planted'.repeat(150_000) }, 'api_key_value'],
    ['a key with a line break', { api_key_value: 'planted\r\nx: y' }, 'api_key_value'],
    ['a key with NUL', { api_key_value: 'planted\0' }, 'api_key_value'],
    ['a key that is a list', { api_key_value: ['planted'] }, 'api_key_value'],
    ['a key that is a reference', { api_key_value: 'saved:apikey1' }, 'api_key_value'],
    ['null for an ignored text', { owner_id: null }, 'owner_id'],
    ['a model with an escape', { model: 'm\u001b[2J' }, 'model'],
    ['loopback', { model_api_base: 'https://127.1/v1' }, 'model_api_base'],
    ['loopback as a number', { model_api_base: 'https://2130706433' }, 'model_api_base'],
    ['loopback in IPv6', { model_api_base: 'https://[::ffff:7f00:1]' }, 'model_api_base'],
    ['metadata', { model_api_base: 'http://169.254.169.254/latest' }, 'model_api_base'],
    ['a service of the mesh', { model_api_base: 'https://keys:9106' }, 'model_api_base'],
    ['plain http', { model_api_base: 'http://api.example.com' }, 'model_api_base'],
    ['a scheme that is none', { model_api_base: 'file:///etc/passwd' }, 'model_api_base'],
    ['a password in the address', { model_api_base: 'https://planted:planted@api.example.com' }, 'model_api_base'],
  ];
  test.each(cases)('%s', async (_, over, field) => {
    const { status, body } = await caller.request<{ detail: { loc: string[] }[] }>('POST', path, { ...given, ...over });
    expect([status, body.detail[0]?.loc]).toEqual([422, ['body', field]]);
    expect(JSON.stringify(body)).not.toContain('planted');
  });

  test('a new base address or provider without the key', async () => {
    const { api_key_id: id } = await create({ model_api_base: 'https://api.example.com/v1' });
    for (const change of [
      { model_api_base: 'https://evil.example/v1' },
      { model_api_base: '' },
      { provider: 'gemini' },
    ]) {
      const { status, body } = await caller.request('PATCH', `${path}/${id}`, change);
      expect([status, body]).toMatchObject([422, { detail: [{ loc: ['body', 'api_key_value'] }] }]);
    }
    const moved = { model_api_base: 'https://evil.example/v1', api_key_value: secret };
    expect((await caller.request('PATCH', `${path}/${id}`, moved)).status).toBe(200);
  });
});
