import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A received mail: recipient and text. */
export interface SunkMail extends Email {
  readonly recipients: readonly string[];
}

export interface SmtpSink extends AsyncDisposable {
  /** `smtp://127.0.0.1:<port>` */
  readonly url: string;
  readonly mails: readonly SunkMail[];
  /** Sends this reply to the next message instead of accepting it. `hang` receives the whole message and never replies. */
  failNext(response: number | 'hang'): void;
  /** Number of messages received completely, accepted or not. */
  readonly seen: number;
}

/** Starts a real SMTP server on this machine that keeps the mails it receives. Without `port` it takes a free one. */
export async function startSmtpSink(options: SMTPServerOptions = {}, port = 0): Promise<SmtpSink> {
  const mails: SunkMail[] = [];
  const failures: (number | 'hang')[] = [];
  let seen = 0;
  const keep = async (message: Buffer, recipients: readonly string[], taken: () => void): Promise<void> => {
    mails.push({ ...(await readMail(message)), recipients });
    taken();
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        seen += 1;
        const failure = failures.shift();
        if (failure === 'hang') return;
        if (failure !== undefined) {
          callback(Object.assign(new Error('not now'), { responseCode: failure }));
          return;
        }
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        void keep(Buffer.concat(chunks), recipients, callback);
      });
    },
    ...options,
  });
  // A client that is killed resets its connection.
  server.on('error', () => {});
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    mails,
    get seen() {
      return seen;
    },
    failNext: (response) => void failures.push(response),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The decoded text of a message. */
export function readMail(message: Buffer): Promise<Email> {
  return PostalMime.parse(message);
}

/** The token in the link of a mail's text. */
export function tokenIn({ text }: Pick<Email, 'text'>): string {
  const token = /[?&]token=([\w-]+)/.exec(text ?? '')?.[1];
  if (token === undefined) throw new Error(`no link in ${text}`);
  return token;
}
