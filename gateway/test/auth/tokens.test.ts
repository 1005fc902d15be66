import { MeshError } from '@agentmesh/lib/rpc';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountId, type Edge, encryptKey, startEdge, token } from '../edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({
    auth: {
      getAccount: ({ id }) => {
        if (id === accountId) return { account: { id, email: 'A@Example.com', role: 'USER' } };
        if (id.startsWith('ffffffff')) throw new MeshError('unavailable', 'auth_away', 'auth is away');
        throw new MeshError('not_found', 'account_not_found', 'User not found');
      },
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

describe('a token', () => {
  const detailOf = async (authorization: string) => (await edge.send('/version', { headers: { authorization } })).body;

  it('is refused with the text that belongs to its fault', async () => {
    const bad = { detail: 'Could not validate credentials' };
    expect(await detailOf('Basic abc')).toEqual({ detail: 'Not authenticated' });
    const bare = { detail: 'Send the token as "authorization: Bearer <token>".' };
    expect(await detailOf(await token({}))).toEqual(bare);
    expect(await detailOf('Bearer ')).toEqual({ detail: 'Not authenticated' });
    expect(await detailOf('Bearer abc')).toEqual(bad);
    expect(await detailOf(`Bearer ${await token({}, 'another key, also long enough for it')}`)).toEqual(bad);
    expect(await detailOf(`Bearer ${await token({ exp: 1 })}`)).toEqual(bad);
    expect(await detailOf(`Bearer ${await token({ sub: undefined })}`)).toEqual(bad);
    const refresh = { detail: 'Invalid token type. Access token required.' };
    expect(await detailOf(`Bearer ${await token({ type: 'refresh' })}`)).toEqual(refresh);
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const claims = (await token({})).split('.')[1];
    expect(await detailOf(`Bearer ${none}.${claims}.`)).toEqual(bad);
  });

  it('of an unknown account is 401, and 503 while auth is unavailable', async () => {
    const uid = '00000000-0000-4000-8000-000000000001';
    expect(await detailOf(`Bearer ${await token({ uid })}`)).toEqual({ detail: 'User not found' });
    const away = await token({ uid: 'ffffffff-0000-4000-8000-000000000001' });
    expect((await edge.send('/version', { headers: { authorization: `Bearer ${away}` } })).status).toBe(503);
  });

  it.each([{ uid: undefined }, { uid: 7 }, { uid: 'x' }, { sub: 'b@example.com' }])(
    'that names no account is 401: %j',
    async (claims) => {
      const answer = await edge.send('/version', { headers: { authorization: `Bearer ${await token(claims)}` } });
      expect([answer.status, answer.body]).toEqual([401, { detail: 'User not found' }]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    },
  );

  it('may name its account in upper or lower case', async () => {
    const authorization = `Bearer ${await token({ sub: 'a@EXAMPLE.com' })}`;
    expect((await edge.send('/version', { headers: { authorization } })).status).toBe(200);
  });

  it('without a time of issue counts as revoked', async () => {
    expect(await detailOf(`Bearer ${await token({ iat: undefined })}`)).toEqual({ detail: 'session_revoked' });
  });

  it('may be sent with "Bearer" in upper or lower case', async () => {
    expect((await edge.send('/version', { headers: { authorization: `bearer ${await token({})}` } })).status).toBe(200);
  });
});

describe('keys apart from ENCRYPT_KEY', () => {
  const [a, b] = ['a'.repeat(32), 'b'.repeat(32)];
  const statusesOf = async (keys: string, tokens: readonly Promise<string>[]) => {
    await using own = await startEdge({ env: { TOKEN_SIGNING_KEYS: keys } });
    const asked = tokens.map(async (made) => {
      const headers = { authorization: `Bearer ${await made}` };
      return (await own.send('/version', { headers })).status;
    });
    return await Promise.all(asked);
  };

  it('all verify, each what names it, so that a change of the first ends no sign-in', async () => {
    const all = [token({}, a, 'a'), token({}, b, 'b'), token({})];
    expect(await statusesOf(`b:${b},a:${a},ENCRYPT_KEY`, all)).toEqual([200, 200, 200]);
    expect(await statusesOf(`b:${b}`, all)).toEqual([401, 200, 401]);
  });

  it('verify nothing that names another one, none, or one that is not there', async () => {
    const forged = [
      token({}, a, 'b'),
      token({}, a),
      token({}, encryptKey, 'a'),
      token({}, encryptKey, 'ENCRYPT_KEY'),
      token({}, a, ''),
      token({}, a, 'c'),
    ];
    expect(await statusesOf(`a:${a},b:${b},ENCRYPT_KEY`, forged)).toEqual(forged.map(() => 401));
  });

  it('do not verify a token that claims another algorithm', async () => {
    const [, claims, signature] = (await token({}, a, 'a')).split('.');
    const as = async (header: object) =>
      [Buffer.from(JSON.stringify(header)).toString('base64url'), claims, signature].join('.');
    const headers = ['none', 'None', 'HS512', 'RS256'].map((alg) => as({ alg, kid: 'a' }));
    expect(await statusesOf(`a:${a}`, headers)).toEqual(headers.map(() => 401));
  });
});

describe('a deleted account', () => {
  const uid = '0b5f0b0a-6d0e-4a53-9a6e-3d5b9f6f9c12';
  const gone = new MeshError('not_found', 'account_not_found', 'User not found');

  /** A gateway beside an auth that knows the account until it is deleted. */
  async function besideAccount() {
    let exists = true;
    const edge = await startEdge({
      auth: {
        getAccount: ({ id }) => {
          if (!exists) throw gone;
          return { account: { id, email: 'A@Example.com', role: 'USER' } };
        },
        deleteAccount: () => {
          exists = false;
          return { receipt: 'r', accountId: uid };
        },
      },
    });
    const headers = { authorization: `Bearer ${await token({ uid })}` };
    return {
      edge,
      headers,
      vanish: () => void (exists = false),
      [Symbol.asyncDispose]: () => edge[Symbol.asyncDispose](),
    };
  }

  it('is refused as soon as the bus reports the deletion', async () => {
    await using own = await besideAccount();
    const { edge, headers } = own;
    expect((await edge.send('/version', { headers })).status).toBe(200);
    own.vanish();
    await edge.bus.publish(AccountDeletedSchema, { accountId: uid });
    expect((await edge.send('/version', { headers })).body).toEqual({ detail: 'User not found' });
  });

  it('is refused from the first request after the answer to its deletion', async () => {
    await using own = await besideAccount();
    const { edge, headers } = own;
    expect((await edge.send('/api/users/7', { method: 'DELETE', headers })).status).toBe(204);
    expect((await edge.send('/version', { headers })).status).toBe(401);
  });

  it('is answered as a bad token by auth itself, before the gateway has heard of the deletion', async () => {
    const findAccount = () => {
      throw new MeshError('unauthenticated', 'caller_gone', 'User not found');
    };
    await using edge = await startEdge({ auth: { findAccount } });
    const { status, body, headers } = await edge.send('/api/users/7');
    expect([status, body, headers.get('www-authenticate')]).toEqual([401, { detail: 'User not found' }, 'Bearer']);
  });

  it('that only the bus calls deleted is still served', async () => {
    await using own = await besideAccount();
    const { edge, headers } = own;
    expect((await edge.send('/version', { headers })).status).toBe(200);
    await edge.bus.publish(AccountDeletedSchema, { accountId: uid });
    expect((await edge.send('/version', { headers })).status).toBe(200);
  });
});
