import { Readable } from 'node:stream';
import { withinDeadline } from '@agentmesh/lib/wait';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Envelope } from './envelope.ts';
import { type Post, PostError } from './post.ts';
import type { SmtpServer } from '../smtp-url.ts';

const timeouts = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
/** Longest time of an attempt. Shorter than the time for which a worker holds a mail. */
const deadlineMs = 60_000;

/** Sends mail by SMTP, with a connection for each. */
export function createSmtpPost({ auth, ...server }: SmtpServer): Post {
  return {
    async send(message, envelope) {
      const connection = new SMTPConnection({ ...server, ...timeouts });
      const failure = Promise.withResolvers<never>();
      connection.on('error', failure.reject);
      const state = { handedOver: false };
      try {
        const sent = Promise.race([converse(connection, auth, { message, envelope, state }), failure.promise]);
        await withinDeadline(sent, deadlineMs, late);
        connection.quit();
      } catch (error) {
        connection.close();
        throw explain(error, state.handedOver);
      }
    },
    // Sent mail cannot be withdrawn.
    withdraw: async () => {},
    purge: async () => {},
  };
}

function late(): never {
  throw new Error('the server took too long');
}

interface Handover {
  readonly message: Buffer;
  readonly envelope: Envelope;
  readonly state: { handedOver: boolean };
}

async function converse(
  connection: SMTPConnection,
  auth: SmtpServer['auth'],
  { message, envelope, state }: Handover,
): Promise<void> {
  await called((done) => connection.connect(done));
  if (auth !== undefined) await called((done) => connection.login({ credentials: auth }, done));
  // nodemailer's transport is not used: it reads a stream to its end before the server has accepted the sender and the recipient.
  const raw = Readable.from(untilEnd(message, envelope, state));
  // The connection reports errors of the stream.
  raw.on('error', () => {});
  await called((done) => connection.send({ from: envelope.from, to: [envelope.to] }, raw, done));
}

/** The message. Its end, which makes the server accept it, follows only after `beforeEnd` has stored that. */
async function* untilEnd(message: Buffer, envelope: Envelope, state: { handedOver: boolean }): AsyncGenerator<Buffer> {
  yield message;
  if (!(await envelope.beforeEnd())) throw new Error('the mail was taken over or withdrawn');
  state.handedOver = true;
}

function called(work: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    work((error) => (error ? reject(error) : resolve()));
  });
}

interface SmtpFailure {
  readonly responseCode?: number;
  readonly code?: string;
}

/** The server's reply code decides. Without one it is unknown whether the server accepted a message that it had completely. */
function explain(error: unknown, handedOver: boolean): PostError {
  const { responseCode, code = 'error' } = error as SmtpFailure;
  if (responseCode === undefined) return new PostError(handedOver ? 'unknown' : 'later', `SMTP failed: ${code}`);
  // 530 and 535 mean wrong credentials, which the operator can correct. They say nothing about this mail.
  const outcome = responseCode >= 500 && responseCode !== 530 && responseCode !== 535 ? 'refused' : 'later';
  return new PostError(outcome, `SMTP answered ${responseCode}`);
}
