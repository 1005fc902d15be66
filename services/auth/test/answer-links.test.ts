import { randomUUID } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { RunWaitSchema } from '@agentmesh/proto/auth/v1';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SmtpSink, startSmtpSink, tokenIn } from '../../../test/fakes/smtp-sink.ts';
import { sendAnswerLink } from '../src/answer-links/send-answer-link.ts';
import type { Context } from '../src/context.ts';
import { answerLinkSender } from '../src/jobs/send-answer-link.ts';
import { clientOf, openTestAuth, signUpOf, type TestAuth } from './open-test-auth.ts';

const resources = new AsyncDisposableStack();
let auth: TestAuth;
let context: Context;
let client: TestAuth['client'];
let sink: SmtpSink;
beforeAll(async () => {
  auth = resources.use(await openTestAuth());
  sink = resources.use(await startSmtpSink());
  const addresses = { PUBLIC_BASE_URL: 'https://api.example.org/', APP_PUBLIC_URL: 'https://app.example.org' };
  context = auth.contextWith({ SMTP_URL: sink.url, MAIL_FROM: 'mesh@example.org', ...addresses });
  client = clientOf(context);
});
afterAll(() => resources.disposeAsync());

const missing = { code: 'not_found', reason: 'answer_link_not_found' };

function waitOf(over: MessageInitShape<typeof RunWaitSchema> = {}) {
  const calls = [{ id: 'adk-1', tool: 'transfer', isApproval: true }];
  const names = { appName: 'bank', userId: 'u1', sessionId: 's1', invocationId: `e-${randomUUID()}` };
  return create(RunWaitSchema, { ...names, attempt: 1, calls, ...over });
}

async function accountOf(email: string, isProven = true): Promise<string> {
  const { account } = await client.signUp(signUpOf(email));
  if (isProven)
    await context.db.query({ text: 'update accounts set email_verified_at = now() where email = $1' }, [email]);
  return account?.id ?? '';
}

/** The mails that are sent now. */
async function sent(): Promise<SmtpSink['mails']> {
  const before = sink.mails.length;
  await context.jobs.drain(sendAnswerLink, answerLinkSender(context));
  return sink.mails.slice(before);
}

async function linkOf(email: string) {
  const accountId = await accountOf(email);
  const wait = waitOf();
  await client.sendAnswerLink({ accountId, wait });
  const [mail] = await sent();
  return { accountId, wait, token: tokenIn(mail ?? expect.fail('no mail left')) };
}

describe('the mail about a wait', () => {
  test('is sent once to the proven address, whoever asks how often', async () => {
    const accountId = await accountOf('asked@example.com');
    const wait = waitOf();
    await Promise.all([1, 2, 3].map(() => client.sendAnswerLink({ accountId, wait })));
    const [mail, ...others] = await sent();
    expect(others).toEqual([]);
    expect(mail?.recipients).toEqual(['asked@example.com']);
    expect(mail?.text).toContain(`https://api.example.org/run-answers?token=${tokenIn(mail ?? {})}`);
    expect(mail?.text).toContain('approval of a call of transfer');
    await client.sendAnswerLink({ accountId, wait });
    expect(await sent()).toEqual([]);
    await client.sendAnswerLink({ accountId, wait: { ...wait, attempt: 2 } });
    expect(await sent()).toHaveLength(1);
  });

  test('is not sent again when the server may have it', async () => {
    const accountId = await accountOf('hang@example.com');
    const wait = waitOf();
    await client.sendAnswerLink({ accountId, wait });
    await context.db.query({
      text: `insert into mail_tokens (account_id, mail_id, kind, token_hash, expires_at, handing_over_at)
        select '${accountId}', id, 'answer', '\\x00', now(), now() from auth_jobs.job where data->>'accountId' = '${accountId}'`,
    });
    expect(await sent()).toEqual([]);
  });

  test('does not go to an address that is not proven, to nobody, nor more than 30 times in an hour', async () => {
    const stranger = await accountOf('stranger@example.com', false);
    for (const accountId of [stranger, randomUUID()]) await client.sendAnswerLink({ accountId, wait: waitOf() });
    expect(await sent()).toEqual([]);
    const accountId = await accountOf('flooded@example.com');
    await Promise.all(Array.from({ length: 33 }, () => client.sendAnswerLink({ accountId, wait: waitOf() })));
    expect(await sent()).toHaveLength(30);
  });

  test('holds no sentence, link or markup that a user or a model has chosen', async () => {
    const accountId = await accountOf('phished@example.com');
    const evil = 'Your account <b>ends</b>: https://evil.example/\r\nBcc: a@b.example';
    const calls = Array.from({ length: 7 }, () => ({ id: 'x', tool: evil }));
    await client.sendAnswerLink({ accountId, wait: waitOf({ appName: evil, sessionId: evil, calls }) });
    const [mail] = await sent();
    const all = `${mail?.text} ${mail?.html} ${mail?.subject}`;
    expect(all).not.toMatch(/evil\.example|Your account|<b>|b\.example/);
    expect(mail?.recipients).toEqual(['phished@example.com']);
    expect(mail?.text).toContain('and 2 more');
  });

  test.each([
    ['without calls', { calls: [] }],
    ['with NUL', { sessionId: 'a\0' }],
    ['that is too large', { calls: [{ id: 'x'.repeat(70_000), tool: 't' }] }],
  ])('is refused for a wait %s', async (_, over) => {
    const refused = { code: 'invalid_argument', reason: 'request_invalid' };
    await expect(client.sendAnswerLink({ accountId: randomUUID(), wait: waitOf(over) })).rejects.toMatchObject(refused);
  });
});

describe('the token of a link', () => {
  test('names its account and its wait, and is stored as a hash only', async () => {
    const { accountId, wait, token } = await linkOf('token@example.com');
    expect(await client.findAnswerLink({ token })).toMatchObject({ accountId, wait, isExpired: false });
    const rows = await context.db.query<{ json: string }>({
      text: 'select to_json(t)::text as json from mail_tokens t',
    });
    expect(rows.map(({ json }) => json).join('\n')).not.toContain(token);
    expect(auth.logged.join('\n')).not.toContain(token);
  });

  test('that was changed in any way is refused', async () => {
    const { token } = await linkOf('forged@example.com');
    const flipped = fc
      .tuple(fc.nat(token.length - 1), fc.integer({ min: 1, max: 127 }))
      .map(([at, bits]) => token.slice(0, at) + String.fromCharCode(token.charCodeAt(at) ^ bits) + token.slice(at + 1));
    const other = fc.oneof(flipped, fc.string(), fc.constantFrom('', `${token}A`, token.slice(1), `${token}\0`));
    const isRefused = async (text: string): Promise<void> => {
      await expect(client.findAnswerLink({ token: text })).rejects.toMatchObject(missing);
    };
    await fc.assert(
      fc.asyncProperty(
        other.filter((text) => text !== token),
        isRefused,
      ),
      { numRuns: 200 },
    );
  });

  test('opens nothing else, and tokens of other mails do not answer', async () => {
    const { token } = await linkOf('purpose@example.com');
    const kind = { reason: 'mail_token_kind' };
    await expect(client.resetPassword({ token, newPassword: 'correct horse battery' })).rejects.toMatchObject(kind);
    await expect(client.verifyEmail({ token })).rejects.toMatchObject(kind);
    await context.db.query({ text: `update mail_tokens set kind = 'reset' where kind = 'answer'` });
    await expect(client.findAnswerLink({ token })).rejects.toMatchObject(missing);
  });

  test('expires', async () => {
    const { token } = await linkOf('late@example.com');
    await context.db.query({ text: `update mail_tokens set expires_at = now() where kind = 'answer'` });
    expect(await client.findAnswerLink({ token })).toMatchObject({ isExpired: true });
  });

  test('is dead, and nothing of it is left, when its account is deleted; a mail that waits does not leave', async () => {
    const { accountId, token } = await linkOf('gone@example.com');
    await client.sendAnswerLink({ accountId, wait: waitOf() });
    await client.deleteAccount({ id: accountId });
    expect(await sent()).toEqual([]);
    await expect(client.findAnswerLink({ token })).rejects.toMatchObject(missing);
    const rows = { text: `select 1 from mail_tokens where account_id = $1 and kind = 'answer'` };
    expect(await context.db.query(rows, [accountId])).toEqual([]);
  });
});
