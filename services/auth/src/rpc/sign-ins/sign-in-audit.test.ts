import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestAuth, signUpOf, type TestAuth } from '../../../test/open-test-auth.ts';
import { selectActions } from '../../store/audit.ts';

const ada = signUpOf('ada@example.com');
const unnoticed = async (work: Promise<unknown>) => void (await work.catch(() => {}));

let auth: TestAuth;
let accountId: string;
beforeAll(async () => {
  auth = await openTestAuth();
  accountId = (await auth.client.signUp(ada)).account?.id ?? '';
});
afterAll(() => auth[Symbol.asyncDispose]());

test('everything that begins or ends a sign-in or a token is recorded, with ids and nothing else', async () => {
  const { client } = auth;
  const signIn = async () => {
    const { accessToken, refreshToken } = await client.signIn(ada);
    return { id: String(decodeJwt(accessToken).sid), refreshToken: refreshToken?.value ?? '' };
  };
  await unnoticed(client.signIn({ ...ada, password: 'wrong horse battery' }));
  const [one, two, three] = [await signIn(), await signIn(), await signIn()];
  await client.signOut({ refreshToken: one.refreshToken });
  await client.signOut({ refreshToken: one.refreshToken });
  await client.refresh({ refreshToken: two.refreshToken });
  await unnoticed(client.refresh({ refreshToken: two.refreshToken.slice(0, 43) + 'A'.repeat(43) }));
  await client.endSignIn({ accountId, id: three.id });
  await client.endSignIns({ accountId, exceptId: three.id });
  const made = { name: 'a personal name', scopes: ['runs:write'], userId: 'a personal id', lifeSeconds: 60n };
  const { token } = await client.createPersonalToken({ accountId, ...made });
  await client.revokePersonalToken({ accountId, id: token?.id ?? '' });
  await client.createPersonalToken({ accountId, ...made });
  await client.revokePersonalTokens({ accountId });
  await unnoticed(client.revokePersonalTokens({ accountId }));

  const rows = await selectActions(auth.context.db, { accountId, before: undefined, limit: 50 });
  const told = rows.map(({ action, actor_id: actor, detail }) => [
    action,
    actor === accountId,
    JSON.parse(detail) as unknown,
  ]);
  expect(told.toReversed().slice(1)).toEqual([
    ['sign_in_failed', false, {}],
    ['signed_in', true, { sign_in_id: one.id }],
    ['signed_in', true, { sign_in_id: two.id }],
    ['signed_in', true, { sign_in_id: three.id }],
    ['signed_out', true, { sign_in_id: one.id }],
    ['refresh_token_reused', false, { sign_in_id: two.id }],
    ['sign_in_ended', true, { sign_in_id: three.id }],
    ['sign_ins_ended', true, { except_id: three.id }],
    ['token_created', true, { token_id: token?.id, scopes: 'runs:write', life_seconds: 60 }],
    ['token_revoked', true, { token_id: token?.id }],
    ['token_created', true, expect.objectContaining({ scopes: 'runs:write' })],
    ['token_revoked', true, { count: 1 }],
  ]);
  expect(JSON.stringify(told)).not.toContain('personal');
});

test('thirty failures with one address add twenty records, and the next sign-in is recorded', async () => {
  const { account } = await auth.client.signUp(signUpOf('tried@example.com'));
  const tried = { email: 'tried@example.com', password: 'wrong horse battery' };
  for (let round = 0; round < 30; round += 1) await unnoticed(auth.client.signIn(tried));
  await auth.client.signIn(signUpOf('tried@example.com'));
  const rows = await selectActions(auth.context.db, { accountId: account?.id ?? '', before: undefined, limit: 50 });
  expect(rows.filter(({ action }) => action === 'sign_in_failed')).toHaveLength(20);
  expect(rows[0]?.action).toBe('signed_in');
});

test('a failed sign-in to an unknown address is recorded without an account', async () => {
  await unnoticed(auth.client.signIn({ ...ada, email: 'nobody@example.com' }));
  const [newest] = await selectActions(auth.context.db, { accountId: undefined, before: undefined, limit: 1 });
  expect(newest).toMatchObject({ action: 'sign_in_failed', account_id: null, actor_id: null });
});
