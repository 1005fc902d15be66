import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestAuth, signUpOf, type TestAuth } from '../../../test/open-test-auth.ts';

let auth: TestAuth;
let ada: { id: string; userId: bigint };
let bob: { id: string; userId: bigint };
let root: { id: string; userId: bigint };

beforeAll(async () => {
  auth = await openTestAuth();
  [ada, bob, root] = await Promise.all([
    signUp('ada@example.com'),
    signUp('bob@example.com'),
    signUp('root@example.com'),
  ]);
  await auth.context.db.query({
    text: `update accounts set email_verified_at = now(), role = 'ADMIN' where email = 'root@example.com'`,
  });
});
afterAll(() => auth[Symbol.asyncDispose]());

const notAllowed = { code: 'permission_denied', reason: 'not_allowed' };

describe('an account', () => {
  test('finds itself by number and by any spelling of its address', async () => {
    for (const account of [userId(ada.userId), email(' ADA@example.com')]) {
      const found = await auth.client.findAccount({ actorId: ada.id, account });
      expect(found.account).toMatchObject({ id: ada.id, email: 'ada@example.com' });
    }
  });

  test.each([
    ['another', () => userId(bob.userId)],
    ['none', () => userId(999_999n)],
    ['a number beyond all', () => userId(2n ** 63n - 1n)],
    ['another by address', () => email('bob@example.com')],
    ['none by address', () => email('nobody@example.com')],
    ['what is no address', () => email('no address')],
    ['nothing', () => undefined],
  ])('is refused %s with the same answer as any other', async (_, name) => {
    const asked = { actorId: ada.id, account: name() };
    await expect(auth.client.findAccount(asked)).rejects.toMatchObject({ ...notAllowed, message: 'Not allowed' });
    await expect(auth.client.updateAccount(asked)).rejects.toMatchObject({ ...notAllowed, message: 'Not authorized' });
    await expect(auth.client.deleteAccount(asked)).rejects.toMatchObject({ ...notAllowed, message: 'Not authorized' });
  });

  test('that is deleted may do nothing', async () => {
    const gone = await signUp('gone@example.com');
    await auth.client.deleteAccount({ actorId: gone.id, account: userId(gone.userId) });
    const callerGone = { code: 'unauthenticated', reason: 'caller_gone', message: 'User not found' };
    for (const actorId of [gone.id, '', 'x']) {
      const account = userId(gone.userId);
      await expect(auth.client.findAccount({ actorId, account })).rejects.toMatchObject(callerGone);
      await expect(auth.client.listActions({ actorId })).rejects.toMatchObject(callerGone);
      await expect(auth.client.listAccounts({ actorId })).rejects.toMatchObject(callerGone);
    }
    await expect(auth.client.deleteAccount({ actorId: gone.id, account: userId(gone.userId) })).rejects.toMatchObject(
      callerGone,
    );
  });

  test('changes what is given and nothing else', async () => {
    const account = userId(bob.userId);
    const before = (await auth.client.findAccount({ actorId: bob.id, account })).account;
    const { account: after } = await auth.client.updateAccount({
      actorId: bob.id,
      account,
      firstName: 'Robert',
      onboardingCompleted: true,
    });
    expect(after).toMatchObject({ firstName: 'Robert', lastName: 'Lovelace', onboardingCompleted: true, role: 'USER' });
    expect(after?.email).toBe(before?.email);
    expect(after?.username).toBeUndefined();
  });

  test('refuses changes that cannot be stored', async () => {
    const change = { actorId: bob.id, account: userId(bob.userId), username: 'x'.repeat(257) };
    await expect(auth.client.updateAccount(change)).rejects.toMatchObject({ reason: 'text_invalid' });
  });

  test('that is not an admin gets no list', async () => {
    for (const actorId of [ada.id, bob.id]) {
      const refused = { reason: 'not_enough_permissions', message: 'Not enough permissions' };
      await expect(auth.client.listAccounts({ actorId, page: 1, size: 10 })).rejects.toMatchObject(refused);
    }
  });
});

describe('an admin', () => {
  test('finds, changes and deletes others, and is told which do not exist', async () => {
    const other = await signUp('other@example.com');
    const asked = { actorId: root.id, account: userId(other.userId) };
    expect((await auth.client.findAccount(asked)).account?.id).toBe(other.id);
    expect((await auth.client.updateAccount({ ...asked, lastName: 'New' })).account?.lastName).toBe('New');
    await auth.client.deleteAccount(asked);
    for (const account of [asked.account, email('nobody@example.com'), email('no address')]) {
      const refused = { code: 'not_found', message: 'User not found' };
      await expect(auth.client.findAccount({ actorId: root.id, account })).rejects.toMatchObject(refused);
      await expect(auth.client.deleteAccount({ actorId: root.id, account })).rejects.toMatchObject(refused);
    }
  });

  test('pages through all accounts in order, each once', async () => {
    const { total } = await auth.client.listAccounts({ actorId: root.id, page: 1, size: 1 });
    const seen: bigint[] = [];
    for (let page = 1; page <= Number(total) + 1; page++) {
      const { accounts } = await auth.client.listAccounts({ actorId: root.id, page, size: 1 });
      seen.push(...accounts.map((account) => account.userId));
    }
    expect(seen).toHaveLength(Number(total));
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => Number(a - b)));
  });

  test('goes on behind an account also after others before it were deleted', async () => {
    const [first, second, third] = [
      await signUp('1@example.com'),
      await signUp('2@example.com'),
      await signUp('3@example.com'),
    ];
    await auth.client.deleteAccount({ actorId: root.id, account: userId(first.userId) });
    const behind = (afterUserId: bigint) =>
      auth.client.listAccounts({ actorId: root.id, page: 2, size: 1, afterUserId });
    expect(await behind(first.userId)).toMatchObject({ accounts: [{ userId: second.userId }], more: true });
    expect(await behind(second.userId)).toMatchObject({ accounts: [{ userId: third.userId }], more: false });
    expect(await behind(third.userId)).toMatchObject({ accounts: [], more: false });
  });

  test('gets an empty page beyond the last, however far', async () => {
    const { accounts } = await auth.client.listAccounts({ actorId: root.id, page: 4_294_967_295, size: 100 });
    expect(accounts).toEqual([]);
  });
});

async function signUp(address: string): Promise<{ id: string; userId: bigint }> {
  const { account } = await auth.client.signUp(signUpOf(address));
  if (account === undefined) throw new Error('no account');
  return account;
}

function userId(value: bigint) {
  return { name: { case: 'userId', value } } as const;
}

function email(value: string) {
  return { name: { case: 'email', value } } as const;
}
