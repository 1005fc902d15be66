import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail that was taken: whom it was for, and what it says. */
export interface SunkMail extends Email {
  readonly recipients: readonly string[];
}

export interface SmtpSink extends AsyncDisposable {
  /** `smtp://127.0.0.1:<port>` */
  readonly url: string;
  readonly mails: readonly SunkMail[];
  /** Answers the next message with this instead of taking it; `hang` has it in full and never answers. */
  failNext(response: number | 'hang'): void;
  /** How many messages have come in full, taken or not. */
  readonly seen: number;
}

/** A real SMTP server on this machine that keeps what it is sent. On the port given, or on a free one. */
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

/** What a message says. */
export function readMail(message: Buffer): Promise<Email> {
  return PostalMime.parse(message);
}

/** The token in the link of a mail's text. */
export function tokenIn({ text }: Pick<Email, 'text'>): string {
  const token = /[?&]token=([\w-]+)/.exec(text ?? '')?.[1];
  if (token === undefined) throw new Error(`no link in ${text}`);
  return token;
}
