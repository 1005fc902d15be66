import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { fromBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestAuth, signUpOf, type TestAuth } from '../../../test/open-test-auth.ts';

let auth: TestAuth;
beforeAll(async () => {
  auth = await openTestAuth();
});
beforeEach(async () => {
  await auth.context.db.query({ text: 'delete from outbox' });
});
afterAll(() => auth[Symbol.asyncDispose]());

describe('a deleted account', () => {
  test('is gone, and its row in the outbox is the AccountDeleted fact', async () => {
    const id = await signUp('gone@example.com');
    await auth.client.deleteAccount({ id: id.toUpperCase() });
    expect(await announced()).toEqual([{ subject: 'agentmesh.auth.v1.account_deleted', accountId: id }]);
    await expect(auth.client.getAccount({ id })).rejects.toMatchObject({ reason: 'account_not_found' });
    await expect(auth.client.signIn(signUpOf('gone@example.com'))).rejects.toMatchObject({
      reason: 'invalid_credentials',
    });
  });

  test('is announced once, also when it is deleted several times at once', async () => {
    const id = await signUp('once@example.com');
    await Promise.all([1, 2, 3, 4].map(() => auth.client.deleteAccount({ id })));
    await auth.client.deleteAccount({ id });
    expect(await announced()).toHaveLength(1);
  });

  test('never gives its ids to a new account with its address', async () => {
    const first = (await auth.client.signUp(signUpOf('again@example.com'))).account;
    await auth.client.deleteAccount({ id: first?.id ?? '' });
    const second = (await auth.client.signUp(signUpOf('again@example.com'))).account;
    expect(second?.id).not.toBe(first?.id);
    expect(second?.userId).not.toBe(first?.userId);
  });

  test.each(['', 'x', '\0', '00000000-0000-4000-8000-000000000000'])(
    'that never existed, %j, is no error and no fact',
    async (id) => {
      await auth.client.deleteAccount({ id });
      expect(await announced()).toEqual([]);
    },
  );
});

async function signUp(email: string): Promise<string> {
  const { account } = await auth.client.signUp(signUpOf(email));
  return account?.id ?? '';
}

async function announced(): Promise<object[]> {
  const rows = await auth.context.db.query<{ subject: string; payload: Buffer }>({
    text: 'select subject, payload from outbox',
  });
  return rows.map(({ subject, payload }) => ({
    subject,
    accountId: fromBinary(AccountDeletedSchema, payload).accountId,
  }));
}
