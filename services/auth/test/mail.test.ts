import { readdir, readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readMail, tokenIn } from '../../../test/fakes/smtp-sink.ts';
import type { Context } from '../src/context.ts';
import { clientOf, signUpOf } from './open-test-auth.ts';
import { openTestMail, sendDueMails, type TestMail } from './open-test-mail.ts';

let mail: TestMail;
let client: TestMail['client'];
let context: TestMail['context'];
let sink: TestMail['sink'];
beforeAll(async () => {
  mail = await openTestMail();
  ({ client, context, sink } = mail);
});
beforeEach(async () => {
  await context.db.query({ text: 'delete from auth_jobs.job' });
});
afterAll(() => mail[Symbol.asyncDispose]());

describe('a mail', () => {
  test('has text and HTML, names its account’s address alone, and leads to the front end', async () => {
    await client.signUp(signUpOf('verify-me@example.com'));
    const left = await mail.sent();
    expect(left.recipients).toEqual(['verify-me@example.com']);
    expect(left.to).toEqual([{ name: '', address: 'verify-me@example.com' }]);
    expect(left.from).toEqual({ name: 'Agent Mesh', address: 'mesh@example.org' });
    const link = `https://app.example.org/auth/verify-email?token=${tokenIn(left)}`;
    expect(left.text).toContain(link);
    expect(left.html).toContain(`href="${link}"`);
    expect(left.messageId).toMatch(/^<[0-9a-f-]{36}@example\.org>$/);
  });

  test('leaves no token and no address in the database', async () => {
    const { address, token } = await mail.resetTokenOf('clean@example.com');
    const rows = await context.db.query<{ json: string }>({
      text: `select to_json(t)::text as json from mail_tokens t union all select to_json(m)::text from auth_jobs.job m
        union all select to_json(a)::text from audit a union all select to_json(o)::text from outbox o`,
    });
    const stored = rows.map((row) => row.json).join('\n');
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(address);
    expect(mail.auth.logged.join('\n')).not.toContain(token);
  });

  test('is not sent to an address without an account, nor to verify a verified address', async () => {
    await client.requestPasswordReset({ email: 'nobody@example.com' });
    await client.resendVerification({ email: 'nobody@example.com' });
    await client.requestPasswordReset({ email: 'a@example.com, b@example.com' });
    const { address, token, proof: signUpProof } = await mail.verifyTokenOf('proven@example.com');
    await client.verifyEmail({ token, signUpProof });
    await client.resendVerification({ email: address });
    expect(await mail.allSent()).toEqual([]);
  });

  test('is not sent after five in an hour', async () => {
    await client.signUp(signUpOf('flooded@example.com'));
    await mail.allSent();
    for (let n = 0; n < 8; n++) await client.requestPasswordReset({ email: 'flooded@example.com' });
    expect(await mail.allSent()).toHaveLength(5);
  });

  test('is written as a file where no SMTP server is set', async () => {
    const plain = mail.auth.contextWith({});
    await clientOf(plain).signUp(signUpOf('file@example.com'));
    await clientOf(plain).requestPasswordReset({ email: 'file@example.com' });
    await sendDueMails(plain);
    const files = await readdir(mail.auth.outbox);
    expect(files).toHaveLength(1);
    const path = `${mail.auth.outbox}/${files[0]}`;
    const left = await readMail(await readFile(path));
    expect(left.text).toContain(`http://127.0.0.1:8000/auth/reset-password?token=${tokenIn(left)}`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(mail.auth.outbox)).mode & 0o777).toBe(0o700);
  });
});

describe('sending', () => {
  test.each([450, 452])('is tried again after %i, the same message', async (code) => {
    await client.signUp(signUpOf(`later-${code}@example.com`));
    sink.failNext(code);
    expect(await mail.allSent()).toEqual([]);
    await makeDue();
    const first = await mail.sent();
    expect(tokenIn(first)).not.toBe('');
    expect(await waiting()).toBe(0);
  });

  test('is given up after 550, its address removed', async () => {
    await client.signUp(signUpOf('refused@example.com'));
    sink.failNext(550);
    expect(await mail.allSent()).toEqual([]);
    await makeDue();
    expect(await mail.allSent()).toEqual([]);
    const [row] = await context.db.query({ text: 'select state, data from auth_jobs.job' });
    expect(row).toEqual({ state: 'cancelled', data: 'null' });
  });

  test('is given up after the last attempt', async () => {
    await client.signUp(signUpOf('bound@example.com'));
    for (let n = 0; n < 8; n++) {
      sink.failNext(451);
      await makeDue();
      await sendDueMails(context);
    }
    const [row] = await context.db.query({ text: 'select state, retry_count + 1 as attempts from auth_jobs.job' });
    expect(row).toEqual({ state: 'cancelled', attempts: 8 });
  });

  test('waits while the server is away', async () => {
    const away = mail.auth.contextWith({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'mesh@example.org' });
    await client.signUp(signUpOf('away@example.com'));
    await sendDueMails(away);
    expect(await waiting()).toBe(1);
    await makeDue();
    expect((await mail.sent()).recipients).toEqual(['away@example.com']);
  });

  test('goes out once, however many workers', async () => {
    for (let n = 0; n < 10; n++) await client.signUp(signUpOf(`many-${n}@example.com`));
    const before = sink.mails.length;
    await Promise.all([sendDueMails(context), sendDueMails(context), sendDueMails(context)]);
    const recipients = sink.mails.slice(before).map(({ recipients: [to] }) => to);
    expect(recipients).toHaveLength(10);
    expect(new Set(recipients).size).toBe(10);
  });

  test('that another worker has taken over stops before the end of the message', async () => {
    await client.signUp(signUpOf('overtaken@example.com'));
    const { post } = context.mail;
    const overtaken: Context = {
      ...context,
      mail: {
        ...context.mail,
        post: {
          ...post,
          send: async (message, envelope) => {
            await context.db.query({ text: 'update auth_jobs.job set retry_count = retry_count + 1' });
            await context.db.query({ text: 'update mail_tokens set attempt = attempt + 1' });
            await post.send(message, envelope);
          },
        },
      },
    };
    const seen = sink.seen;
    await sendDueMails(overtaken);
    expect(sink.seen).toBe(seen);
    expect(await waiting()).toBe(1);
  });

  test('is not repeated for a mail that may have been sent, but for one that the server has refused', async () => {
    await client.signUp(signUpOf('doubt@example.com'));
    sink.failNext(450);
    await sendDueMails(context);
    const handingOver = (value: string) =>
      context.db.query({ text: `update mail_tokens set handing_over_at = ${value}` });
    await handingOver('now()');
    await makeDue();
    expect(await mail.allSent()).toEqual([]);
    expect(await waiting()).toBe(0);
  });
});

async function makeDue(): Promise<void> {
  await context.db.query({ text: "update auth_jobs.job set start_after = now() where state = 'retry'" });
}

async function waiting(): Promise<number> {
  const [row] = await context.db.query<{ n: number }>({ text: 'select count(*)::integer as n from auth_jobs.job' });
  return row?.n ?? -1;
}
