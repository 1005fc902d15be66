import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

const paths = [
  '/api/auth/forgot-password',
  '/api/auth/reset-password',
  '/api/auth/verify-email',
  '/api/auth/resend-verification',
];
const open = { authorization: null };
const done = [200, { status: 'ok' }];

describe('account mail', () => {
  let edge: Edge;
  const seen: object[] = [];
  beforeAll(async () => {
    edge = await startEdge({
      auth: {
        signUp: ({ email }) => ({ account: { email, role: 'USER' }, proof: 'p' }),
        requestPasswordReset: ({ email }) => ({ ...note({ forgot: email }) }),
        resendVerification: ({ email }) => ({ ...note({ resend: email }) }),
        resetPassword: ({ token, newPassword }) => {
          if (token === 'bad') throw new MeshError('unauthenticated', 'mail_token_invalid', 'Invalid or expired token');
          if (token === 'nul') throw new MeshError('invalid_argument', 'password_invalid', 'No NUL.');
          return note({ token, newPassword });
        },
        verifyEmail: ({ token, signUpProof, refreshToken }) => {
          if (token === 'bad') throw new MeshError('unauthenticated', 'mail_token_kind', 'Invalid token type');
          return note({ token, signUpProof, refreshToken });
        },
      },
    });
  });
  afterAll(() => edge[Symbol.asyncDispose]());

  const note = (what: object): object => {
    seen.push(what);
    return {};
  };
  const post = async (path: string, json: unknown) => {
    const { status, body } = await edge.send(path, { json, headers: open });
    return [status, body];
  };

  it('gives the same answer for every address, and does not validate it', async () => {
    for (const email of ['a@example.com', 'nobody@example.com', '', 'no address', 'a\0b']) {
      expect(await post('/api/auth/forgot-password', { email })).toEqual(done);
      expect(await post('/api/auth/resend-verification', { email })).toEqual(done);
    }
  });

  it('forwards tokens and passwords', async () => {
    seen.length = 0;
    expect(await post('/api/auth/reset-password', { token: 't', new_password: 'long enough' })).toEqual(done);
    expect(await post('/api/auth/verify-email', { token: 'v' })).toEqual(done);
    expect(seen).toEqual([
      { token: 't', newPassword: 'long enough' },
      { token: 'v', signUpProof: '', refreshToken: '' },
    ]);
  });

  it('shows auth with a verification what the browser got when it signed up or in', async () => {
    const json = { email: 'a@example.com', password: 'long enough', first_name: 'A', last_name: 'B' };
    const cookie = (await edge.send('/api/users/', { json, headers: open })).headers.get('set-cookie') ?? '';
    expect(cookie).toBe('sign_up_proof=p; Max-Age=2592000; Path=/api/auth; HttpOnly; SameSite=Lax');
    seen.length = 0;
    const headers = { ...open, cookie: 'sign_up_proof=p; refresh_token=r' };
    expect((await edge.send('/api/auth/verify-email', { json: { token: 'v' }, headers })).status).toBe(200);
    expect(seen).toEqual([{ token: 'v', signUpProof: 'p', refreshToken: 'r' }]);
  });

  it('tells why a token is refused, without a bearer challenge', async () => {
    const answer = await edge.send('/api/auth/reset-password', {
      json: { token: 'bad', new_password: 'long enough' },
      headers: open,
    });
    expect(answer).toMatchObject({ status: 401, body: { detail: 'Invalid or expired token' } });
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect(await post('/api/auth/verify-email', { token: 'bad' })).toMatchObject([
      401,
      { detail: 'Invalid token type' },
    ]);
  });

  it.each([
    [{ token: 't', new_password: 'seven77' }, 'string_too_short', 'new_password'],
    [{ token: 't', new_password: 'x'.repeat(257) }, 'string_too_long', 'new_password'],
    [{ token: 't' }, 'missing', 'new_password'],
    [{ token: 'nul', new_password: 'long enough' }, 'value_error', 'new_password'],
    [{ token: 5, new_password: 'long enough' }, 'string_type', 'token'],
  ])('refuses %j at its field and repeats no secret', async (json, type, field) => {
    const [status, body] = await post('/api/auth/reset-password', json);
    expect([status, body]).toMatchObject([422, { detail: [{ type, loc: ['body', field] }] }]);
    expect(JSON.stringify(body)).not.toContain('seven77');
    expect(JSON.stringify(body)).not.toContain('long enough');
  });

  it.each(paths)('%s needs a body', async (path) => {
    expect(await post(path, undefined)).toMatchObject([405, {}]);
    expect((await edge.send(path, { method: 'POST', headers: open })).status).toBe(422);
  });
});

it('asking for mail too often from one address is 429, for any recipient', async () => {
  await using edge = await startEdge({
    env: { RATE_LIMIT_MAIL_ADDRESS_BURST: '2', RATE_LIMIT_MAIL_ADDRESS_PER_HOUR: '1' },
    auth: { requestPasswordReset: () => ({}), resendVerification: () => ({}) },
  });
  const ask = (path: string, email: string) => edge.send(path, { json: { email }, headers: open });
  expect((await ask('/api/auth/forgot-password', 'a@example.com')).status).toBe(200);
  expect((await ask('/api/auth/resend-verification', 'b@example.com')).status).toBe(200);
  const refused = await ask('/api/auth/forgot-password', 'c@example.com');
  expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_mails' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
});

it('account mail is 404 before a body is read if passwords are switched off', async () => {
  await using edge = await startEdge({ env: { AUTH_BASIC_ENABLED: 'false' } });
  const headers = { ...open, 'content-type': 'application/json' };
  for (const path of paths) {
    const { status, body } = await edge.send(path, { text: '{bad', headers });
    expect([status, body]).toEqual([404, { detail: 'Not Found' }]);
  }
});
