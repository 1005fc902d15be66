import { randomUUID } from 'node:crypto';
import { NoticeKind } from '@agentmesh/proto/auth/v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SmtpSink, startSmtpSink } from '../../../../../test/fakes/smtp-sink.ts';
import { clientOf, openTestAuth, signUpOf, type TestAuth } from '../../../test/open-test-auth.ts';
import type { Context } from '../../context.ts';
import { noticeSender } from '../../jobs/send-notice.ts';
import { sendNotice } from '../../mail/send-notice.ts';

const resources = new AsyncDisposableStack();
let context: Context;
let client: TestAuth['client'];
let sink: SmtpSink;
beforeAll(async () => {
  const auth = resources.use(await openTestAuth());
  sink = resources.use(await startSmtpSink());
  const mail = { SMTP_URL: sink.url, MAIL_FROM: 'mesh@example.org', APP_PUBLIC_URL: 'https://app.example.org' };
  context = auth.contextWith(mail);
  client = clientOf(context);
});
afterAll(() => resources.disposeAsync());

const kind = NoticeKind.SUBSCRIPTION_FAILING;
const sendDue = () => context.jobs.drain(sendNotice, noticeSender(context));

test('a notice goes to the account once in six hours, with a fixed text', async () => {
  const { account } = await client.signUp(signUpOf('notice@example.com'));
  const accountId = account?.id ?? '';
  await client.sendNotice({ accountId, kind });
  await client.sendNotice({ accountId, kind });
  await sendDue();
  expect(sink.mails).toHaveLength(1);
  const { text = '', subject } = sink.mails[0] ?? expect.fail('no mail left');
  expect(subject).toBe('A subscription to your mailbox could not be renewed');
  expect(text).toContain('https://app.example.org');
});

describe('an account with a proven address', () => {
  const scopes = ['runs:write'];
  const subjects = async (work: () => Promise<unknown>) => {
    const before = sink.mails.length;
    await work();
    await sendDue();
    return sink.mails.slice(before).map(({ subject, recipients }) => [subject, ...recipients]);
  };
  const proven = async (email: string) => {
    const { account } = await client.signUp(signUpOf(email));
    await context.db.query({ text: 'update accounts set email_verified_at = now() where email = $1' }, [email]);
    return account?.id ?? '';
  };

  test('is told of each personal token, at most five times in an hour', async () => {
    const accountId = await proven('told@example.com');
    const create = () => client.createPersonalToken({ accountId, name: 'x', scopes, lifeSeconds: 60n });
    const created = ['A personal token was created for your account', 'told@example.com'];
    expect(await subjects(create)).toEqual([created]);
    expect(await subjects(() => Promise.all(Array.from({ length: 9 }, create)))).toHaveLength(4);
  });

  test('is told once a day of tokens that are bound to end users', async () => {
    const accountId = await proven('backend@example.com');
    const create = (userId: string) =>
      client.createPersonalToken({ accountId, userId, name: 'x', scopes, lifeSeconds: 60n });
    expect(await subjects(async () => [await create('u1'), await create('u2')])).toHaveLength(1);
  });

  test('is told of its deletion', async () => {
    const id = await proven('deleted@example.com');
    expect(await subjects(() => client.deleteAccount({ id }))).toEqual([
      ['Your account was deleted', 'deleted@example.com'],
    ]);
    const left = { text: `select 1 from auth_jobs.job where data::text like '%deleted@%'` };
    expect(await context.db.query(left)).toEqual([]);
  });

  test('nobody is told at an address that is not proven', async () => {
    const { account } = await client.signUp(signUpOf('stranger@example.com'));
    const accountId = account?.id ?? '';
    const work = async () => {
      await client.createPersonalToken({ accountId, name: 'x', scopes, lifeSeconds: 60n });
      await client.deleteAccount({ id: accountId });
    };
    expect(await subjects(work)).toEqual([]);
  });
});

test('no notice is sent to an account that does not exist or was deleted', async () => {
  const before = sink.mails.length;
  await client.sendNotice({ accountId: randomUUID(), kind });
  const { account } = await client.signUp(signUpOf('gone@example.com'));
  const id = account?.id ?? '';
  await client.sendNotice({ accountId: id, kind });
  await client.deleteAccount({ id });
  await sendDue();
  expect(sink.mails).toHaveLength(before);
  expect(await context.db.query({ text: `select 1 from notices where account_id = '${id}'` })).toEqual([]);
});
