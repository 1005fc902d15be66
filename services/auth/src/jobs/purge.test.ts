import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestAuth, signUpOf, type TestAuth } from '../../test/open-test-auth.ts';
import { purge } from './purge.ts';

let auth: TestAuth;
beforeAll(async () => {
  auth = await openTestAuth();
});
afterAll(() => auth[Symbol.asyncDispose]());

const ages = async (table: string, column: string): Promise<number[]> => {
  const text = `select round(extract(epoch from now() - ${column}) / 3600)::integer as hours from ${table} order by 1`;
  return (await auth.context.db.query<{ hours: number }>({ text })).map(({ hours }) => hours);
};

test('expired rows are deleted, and no others', async () => {
  const { client, context } = auth;
  const ada = signUpOf('ada@example.com');
  const accountId = (await client.signUp(ada)).account?.id ?? '';
  const tokenOf = { accountId, name: 'x', scopes: ['runs:write'], lifeSeconds: 3_600n };
  for (let count = 0; count < 3; count += 1) {
    await client.signIn(ada);
    await client.createPersonalToken(tokenOf);
  }
  const aged = (table: string, column: string, hours: number) => ({
    text: `update ${table} set ${column} = now() - make_interval(hours => ${hours})
      where ctid = (select ctid from ${table} where ${column} > now() - interval '1 minute' limit 1)`,
  });
  for (const hours of [2, 30]) await context.db.query(aged('sign_ins', 'expires_at', hours));
  await context.db.query(aged('personal_tokens', 'expires_at', 2));
  await context.db.query({
    text: `insert into account_changes (account_id, changed_at)
      values ('${accountId}', now()), ('${accountId}', now() - interval '2 hours')`,
  });
  await purge(context);
  // A sign-in is kept for a day after it expired, so that its token is not answered like an unknown one.
  expect(await ages('sign_ins', 'expires_at')).toEqual([-720, 2]);
  expect(await ages('personal_tokens', 'expires_at')).toEqual([-1, -1]);
  // One of them records that the expired token was deleted.
  expect(await ages('account_changes', 'changed_at')).toEqual([0, 0]);
});
