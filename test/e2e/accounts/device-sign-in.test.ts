import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';

const url = inject('meshUrl');
const anybody = new Caller(url);
let ada: Caller;

beforeAll(async () => {
  ada = await newAccount(url);
});

interface Code {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

const start = async (scope?: string): Promise<Code> => {
  const body = { client_id: 'a program', ...(scope !== undefined && { scope }) };
  const answer = await anybody.request<Code>('POST', '/api/auth/device/code', body);
  expect(answer.status).toBe(200);
  return answer.body;
};
const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const claim = (code: string) =>
  anybody.request<{ error?: string; access_token?: string; scope?: string }>('POST', '/api/auth/device/token', {
    grant_type: grant,
    device_code: code,
  });
const find = (caller: Caller, code: string) => caller.request('GET', `/api/auth/device?code=${code}`);
const decide = (caller: Caller, verb: string, code: string) =>
  caller.request('POST', `/api/auth/device/${verb}`, { user_code: code });

describe('a program that shows a code', () => {
  test('gets a token with the scopes that it asked for, once, after a person has approved it', async () => {
    const code = await start('runs:read sessions:read');
    expect(code).toMatchObject({ expires_in: 600, interval: 5 });
    expect(code.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect(code.verification_uri_complete).toBe(`${code.verification_uri}?code=${code.user_code}`);
    const typed = code.user_code.toLowerCase().replace('-', ' ');
    const shown = { client: 'a program', scopes: ['runs:read', 'sessions:read'], user_code: code.user_code };
    expect((await find(ada, typed)).body).toMatchObject(shown);
    expect((await decide(ada, 'approve', typed)).status).toBe(200);
    const { status, body } = await claim(code.device_code);
    expect([status, body.scope]).toEqual([200, 'runs:read sessions:read']);
    const program = new Caller(url, body.access_token);
    expect((await program.request('GET', '/runs')).status).toBe(200);
    expect((await program.request('GET', '/api/saved-api-keys')).status).toBe(403);
    expect((await claim(code.device_code)).body.error).toBe('expired_token');
    expect((await decide(ada, 'deny', typed)).status).toBe(404);
  });

  test('is told to wait, to slow down, and that it was denied', async () => {
    const code = await start();
    expect(await claim(code.device_code)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
    expect((await claim(code.device_code)).body.error).toBe('slow_down');
    expect((await decide(ada, 'deny', code.user_code)).status).toBe(200);
    expect((await claim(code.device_code)).body.error).toBe('access_denied');
    expect((await decide(ada, 'approve', code.user_code)).status).toBe(404);
    expect((await claim('no code')).body.error).toBe('expired_token');
  });

  test('gets the scopes of one that sends none when its scope is empty', async () => {
    const scopesOf = async ({ user_code }: Code) => (await find(ada, user_code)).body;
    const { scopes } = (await scopesOf(await start())) as { scopes: string[] };
    expect(await scopesOf(await start(''))).toMatchObject({ scopes });
  });

  test('gets each scope once, however often it names it', async () => {
    const { user_code } = await start('runs:read '.repeat(60));
    expect((await find(ada, user_code)).body).toMatchObject({ scopes: ['runs:read'] });
  });

  test('sends forms as RFC 8628 does, and is refused a scope that there is not', async () => {
    const post = (path: string, fields: Record<string, string>) =>
      fetch(`${url}/api/auth/device/${path}`, { method: 'POST', body: new URLSearchParams(fields) });
    const code = (await (await post('code', { client_id: 'a form' })).json()) as Code;
    const claimed = await post('token', { grant_type: grant, device_code: code.device_code, client_id: 'a form' });
    expect(await claimed.json()).toMatchObject({ error: 'authorization_pending' });
    const refused = await post('code', { client_id: 'a form', scope: 'runs:read everything' });
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_scope' })]);
  });

  test('is approved by somebody with the password alone: no personal token, no stranger', async () => {
    const code = await start('account:read');
    await decide(ada, 'approve', code.user_code);
    const program = new Caller(url, (await claim(code.device_code)).body.access_token);
    const other = await start();
    for (const caller of [program, anybody]) {
      expect((await decide(caller, 'approve', other.user_code)).status).toBeGreaterThanOrEqual(401);
      expect((await find(caller, other.user_code)).status).toBeGreaterThanOrEqual(401);
    }
  });
});
