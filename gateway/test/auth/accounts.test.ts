import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

const notFound = [404, { detail: 'Not Found' }];
const person = { first_name: 'A', last_name: 'B', email: 'a@example.com' };

describe('a switched-off route', () => {
  const broken = { text: '{bad', headers: { 'content-type': 'application/json', authorization: null } };
  const answerOf = async (edge: Edge, path: string, options: object = broken) => {
    const { status, body } = await edge.send(path, options);
    return [status, body];
  };

  it('for passwords or sign-up is 404 before its body is read', async () => {
    await using edge = await startEdge({ env: { AUTH_BASIC_ENABLED: 'false' } });
    for (const path of ['/api/auth/token', '/api/users/', '/api/users']) {
      expect(await answerOf(edge, path)).toEqual(notFound);
      expect(await answerOf(edge, path, { json: {} })).toEqual(notFound);
    }
    expect((await edge.send('/api/users/me')).status).not.toBe(404);
  });

  it('for sign-up leaves sign-in', async () => {
    await using edge = await startEdge({ env: { AUTH_REGISTER_ENABLED: 'false' } });
    expect(await answerOf(edge, '/api/users/')).toEqual(notFound);
    expect((await edge.send('/api/auth/token', broken)).status).toBe(422);
    expect((await edge.send('/api/auth/token')).status).toBe(405);
  });
});

describe('sign-up', () => {
  let edge: Edge;
  const seen: { email: string; password: string }[] = [];
  beforeAll(async () => {
    edge = await startEdge({
      auth: {
        signUp: ({ email, password, username }) => {
          seen.push({ email, password });
          if (email.startsWith('odd')) throw new MeshError('invalid_argument', 'email_invalid', 'Odd address.');
          if (email.startsWith('weak')) throw new MeshError('invalid_argument', 'password_invalid', 'Weak password.');
          if (username === 'long') {
            throw new MeshError('invalid_argument', 'text_invalid', 'username must be at most 4 characters.');
          }
          return { account: { userId: 1n, email, role: 'USER' } };
        },
      },
    });
  });
  afterAll(() => edge[Symbol.asyncDispose]());

  it.each([{}, { password: null }])('without a password makes an account without one: %j', async (given) => {
    expect((await edge.send('/api/users/', { json: { ...person, ...given } })).status).toBe(201);
    expect(seen.at(-1)).toEqual({ email: 'a@example.com', password: '' });
  });

  it('refuses a password that is too short', async () => {
    const { status, body } = await edge.send('/api/users/', { json: { ...person, password: '' } });
    expect([status, body]).toMatchObject([422, { detail: [{ type: 'string_too_short', loc: ['body', 'password'] }] }]);
  });

  it('trims the e-mail address', async () => {
    expect((await edge.send('/api/users/', { json: { ...person, email: ' a@example.com ' } })).status).toBe(201);
    expect(seen.at(-1)?.email).toBe('a@example.com');
  });

  it.each([
    [{ email: 'odd@example.com' }, 'email', 'Odd address.'],
    [{ email: 'weak@example.com' }, 'password', 'Weak password.'],
    [{ username: 'long' }, 'username', 'username must be at most 4 characters.'],
  ])('names the field that the accounts refuse: %j', async (given, field, msg) => {
    const { status, body } = await edge.send('/api/users/', { json: { ...person, ...given } });
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ type: 'value_error', loc: ['body', field], msg }] });
  });
});
