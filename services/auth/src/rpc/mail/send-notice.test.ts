import { randomUUID } from 'node:crypto';
import { NoticeKind } from '@agentmesh/proto/auth/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
