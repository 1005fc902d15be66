import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clientOf, openTestAuth, signUpOf, type TestAuth } from '../../../test/open-test-auth.ts';

let auth: TestAuth;
let people = 0;
let person: ReturnType<typeof signUpOf>;
let accountId: string;
beforeAll(async () => {
  auth = await openTestAuth();
});
beforeEach(async () => {
  people += 1;
  person = signUpOf(`person-${people}@example.com`);
  accountId = (await auth.client.signUp(person)).account?.id ?? '';
});
afterAll(() => auth[Symbol.asyncDispose]());

async function signIn(userAgent = 'curl', address = '192.0.2.7') {
  const answer = await auth.client.signIn({ ...person, device: { userAgent, address } });
  return { id: String(decodeJwt(answer.accessToken).sid), refreshToken: answer.refreshToken?.value ?? '' };
}

const idsOf = async () => (await auth.client.listSignIns({ accountId })).signIns.map(({ id }) => id);
const stands = async (signInId: string) => (await auth.client.getStanding({ accountId, signInId })).signInStands;

describe('the sign-ins of an account', () => {
  test('are listed with where they are used from, the last used first', async () => {
    const [first, second] = [await signIn('Firefox'), await signIn('curl', '2001:db8::1')];
    expect(await idsOf()).toEqual([second.id, first.id]);
    const device = { userAgent: 'Firefox on a phone', address: '198.51.100.1' };
    await auth.client.refresh({ refreshToken: first.refreshToken, device });
    const { signIns } = await auth.client.listSignIns({ accountId });
    expect(signIns).toMatchObject([
      { id: first.id, device },
      { id: second.id, device: { userAgent: 'curl', address: '2001:db8::1' } },
    ]);
    const [newest] = signIns;
    expect(newest?.lastUsedAt?.seconds).toBeGreaterThanOrEqual(newest?.createdAt?.seconds ?? 0n);
    expect((newest?.expiresAt?.seconds ?? 0n) - (newest?.lastUsedAt?.seconds ?? 0n)).toBe(2_592_000n);
  });

  test('keep a user agent of any kind', async () => {
    await signIn(`${'ä'.repeat(600)}\0\n`, '\0');
    const { signIns } = await auth.client.listSignIns({ accountId });
    expect(signIns).toMatchObject([{ device: { userAgent: 'ä'.repeat(512), address: ' ' } }]);
  });

  test('end one by one, once', async () => {
    const [first, second] = [await signIn(), await signIn()];
    await auth.client.endSignIn({ accountId, id: first.id });
    expect(await idsOf()).toEqual([second.id]);
    expect([await stands(first.id), await stands(second.id)]).toEqual([false, true]);
    const missing = { code: 'not_found', reason: 'sign_in_not_found' };
    await expect(auth.client.endSignIn({ accountId, id: first.id })).rejects.toMatchObject(missing);
    await expect(auth.client.endSignIn({ accountId, id: 'x' })).rejects.toMatchObject(missing);
  });

  test('are at most 200, also when 30 come at once: first ended ones make room, then those that were not used for longest', async () => {
    const { db } = auth.context;
    const [unused, ended] = [await signIn(), await signIn()];
    await auth.client.endSignIn({ accountId, id: ended.id });
    const text = `insert into sign_ins (account_id, family_hash, current_hash, generation, user_agent, address, expires_at)
      select $1::uuid, sha256(convert_to($1::text || n, 'UTF8')), 'x', 0, '', '', now() + interval '1 day' from generate_series(1, 198) n`;
    await db.query({ text }, [accountId]);
    const counted = async () => {
      const count = { text: 'select id, ended_at is not null as ended from sign_ins where account_id = $1' };
      return db.query<{ id: string; ended: boolean }>(count, [accountId]);
    };
    const [{ xid } = { xid: 0n }] = await db.query<{ xid: bigint }>({ text: 'select txid_current() as xid' });
    await signIn();
    expect((await counted()).filter((row) => row.ended)).toEqual([]);
    expect(await stands(unused.id)).toBe(true);
    await Promise.all(Array.from({ length: 30 }, () => signIn()));
    expect(await counted()).toHaveLength(200);
    expect(await stands(unused.id)).toBe(false);
    const told = { text: 'select from account_changes where account_id = $1 and xid > $2::bigint' };
    expect((await db.query(told, [accountId, xid])).length).toBe(30);
    expect(await idsOf()).toHaveLength(200);
  });

  test('cannot be ended by another account', async () => {
    const { id } = await signIn();
    const other = (await auth.client.signUp(signUpOf(`other-${people}@example.com`))).account?.id ?? '';
    await expect(auth.client.endSignIn({ accountId: other, id })).rejects.toMatchObject({ code: 'not_found' });
    expect(await stands(id)).toBe(true);
    expect((await auth.client.getStanding({ accountId: other, signInId: id })).signInStands).toBe(false);
  });

  test('end all at once, and later ones begin', async () => {
    const [first, second] = [await signIn(), await signIn()];
    await auth.client.endSignIns({ accountId });
    expect(await idsOf()).toEqual([]);
    expect([await stands(first.id), await stands(second.id)]).toEqual([false, false]);
    await expect(auth.client.refresh({ refreshToken: first.refreshToken })).rejects.toMatchObject({
      message: 'Session revoked',
    });
    expect(await stands((await signIn()).id)).toBe(true);
  });

  test('end all but one, which goes on, and ended ones stay ended', async () => {
    const [ended, other, kept] = [await signIn(), await signIn(), await signIn()];
    await auth.client.endSignIn({ accountId, id: ended.id });
    await auth.client.endSignIns({ accountId, exceptId: kept.id });
    expect(await idsOf()).toEqual([kept.id]);
    await auth.client.endSignIns({ accountId, exceptId: other.id });
    expect(await idsOf()).toEqual([]);
  });

  test('never begin with a password that changed while it was checked', async () => {
    const { passwords, db } = auth.context;
    const changing = clientOf({
      ...auth.context,
      passwords: {
        ...passwords,
        verify: async (password, stored, signal) => {
          const verdict = await passwords.verify(password, stored, signal);
          const hash = await passwords.hash('another horse battery');
          await db.query({ text: 'update accounts set password_hash = $2 where id = $1' }, [accountId, hash]);
          return verdict;
        },
      },
    });
    await expect(changing.signIn(person)).rejects.toMatchObject({ reason: 'invalid_credentials' });
    expect(await idsOf()).toEqual([]);
  });
});

describe('a standing', () => {
  test('says from which time tokens without a sign-in are valid', async () => {
    expect((await auth.client.getStanding({ accountId })).signInsValidFrom).toBeUndefined();
    const before = BigInt(Math.floor(Date.now() / 1000));
    await auth.client.endSignIns({ accountId });
    const { email, role, signInStands, signInsValidFrom } = await auth.client.getStanding({ accountId });
    expect({ email, role, signInStands }).toEqual({ email: person.email, role: 'USER', signInStands: false });
    expect(signInsValidFrom?.seconds).toBeGreaterThanOrEqual(before - 1n);
  });

  test('of no account is not found', async () => {
    await expect(auth.client.getStanding({ accountId: 'x' })).rejects.toMatchObject({ reason: 'account_not_found' });
  });
});

describe('the changes of accounts', () => {
  const since = (cursor: bigint) => auth.client.listChangedAccounts({ cursor });

  test('name every account of which a token ended, and no other', async () => {
    const signedIn = [await signIn(), await signIn(), await signIn()];
    let { cursor } = await auth.client.listChangedAccounts({});
    let told: bigint[] = [];
    const named = async (change: () => Promise<unknown>): Promise<string[]> => {
      await change();
      const { accountIds, fingerprints, ...next } = await since(cursor);
      // While any transaction is open, also one of the server itself, the last change is answered again.
      const found = accountIds.filter((_, index) => !told.includes(fingerprints[index] ?? 0n));
      ({ cursor } = next);
      told = fingerprints;
      return found;
    };
    const { db } = auth.context;
    expect(await named(() => auth.client.refresh({ refreshToken: signedIn[0]?.refreshToken ?? '' }))).toEqual([]);
    expect(await named(signIn)).toEqual([]);
    expect(await named(() => auth.client.signOut({ refreshToken: signedIn[0]?.refreshToken ?? '' }))).toEqual([
      accountId,
    ]);
    expect(await named(() => auth.client.endSignIn({ accountId, id: signedIn[1]?.id ?? '' }))).toEqual([accountId]);
    expect(await named(() => auth.client.endSignIns({ accountId }))).toEqual([accountId]);
    const promote = { text: `update accounts set role = 'ADMIN' where id = $1` };
    expect(await named(() => db.query(promote, [accountId]))).toEqual([accountId]);
    expect(await named(() => auth.client.deleteAccount({ id: accountId }))).toEqual([accountId]);
    expect(await named(async () => undefined)).toEqual([]);
  });

  test('that are too many to list are answered as truncated', async () => {
    const { cursor } = await auth.client.listChangedAccounts({});
    const many = (count: number) =>
      auth.context.db.query({
        text: `insert into account_changes (account_id) select gen_random_uuid() from generate_series(1, ${count})`,
      });
    await many(5_000);
    const changes = await since(cursor);
    expect([changes.truncated, changes.accountIds.length]).toEqual([false, 5_000]);
    await many(1);
    expect(await since(cursor)).toMatchObject({ truncated: true, accountIds: [] });
    expect(await since(changes.cursor)).toMatchObject({ truncated: false });
  });

  test('are not missed when they commit after later ones', async () => {
    const other = (await auth.client.signUp(signUpOf(`later-${people}@example.com`))).account?.id ?? '';
    const { cursor: before } = await auth.client.listChangedAccounts({});
    const written = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const slow = auth.context.db.transaction(async (tx) => {
      await tx.query({ text: `update accounts set role = 'ADMIN' where id = $1` }, [accountId]);
      written.resolve();
      await finish.promise;
    });
    await written.promise;
    await auth.client.endSignIns({ accountId: other });
    const meanwhile = await since(before);
    expect(meanwhile.accountIds).toContain(other);
    expect(meanwhile.accountIds).not.toContain(accountId);
    // While the transaction is open the same change is answered again, with the same fingerprint.
    expect((await since(before)).fingerprints).toEqual(meanwhile.fingerprints);
    await auth.client.endSignIns({ accountId: other });
    expect((await since(before)).fingerprints).not.toEqual(meanwhile.fingerprints);
    finish.resolve();
    await slow;
    expect((await since(meanwhile.cursor)).accountIds).toContain(accountId);
  });
});
