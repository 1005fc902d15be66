import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestAuth, signUpOf, type TestAuth } from '../../../test/open-test-auth.ts';
import { hashPersonalToken } from '../../tokens/personal-token.ts';

let auth: TestAuth;
let accountId: string;
let otherId: string;
beforeAll(async () => {
  auth = await openTestAuth();
  accountId = (await auth.client.signUp(signUpOf('ada@example.com'))).account?.id ?? '';
  otherId = (await auth.client.signUp(signUpOf('bob@example.com'))).account?.id ?? '';
});
afterAll(() => auth[Symbol.asyncDispose]());

const wanted = { name: 'ci', scopes: ['runs:write', 'sessions:read', 'runs:write'], lifeSeconds: 3_600n };
const missing = { code: 'not_found', reason: 'personal_token_not_found' };

const make = async (over: object = {}) => {
  const { secret, token } = await auth.client.createPersonalToken({ accountId, ...wanted, ...over });
  return { secret, id: token?.id ?? '', token };
};
const find = (secret: string) => auth.client.findPersonalToken({ hash: hashPersonalToken(secret) });
const list = async (over: object = {}) => (await auth.client.listPersonalTokens({ accountId, ...over })).tokens;

describe('a personal token', () => {
  test('is found by its hash with what it may do, until it expires', async () => {
    const { secret, id, token } = await make({ userId: 'u1' });
    expect(token).toMatchObject({ name: 'ci', scopes: ['runs:write', 'sessions:read'], userId: 'u1' });
    expect(Number((token?.expiresAt?.seconds ?? 0n) - (token?.createdAt?.seconds ?? 0n))).toBe(3_600);
    expect(await find(secret)).toMatchObject({ accountId, email: 'ada@example.com', token: { id, userId: 'u1' } });
    expect((await list()).find((one) => one.id === id)?.lastUsedAt).toBeDefined();
    await auth.context.db.query({ text: 'update personal_tokens set expires_at = now() where id = $1' }, [id]);
    await expect(find(secret)).rejects.toMatchObject(missing);
    expect((await list()).map((one) => one.id)).not.toContain(id);
  });

  test('is revoked by its account alone', async () => {
    const { secret, id } = await make();
    await expect(auth.client.revokePersonalToken({ accountId: otherId, id })).rejects.toMatchObject(missing);
    await find(secret);
    const { cursor } = await auth.client.listChangedAccounts({});
    await auth.client.revokePersonalToken({ accountId, id });
    await expect(find(secret)).rejects.toMatchObject(missing);
    expect((await auth.client.listChangedAccounts({ cursor })).accountIds).toEqual([accountId]);
    await expect(auth.client.revokePersonalToken({ accountId, id })).rejects.toMatchObject(missing);
  });

  test('of one end user is listed and revoked with the others of that one', async () => {
    const [first, second, other] = [
      await make({ userId: 'a' }),
      await make({ userId: 'a' }),
      await make({ userId: 'b' }),
    ];
    expect((await list({ userId: 'a' })).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await auth.client.revokePersonalTokens({ accountId, userId: 'a' })).toMatchObject({ revoked: 2n });
    await expect(find(first.secret)).rejects.toMatchObject(missing);
    await find(other.secret);
    expect(await auth.client.revokePersonalTokens({ accountId: otherId })).toMatchObject({ revoked: 0n });
    await find(other.secret);
  });

  test('is listed page by page, each once', async () => {
    const made = new Set<string>();
    for (let count = 0; count < 405; count += 1) made.add((await make({ userId: 'many' })).id);
    const seen: string[] = [];
    for (let afterId = '', more = true; more; ) {
      const { tokens, hasMore } = await auth.client.listPersonalTokens({ accountId, userId: 'many', afterId });
      seen.push(...tokens.map(({ id }) => id));
      afterId = tokens.at(-1)?.id ?? '';
      more = hasMore;
    }
    expect(seen).toHaveLength(405);
    expect(new Set(seen)).toEqual(made);
  });

  test('has a name of up to 100 characters, in any script', async () => {
    const name = '🔑'.repeat(100);
    expect((await make({ name })).token).toMatchObject({ name });
    await expect(make({ name: `${name}🔑` })).rejects.toMatchObject({ reason: 'personal_token_invalid' });
  });

  test.each([
    { name: ' ' },
    { name: 'x'.repeat(101) },
    { name: 'a\nb' },
    { scopes: [] },
    { scopes: ['everything'] },
    { userId: '' },
    { userId: 'x'.repeat(513) },
    { userId: '\0' },
    { seconds: 59 },
    { seconds: 31_622_401 },
  ])('is refused with wrong values: %j', async ({ seconds = 3_600, ...over }: Record<string, unknown>) => {
    await expect(make({ ...over, lifeSeconds: BigInt(Number(seconds)) })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'personal_token_invalid',
    });
  });

  test('ends with its account', async () => {
    const { account } = await auth.client.signUp(signUpOf('gone@example.com'));
    const { secret } = await make({ accountId: account?.id });
    await auth.client.deleteAccount({ id: account?.id ?? '' });
    await expect(find(secret)).rejects.toMatchObject(missing);
    await expect(make({ accountId: account?.id })).rejects.toMatchObject({ reason: 'account_not_found' });
  });

  test('is stored as a hash, and is in no log', async () => {
    const { secret } = await make();
    const rows = await auth.context.db.query({ text: 'select personal_tokens::text as row from personal_tokens' });
    expect(JSON.stringify(rows)).not.toContain(secret.slice(14, 57));
    expect(auth.logged.join('')).not.toContain(secret.slice(14, 57));
  });
});

test('an account has at most 10,000 tokens, also of 250 calls at once', async () => {
  const { account } = await auth.client.signUp(signUpOf('full@example.com'));
  const full = account?.id ?? '';
  const text = `insert into personal_tokens (account_id, token_hash, name, scopes, expires_at)
    select $1, sha256(n::text::bytea), 'ci', '{runs:read}', now() + interval '1 day' from generate_series(1, 9995) n`;
  await auth.context.db.query({ text }, [full]);
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, () => make({ accountId: full })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
});

test('250 tokens and changes of a profile at once at five replicas add no more rows to the audit than an account may in an hour', async () => {
  const { account } = await auth.client.signUp(signUpOf('busy@example.com'));
  const [busy, named] = [account?.id ?? '', { name: { case: 'userId', value: account?.userId ?? 0n } } as const];
  const text = `insert into audit (account_id, action, detail) select $1, 'signed_in', '{}' from generate_series(1, 4_994)`;
  await auth.context.db.query({ text }, [busy]);
  await using replicas = new AsyncDisposableStack();
  const clients = [auth.client];
  while (clients.length < 5) clients.push(replicas.use(await auth.replica()).client);
  const calls = clients.flatMap((client) =>
    Array.from({ length: 25 }, () => [
      client.createPersonalToken({ ...wanted, accountId: busy }),
      client.updateAccount({ actorId: busy, account: named, firstName: 'Ada' }),
    ]).flat(),
  );
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
});
