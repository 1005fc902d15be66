import { DeviceSignInState } from '@agentmesh/proto/auth/v1';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPersonalToken } from '../src/rpc/tokens/add-personal-token.ts';
import { lockAccount } from '../src/store/accounts.ts';
import { deleteDeviceSignIn, pollDeviceSignIn } from '../src/store/device-sign-ins.ts';
import { hashDeviceCode } from '../src/tokens/device-codes.ts';
import { clientOf, signUpOf } from './open-test-auth.ts';
import { openTestMail, type TestMail } from './open-test-mail.ts';

let mail: TestMail;
let client: TestMail['client'];
/** The same accounts where verification is not required. */
let lax: TestMail['client'];
let people = 0;

beforeAll(async () => {
  mail = await openTestMail();
  ({ client } = mail);
  lax = clientOf(mail.auth.contextWith({ SMTP_URL: mail.sink.url, MAIL_FROM: 'mesh@example.org' }));
});
afterAll(() => mail[Symbol.asyncDispose]());

const wanted = { name: 'ci', scopes: ['runs:write'], lifeSeconds: 600n };
const newPassword = 'a new password of mine';
const expired = { state: DeviceSignInState.EXPIRED, secret: '' };

/** An account that somebody who knows its password has signed in to. */
async function person() {
  people += 1;
  const email = `person-${people}@example.com`;
  await lax.signUp(signUpOf(email));
  const { accessToken } = await lax.signIn({ email, password: signUpOf('').password });
  const { uid: accountId, sid: signInId } = decodeJwt<{ uid: string; sid: string }>(accessToken);
  await mail.allSent();
  return { email, accountId, signInId };
}

/** A program that waits, as `decideDeviceSignIn` and `claimDeviceToken` name it. */
async function program() {
  const { deviceCode, userCode } = await client.startDeviceSignIn({ client: 'cli', scopes: ['runs:write'] });
  return { deviceCode, userCode };
}

async function approvedProgram(accountId: string) {
  const { deviceCode, userCode } = await program();
  await client.decideDeviceSignIn({ accountId, userCode, isApproved: true });
  return deviceCode;
}

async function verifyToken(email: string): Promise<string> {
  await lax.resendVerification({ email });
  const [sent] = await mail.allSent();
  return /verify-email\?token=([\w-]+)/.exec(sent?.text ?? '')?.[1] ?? '';
}

const tokensOf = async (accountId: string) => (await client.listPersonalTokens({ accountId })).tokens;

async function untilWaiting(number: number): Promise<void> {
  const text =
    'select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()';
  const waiting = async () => (await mail.context.db.query({ text })).length;
  await expect.poll(waiting, { timeout: 10_000, interval: 10 }).toBe(number);
}

/** Begins the calls one after another while the account is locked, each when the one before waits for it, and then lets them go on. */
async function queued<T>(accountId: string, calls: readonly (() => Promise<T>)[]) {
  const { db } = mail.context;
  const begun: Promise<PromiseSettledResult<T>[]>[] = [];
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    for (const call of calls) {
      begun.push(Promise.allSettled([call()]));
      await untilWaiting(begun.length);
    }
  });
  return (await Promise.all(begun)).flat();
}

describe('a program that was approved before and fetches its token later gets none', () => {
  test('after a reset of the password', async () => {
    const { email, accountId } = await person();
    const deviceCode = await approvedProgram(accountId);
    await client.resetPassword({ token: await mail.resetToken(email), newPassword });
    expect(await client.claimDeviceToken({ deviceCode })).toMatchObject(expired);
    expect(await tokensOf(accountId)).toEqual([]);
  });

  test('after the owner of the address has proven it', async () => {
    const { email, accountId } = await person();
    const deviceCode = await approvedProgram(accountId);
    await client.verifyEmail({ token: await verifyToken(email) });
    expect(await client.claimDeviceToken({ deviceCode })).toMatchObject(expired);
    expect(await tokensOf(accountId)).toEqual([]);
  });

  test('after the end of all sign-ins with their tokens, or of all tokens', async () => {
    const { accountId } = await person();
    const programs = [await approvedProgram(accountId), await approvedProgram(accountId)];
    await client.endSignIns({ accountId, tokens: true });
    programs.push(await approvedProgram(accountId));
    await client.revokePersonalTokens({ accountId });
    for (const deviceCode of programs) expect(await client.claimDeviceToken({ deviceCode })).toMatchObject(expired);
    expect(await tokensOf(accountId)).toEqual([]);
  });

  test('after a reset that it has waited for', async () => {
    const { email, accountId } = await person();
    const deviceCode = await approvedProgram(accountId);
    const token = await mail.resetToken(email);
    const outcomes = await queued<object>(accountId, [
      () => client.resetPassword({ token, newPassword }),
      () => client.claimDeviceToken({ deviceCode }),
    ]);
    expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled', value: expired }]);
    expect(await tokensOf(accountId)).toEqual([]);
  });
});

test('a program that fetches its token before a reset that waits for it loses it', async () => {
  const { email, accountId } = await person();
  const deviceCode = await approvedProgram(accountId);
  const token = await mail.resetToken(email);
  const [claimed, reset] = await queued<object>(accountId, [
    () => client.claimDeviceToken({ deviceCode }),
    () => client.resetPassword({ token, newPassword }),
  ]);
  expect([claimed, reset]).toMatchObject([
    { status: 'fulfilled', value: { state: DeviceSignInState.APPROVED } },
    { status: 'fulfilled' },
  ]);
  expect(await tokensOf(accountId)).toEqual([]);
});

describe('beside a program that fetches its token at a process of the release before, which locks the approval first,', () => {
  /** Fetches a token in that order, and begins `call` between the two locks. Answers the outcome of `call`. */
  async function claimBefore<T>(accountId: string, call: () => Promise<T>) {
    const deviceHash = hashDeviceCode(await approvedProgram(accountId));
    const { db, jobs } = mail.context;
    const begun = Promise.withResolvers<Promise<T>>();
    const claim = db.transaction(async (tx) => {
      await pollDeviceSignIn(tx, deviceHash, 0);
      await deleteDeviceSignIn(tx, deviceHash);
      begun.resolve(call());
      await untilWaiting(1);
      await lockAccount(tx, accountId);
      await addPersonalToken(tx, jobs, { ...wanted, accountId, userId: undefined, lifeSeconds: 600 });
    });
    const [outcome] = await Promise.allSettled([begun.promise, claim]);
    return outcome;
  }

  test.each([
    {
      name: 'a reset of the password',
      prepare: async ({ email }: { email: string }) => {
        const token = await mail.resetToken(email);
        return () => client.resetPassword({ token, newPassword });
      },
    },
    {
      name: 'the first proof of the address',
      prepare: async ({ email }: { email: string }) => {
        const token = await verifyToken(email);
        return () => client.verifyEmail({ token });
      },
    },
    {
      name: 'the end of all sign-ins with their tokens',
      prepare: async ({ accountId }: { accountId: string }) => {
        return () => client.endSignIns({ accountId, tokens: true });
      },
    },
  ])('$name succeeds, and ends that token', async ({ prepare }) => {
    const owner = await person();
    const call = await prepare(owner);
    expect(await claimBefore<object>(owner.accountId, call)).toMatchObject({ status: 'fulfilled' });
    expect(await tokensOf(owner.accountId)).toEqual([]);
  });
});

test('the end of the sign-ins, or of the tokens of one end user, leaves programs that were approved', async () => {
  const { accountId } = await person();
  const deviceCode = await approvedProgram(accountId);
  await client.endSignIns({ accountId });
  await client.revokePersonalTokens({ accountId, userId: 'u1' });
  expect(await client.claimDeviceToken({ deviceCode })).toMatchObject({ state: DeviceSignInState.APPROVED });
});

const revoked = { code: 'unauthenticated', reason: 'session_revoked' };

describe('a caller who was let in before a reset of the password, and acts after it,', () => {
  test('makes no token', async () => {
    const { email, accountId, signInId } = await person();
    const issuedAt = timestampFromMs(Date.now());
    const token = await mail.resetToken(email);
    const outcomes = await queued<object>(accountId, [
      () => client.resetPassword({ token, newPassword }),
      () => client.createPersonalToken({ ...wanted, accountId, signInId }),
      () => client.createPersonalToken({ ...wanted, accountId, issuedAt }),
    ]);
    const refused = { status: 'rejected', reason: revoked };
    expect(outcomes).toMatchObject([{ status: 'fulfilled' }, refused, refused]);
    expect(await tokensOf(accountId)).toEqual([]);
  });

  test('approves no program', async () => {
    const { email, accountId, signInId } = await person();
    const { deviceCode, userCode } = await program();
    const token = await mail.resetToken(email);
    const outcomes = await queued<object>(accountId, [
      () => client.resetPassword({ token, newPassword }),
      () => client.decideDeviceSignIn({ accountId, signInId, userCode, isApproved: true }),
    ]);
    expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: revoked }]);
    expect(await client.claimDeviceToken({ deviceCode })).toMatchObject({ state: DeviceSignInState.PENDING });
  });
});

test('a token is made for a sign-in that has not ended, and for an access token that was issued since all have', async () => {
  const { accountId, signInId } = await person();
  const make = (caller: object) => client.createPersonalToken({ ...wanted, accountId, ...caller });
  await make({ issuedAt: timestampFromMs(0) });
  await client.endSignIns({ accountId, exceptId: signInId });
  await make({ signInId });
  await make({ signInId, issuedAt: timestampFromMs(0) });
  await make({ issuedAt: timestampFromMs(Date.now() + 1_000) });
  await expect(make({ issuedAt: timestampFromMs(0) })).rejects.toMatchObject(revoked);
  await client.endSignIn({ accountId, id: signInId });
  for (const id of [signInId, accountId, 'x']) {
    await expect(make({ signInId: id, issuedAt: timestampFromMs(Date.now() + 1_000) })).rejects.toMatchObject(revoked);
  }
  // An earlier gateway names neither.
  await make({});
  expect(await tokensOf(accountId)).toHaveLength(5);
});
