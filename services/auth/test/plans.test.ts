import { randomBytes, randomUUID } from 'node:crypto';
import { comparePlans, recordStatements } from '@agentmesh/lib/pg/testing';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { hashPersonalToken } from '../src/tokens/personal-token.ts';
import { insertNotice } from '../src/store/notices.ts';
import {
  beginHandingOver,
  countRecentMails,
  findMailToken,
  upsertMailToken,
  useMailToken,
} from '../src/store/mail-tokens.ts';
import { openTestAuth, signUpOf, type TestAuth } from './open-test-auth.ts';

/** Statements that read many rows on purpose: pages of all accounts, and of what is due or has changed. */
const readsMany =
  /order by user_id offset|count\(\*\) as total from accounts|from audit where id < |take-due|where xid >= /;
/** The primary key and another index find the notices of an account equally. */
const eitherIndex = 'delete from notices where account_id = $1 returning mail_id';
/** Statements of the job queue, the outbox and the preparation of the schema. */
const ofOthers = /\b(auth_jobs|outbox|migrations|pg_notify|nextval)\b/;

test('every statement has one plan: on an empty database without statistics the same as on full, analyzed tables', async () => {
  await using auth = await openTestAuth();
  using recorded = recordStatements();
  await callEverything(auth);
  const texts = new Map([...recorded.texts].filter(([, text]) => !ofOthers.test(text)));
  await using fresh = await openTestAuth();
  const { differing, scanning } = await comparePlans({ url: fresh.databaseUrl, schema: 'auth' }, texts);
  expect(texts.size).toBeGreaterThan(30);
  const isPointLookUp = ({ name }: { name: string }) => !readsMany.test(texts.get(name) ?? '');
  expect(differing.filter(({ name }) => isPointLookUp({ name }) && name !== eitherIndex)).toEqual([]);
  expect(scanning.filter(isPointLookUp)).toEqual([]);
}, 120_000);

/** Calls every RPC and store function that sends a statement of its own. */
async function callEverything({ client, context: { db } }: TestAuth): Promise<void> {
  const person = signUpOf('ada@example.com');
  const accountId = (await client.signUp(person)).account?.id ?? '';
  await db.query({ text: "update accounts set role = 'ADMIN' where id = $1" }, [accountId]);
  const device = { userAgent: 'curl', address: '192.0.2.7' };
  const { accessToken, refreshToken } = await client.signIn({ ...person, device });
  const signInId = String(decodeJwt(accessToken).sid);
  const next = await client.refresh({ refreshToken: refreshToken?.value ?? '', device });
  await client.refresh({ refreshToken: 'unknown.unknown', device }).catch(() => undefined);
  await client.getStanding({ accountId, signInId });
  await client.listSignIns({ accountId });
  await client.endSignIn({ accountId, id: randomUUID() }).catch(() => undefined);
  await client.endSignIns({ accountId, exceptId: signInId });
  await client.signOut({ refreshToken: next.refreshToken?.value ?? '' });
  const { secret, token } = await client.createPersonalToken({
    accountId,
    name: 'ci',
    scopes: ['runs:write'],
    lifeSeconds: 60n,
  });
  await client.findPersonalToken({ hash: hashPersonalToken(secret) });
  await client.listPersonalTokens({ accountId });
  await client.listPersonalTokens({ accountId, userId: 'u', afterId: token?.id ?? '' });
  await client.revokePersonalToken({ accountId, id: token?.id ?? '' });
  await client.revokePersonalTokens({ accountId, userId: 'u' });
  await client.revokePersonalTokens({ accountId });
  const { deviceCode, userCode } = await client.startDeviceSignIn({ client: 'cli', scopes: ['runs:write'] });
  await client.findDeviceSignIn({ userCode });
  await client.decideDeviceSignIn({ accountId, userCode, isApproved: true });
  await client.claimDeviceToken({ deviceCode });
  await client.getAccount({ id: accountId });
  const actorId = accountId;
  const account = { name: { case: 'email', value: person.email } } as const;
  for (const name of [account, { name: { case: 'userId', value: 1n } } as const])
    await client.findAccount({ actorId, account: name }).catch(() => undefined);
  await client.listAccounts({ actorId, page: 1, size: 10 });
  await client.listChangedAccounts({});
  await client.updateAccount({ actorId, account, firstName: 'Ada' });
  await client.listActions({ actorId, limit: 10 });
  await client.recordExport({ accountId });
  const mail = {
    accountId,
    mailId: randomUUID(),
    kind: 'reset',
    hash: randomBytes(32),
    lifeSeconds: 60,
    attempt: 1,
  } as const;
  await upsertMailToken(db, mail);
  await beginHandingOver(db, mail);
  await countRecentMails(db, mail);
  await findMailToken(db, mail.hash);
  await useMailToken(db, mail.hash);
  await insertNotice(db, { accountId, mailId: randomUUID(), kind: 'token_created', most: 1, hours: 1, proven: false });
  await client.requestPasswordReset({ email: person.email }).catch(() => undefined);
  const { receipt } = await client.deleteAccount({ id: accountId });
  await client.getErasure({ receipt: receipt ?? '' }).catch(() => undefined);
  await client.checkErasure({ accountId });
  await client.reportErasure({ accountId, service: 'sessions', counts: {} }).catch(() => undefined);
}
