import type { IncomingHttpHeaders } from 'node:http';

/** A request as a fake has received it. Secrets are kept, so that tests can assert what was sent. */
export interface Call {
  readonly method: string;
  /** Decoded path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Time of the fake's clock. */
  readonly at: Date;
}

export interface Reply {
  readonly status: number;
  /** A string or bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by a handler: the vendor's error answer. */
export class Refused extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`The fake answers ${reply.status}.`);
    this.reply = reply;
  }
}

/** Throws the vendor's error answer unless `right` is true. */
export function insist(right: boolean, reply: () => Reply): asserts right {
  if (!right) throw new Refused(reply());
}
