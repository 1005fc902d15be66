import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestAuth, signUpOf, type TestAuth } from '../../test/open-test-auth.ts';
import { purgeAudit, recordAction, selectActions } from './audit.ts';

let auth: TestAuth;
beforeAll(async () => {
  auth = await openTestAuth();
});
afterAll(() => auth[Symbol.asyncDispose]());

describe('the record of actions', () => {
  test.each(['update audit set action = action', 'delete from audit', 'truncate audit'])('refuses %s', async (text) => {
    await recordAction(auth.context.db, { action: 'signed_in', accountId: undefined });
    await expect(auth.context.db.query({ text })).rejects.toThrow(/permission denied|append-only/);
    await expect(asSuperuser(text)).rejects.toThrow('audit is append-only');
  });

  test('keeps every row for its time: not even a superuser deletes one of the last 30 days', async () => {
    const { db } = auth.context;
    const old = '22222222-2222-4222-8222-222222222222';
    const add = (days: number, accountId: string | null) =>
      db.query(
        {
          text: `insert into audit (account_id, action, detail, at)
            values ($2::uuid, 'signed_in', '{}', now() - make_interval(days => $1::integer))`,
        },
        [days, accountId],
      );
    for (const days of [400, 364, 31, 29]) await add(days, old);
    for (const days of [31, 29]) await add(days, null);
    const daysOf = async (whose: string) => {
      const text = `select extract(day from now() - at)::integer as days from audit where ${whose} and at < now() - interval '1 day'
        order by at`;
      return (await db.query<{ days: number }>({ text })).map(({ days }) => days);
    };
    await purgeAudit(db, 365);
    expect(await daysOf(`account_id = '${old}'`)).toEqual([364, 31, 29]);
    expect(await daysOf('account_id is null')).toEqual([29]);
    await purgeAudit(db, 30);
    expect(await daysOf(`account_id = '${old}'`)).toEqual([29]);
    for (const trick of ['', "set local agentmesh.purges_audit = 'yes';"]) {
      await expect(asSuperuser(`${trick} delete from audit`)).rejects.toThrow('audit is append-only');
    }
    await expect(purgeAudit(db, 0)).rejects.toThrow('audit is append-only');
    expect(await daysOf(`account_id = '${old}'`)).toEqual([29]);
  });

  test('belongs to the transaction of the action: a roll-back removes both', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const undone = auth.context.db.transaction(async (tx) => {
      await recordAction(tx, { action: 'signed_in', accountId: id });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await selectActions(auth.context.db, { accountId: id, before: undefined, limit: 10 })).toEqual([]);
  });

  test('has at most 5,000 rows of an hour by what an account can repeat; what ends a sign-in or a token is always done', async () => {
    const { client, context } = auth;
    const person = signUpOf('busy@example.com');
    const accountId = (await client.signUp(person)).account?.id ?? '';
    const text = `insert into audit (account_id, action, detail) select $1, 'signed_in', '{}' from generate_series(1, 4_998)`;
    await context.db.query({ text }, [accountId]);
    const signIn = () => client.signIn({ ...person, device: { userAgent: 'curl', address: '192.0.2.7' } });
    const { refreshToken } = await signIn();
    const full = { code: 'resource_exhausted', reason: 'account_actions' };
    await expect(signIn()).rejects.toMatchObject(full);
    const token = { accountId, name: 'ci', scopes: ['runs:write'], lifeSeconds: 60n };
    await expect(client.createPersonalToken(token)).rejects.toMatchObject(full);
    await expect(client.recordExport({ accountId })).rejects.toMatchObject(full);
    expect((await client.listSignIns({ accountId })).signIns).toHaveLength(1);
    await client.signOut({ refreshToken: refreshToken?.value ?? '' });
    await client.endSignIns({ accountId });
    expect((await client.listPersonalTokens({ accountId })).tokens).toEqual([]);
  });

  test('tells of an export, which needs an account', async () => {
    const { account } = await auth.client.signUp(signUpOf('exporter@example.com'));
    const id = account?.id ?? '';
    await auth.client.recordExport({ accountId: id });
    const [row] = await selectActions(auth.context.db, { accountId: id, before: undefined, limit: 1 });
    expect(row).toMatchObject({ action: 'data_exported', account_id: id, actor_id: id });
    for (const accountId of ['', '0b5f0b0a-6d0e-4a53-9a6e-3d5b9f6f9c11'])
      await expect(auth.client.recordExport({ accountId })).rejects.toMatchObject({ reason: 'caller_gone' });
  });

  test('outlives the account, without personal data', async () => {
    const { account } = await auth.client.signUp(signUpOf('forgotten@example.com'));
    const id = account?.id ?? '';
    await auth.client.updateAccount({ actorId: id, account: userId(account?.userId), firstName: 'Personal' });
    await auth.client.deleteAccount({ actorId: id, account: userId(account?.userId) });
    const rows = await selectActions(auth.context.db, { accountId: id, before: undefined, limit: 10 });
    expect(rows.map((row) => row.action)).toEqual(['account_deleted', 'profile_changed', 'signed_up']);
    const text = rows.map((row) => `${row.action} ${row.detail}`).join();
    for (const personal of ['forgotten@example.com', 'Personal', 'Ada', 'Lovelace'])
      expect(text).not.toContain(personal);
  });
});

function userId(value = 0n) {
  return { name: { case: 'userId', value } } as const;
}

/** In the role of the connection, which has every privilege. */
function asSuperuser(text: string): Promise<unknown> {
  return auth.context.db.transaction(async (tx) => {
    await tx.query({ text: 'set local role none' });
    await tx.query({ text });
  });
}
