import { type SmtpSink, startSmtpSink, tokenIn } from '../../../test/fakes/smtp-sink.ts';
import type { Context } from '../src/context.ts';
import { mailSender } from '../src/jobs/send-mail.ts';
import { sendMail } from '../src/mail/send-mail.ts';
import { clientOf, openTestAuth, signUpOf, type TestAuth } from './open-test-auth.ts';

export interface TestMail extends AsyncDisposable {
  readonly auth: TestAuth;
  readonly context: Context;
  readonly client: TestAuth['client'];
  readonly sink: SmtpSink;
  /** Sends due mail, and returns it. */
  allSent(): Promise<SmtpSink['mails']>;
  /** Sends due mail, and returns the first. */
  sent(): Promise<SmtpSink['mails'][number]>;
  /** Signs up, and takes the token of the mail that follows. */
  verifyTokenOf(address: string): Promise<{ address: string; token: string; proof: string }>;
  resetToken(email: string): Promise<string>;
  /** Signs up, forgets the password, and takes the token of the mail that follows. */
  resetTokenOf(address: string): Promise<{ address: string; token: string }>;
}

/** The service with a real SMTP server, and with verification of addresses required. */
export async function openTestMail(): Promise<TestMail> {
  await using resources = new AsyncDisposableStack();
  const auth = resources.use(await openTestAuth());
  const sink = resources.use(await startSmtpSink());
  const context = auth.contextWith({
    SMTP_URL: sink.url,
    MAIL_FROM: 'Agent Mesh <mesh@example.org>',
    APP_PUBLIC_URL: 'https://app.example.org/',
    AUTH_EMAIL_VERIFICATION_REQUIRED: 'true',
    DEFAULT_SUPERADMIN_EMAIL: 'root@example.com',
  });
  const client = clientOf(context);
  const allSent = async () => {
    const before = sink.mails.length;
    await sendDueMails(context);
    return sink.mails.slice(before);
  };
  const sent = async () => {
    const [mail] = await allSent();
    if (mail === undefined) throw new Error('no mail left');
    return mail;
  };
  const verifyTokenOf = async (address: string) => {
    const { proof } = await client.signUp(signUpOf(address));
    return { address, token: tokenIn(await sent()), proof };
  };
  const resetToken = async (email: string) => {
    await client.requestPasswordReset({ email });
    return tokenIn(await sent());
  };
  const resetTokenOf = async (address: string) => {
    await verifyTokenOf(address);
    return { address, token: await resetToken(address) };
  };
  const opened = resources.move();
  const close = () => opened.disposeAsync();
  return {
    auth,
    context,
    client,
    sink,
    allSent,
    sent,
    verifyTokenOf,
    resetToken,
    resetTokenOf,
    [Symbol.asyncDispose]: close,
  };
}

/** Sends the mail that is due. */
export function sendDueMails(context: Context): Promise<void> {
  return context.jobs.drain(sendMail, mailSender(context));
}
