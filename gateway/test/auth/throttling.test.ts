import { MeshError } from '@agentmesh/lib/rpc';
import { describe, expect, it, test } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

const limits = {
  RATE_LIMIT_SIGN_IN_ACCOUNT_BURST: '3',
  RATE_LIMIT_SIGN_IN_ACCOUNT_PER_HOUR: '60',
  RATE_LIMIT_SIGN_IN_ADDRESS_BURST: '6',
  RATE_LIMIT_SIGN_IN_ADDRESS_PER_HOUR: '60',
};

async function start(env: Record<string, string> = {}): Promise<{ edge: Edge; asked: () => number }> {
  let asked = 0;
  const edge = await startEdge({
    env: { ...limits, ...env },
    auth: {
      signIn: ({ password }) => {
        asked += 1;
        if (password === 'right') return { accessToken: 'x' };
        if (password === 'unverified') throw new MeshError('permission_denied', 'email_not_verified', 'x');
        throw new MeshError('unauthenticated', 'invalid_credentials', 'Invalid email or password');
      },
    },
  });
  return { edge, asked: () => asked };
}

const attempt = (edge: Edge, email: string, password: string, forwarded: string | null = null) =>
  edge.send('/api/auth/token', { json: { email, password }, headers: { 'x-forwarded-for': forwarded } });

async function statuses(edge: Edge, attempts: readonly (readonly [string, string, string?])[]): Promise<number[]> {
  const found: number[] = [];
  for (const [email, password, forwarded] of attempts) {
    found.push((await attempt(edge, email, password, forwarded ?? null)).status);
  }
  return found;
}

describe('sign-ups', () => {
  it('are limited by address, before auth is asked', async () => {
    let asked = 0;
    const refuse = () => {
      asked += 1;
      throw new MeshError('already_exists', 'email_in_use', 'Email already in use.');
    };
    await using edge = await startEdge({
      env: { RATE_LIMIT_SIGN_UP_ADDRESS_BURST: '2', RATE_LIMIT_SIGN_UP_ADDRESS_PER_HOUR: '60' },
      auth: { signUp: refuse },
    });
    const json = { email: 'a@example.com', password: 'long enough', first_name: 'A', last_name: 'B' };
    const answers = [1, 2, 3].map(() => edge.send('/api/users/', { json, headers: { authorization: null } }));
    const found = await Promise.all(answers);
    expect(found.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([409, 409, 429]);
    const refused = found.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 'too_many_sign_ups' });
    expect(refused?.headers.get('retry-after')).toMatch(/^(5\d|60)$/);
    expect(asked).toBe(2);
  });
});

describe('sign-ins that fail', () => {
  it('are counted per account in all spellings; above the limit every sign-in is refused without asking auth', async () => {
    const { edge, asked } = await start();
    await using _ = edge;
    const first = await attempt(edge, 'ada@bücher.example', 'wrong');
    expect(first.status).toBe(401);
    expect(Object.fromEntries(first.headers)).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '2' });
    const spellings = ['ADA@bücher.example', ' ada@xn--bcher-kva.example'] as const;
    expect(
      await statuses(
        edge,
        spellings.map((email) => [email, 'wrong'] as const),
      ),
    ).toEqual([401, 401]);
    const before = asked();
    const refused = await attempt(edge, 'ada@bücher.example', 'right');
    expect([refused.status, refused.body]).toMatchObject([429, { code: 'too_many_failures' }]);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'retry-after': expect.stringMatching(/^(5\d|60)$/) as unknown,
      'ratelimit-limit': '3',
      'ratelimit-remaining': '0',
      'ratelimit-reset': expect.stringMatching(/^1(7\d|80)$/) as unknown,
    });
    expect(asked()).toBe(before);
    expect((await attempt(edge, 'bob@example.com', 'right')).status).toBe(200);
  });

  it('are counted per address, over all accounts', async () => {
    const { edge } = await start();
    await using _ = edge;
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}@example.com`, 'wrong'] as const);
    expect(await statuses(edge, six)).toEqual(six.map(() => 401));
    expect((await attempt(edge, 'g@example.com', 'right')).status).toBe(429);
  });

  it('are counted per account and address, so that one stranger cannot lock an owner out', async () => {
    const { edge } = await start({
      GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_SIGN_IN_ACCOUNT_BURST: '2',
    });
    await using _ = edge;
    const from = (address: string, times: number) =>
      Array.from({ length: times }, () => ['ada@example.com', 'wrong', address] as const);
    expect(await statuses(edge, from('192.0.2.1', 3))).toEqual([401, 401, 429]);
    expect(await statuses(edge, [['ada@example.com', 'right', '192.0.2.2']])).toEqual([200]);
    // Ten failures from all addresses together are allowed.
    for (const place of [2, 3, 4, 5]) expect(await statuses(edge, from(`192.0.2.${place}`, 2))).toEqual([401, 401]);
    // Then a fresh address has a few tries, which its neighbours share, so that the owner gets in.
    expect(await statuses(edge, from('192.0.2.9', 2))).toEqual([401, 401]);
    expect(await statuses(edge, from('192.0.2.10', 1))).toEqual([429]);
    expect(await statuses(edge, [['ada@example.com', 'right', '198.51.100.7']])).toEqual([200]);
    expect(await statuses(edge, [['ada@example.com', 'right', '2001:db8:7::1']])).toEqual([200]);
    expect(await statuses(edge, from('2001:db8:9:1::1', 2))).toEqual([401, 401]);
    expect(await statuses(edge, from('2001:db8:9:2::1', 1))).toEqual([429]);
  });

  it('stay within the limit when they come at the same time', async () => {
    const { edge, asked } = await start();
    await using _ = edge;
    const answers = await Promise.all(Array.from({ length: 30 }, () => attempt(edge, 'ada@example.com', 'wrong')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
    expect(asked()).toBe(3);
  });

  it('are the only ones counted: hundreds of successful ones are not', async () => {
    const { edge } = await start();
    await using _ = edge;
    for (let count = 0; count < 300; count += 1) {
      expect((await attempt(edge, 'ada@example.com', count % 2 === 0 ? 'right' : 'unverified')).status).not.toBe(429);
    }
  });

  it('are not counted if limits are switched off', async () => {
    const { edge } = await start({ RATE_LIMIT_ENABLED: 'false' });
    await using _ = edge;
    const ten = Array.from({ length: 10 }, () => ['ada@example.com', 'wrong'] as const);
    expect(await statuses(edge, ten)).toEqual(ten.map(() => 401));
  });

  it('can by default be over two thousand from one address, and twenty for one account of them', async () => {
    const { edge } = await start(Object.fromEntries(Object.keys(limits).map((name) => [name, ''])));
    await using _ = edge;
    // First, because one of the twenty comes back every thirty seconds.
    const ofOne = Array.from({ length: 21 }, () => ['0@example.com', 'wrong'] as const);
    expect(await statuses(edge, ofOne)).toEqual([...ofOne.slice(1).map(() => 401), 429]);
    for (let count = 0; count < 2_400; count += 1) {
      expect((await attempt(edge, `${1 + (count % 200)}@example.com`, 'wrong')).status).toBe(401);
    }
  });
});

describe('the address of a request', () => {
  const many = (forwarded: (index: number) => string) =>
    Array.from({ length: 7 }, (_, index) => [`${index}@example.com`, 'wrong', forwarded(index)] as const);

  it('is that of its connection, and headers do not change it', async () => {
    const { edge } = await start();
    await using _ = edge;
    expect(
      (
        await statuses(
          edge,
          many((index) => `198.51.100.${index}`),
        )
      ).at(-1),
    ).toBe(429);
    const said = edge.logged.filter(({ msg }) => String(msg).includes('GATEWAY_TRUSTED_PROXIES'));
    expect(said).toHaveLength(1);
  });

  it('is the one that a trusted proxy reports, not one that a client told the proxy', async () => {
    const { edge } = await start({ GATEWAY_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' });
    await using _ = edge;
    expect(
      (
        await statuses(
          edge,
          many((index) => `198.51.100.${index}, 10.1.1.1`),
        )
      ).at(-1),
    ).toBe(401);
    expect(
      (
        await statuses(
          edge,
          many((index) => `203.0.113.${index}, 192.0.2.9, 10.1.1.1`),
        )
      ).at(-1),
    ).toBe(429);
  });
});

test('requests of an account are limited by minute, whatever the route, before a service is asked; others are not affected', async () => {
  let asked = 0;
  const listApps = () => {
    asked += 1;
    return { apps: [] };
  };
  await using edge = await startEdge({ env: { RATE_LIMIT_ACCOUNT_PER_MINUTE: '2' }, runs: { listApps } });
  const list = async () => {
    const { status, body, headers } = await edge.send('/list-apps', { method: 'GET' });
    return [status, (body as { code?: string }).code, headers.get('retry-after')];
  };
  expect([await list(), await list(), await list()]).toEqual([
    [200, undefined, null],
    [200, undefined, null],
    [429, 'account_requests_per_minute', expect.stringMatching(/^(2\d|30)$/)],
  ]);
  expect(asked).toBe(2);
});
