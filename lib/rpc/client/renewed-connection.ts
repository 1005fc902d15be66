import type { Client } from '@grpc/grpc-js';

export interface RenewedConnectionOptions {
  readonly open: () => Client;
  /** After how long the connection is replaced, give or take a tenth so that callers do not all do it at once. */
  readonly maxAgeMs: number;
}

/** Long enough for calls that still wait for their connection to be sent. */
const pickGraceMs = 10_000;
const connectTimeoutMs = 5_000;

/**
 * A connection that is replaced now and then, so that calls reach replicas that came after it was made. It is the caller who
 * does it, and not the server by its age limit: a call that is on its way while a server says goodbye is refused, and one on
 * a connection that its own side retires is not. Calls under way end where they began.
 */
export class RenewedConnection {
  readonly #options: RenewedConnectionOptions;
  #client: Client;
  #replaceAt: number;
  #closed = false;

  constructor(options: RenewedConnectionOptions) {
    this.#options = options;
    this.#client = options.open();
    this.#replaceAt = this.#nextAge();
  }

  /** The connection for a call that begins now. */
  get client(): Client {
    if (Date.now() >= this.#replaceAt) this.#replace();
    return this.#client;
  }

  /** Ends the connection. */
  close(): void {
    this.#closed = true;
    this.#client.close();
  }

  /** The next connection takes over when it stands; when it cannot be had, the present one stays for another age. */
  #replace(): void {
    this.#replaceAt = Infinity;
    const next = this.#options.open();
    next.waitForReady(Date.now() + connectTimeoutMs, (error) => {
      this.#replaceAt = this.#nextAge();
      if (error || this.#closed) return next.close();
      const former = this.#client;
      this.#client = next;
      // Its calls go on; the connection ends with the last of them.
      setTimeout(() => former.close(), Math.min(pickGraceMs, this.#options.maxAgeMs)).unref();
    });
  }

  #nextAge(): number {
    return Date.now() + this.#options.maxAgeMs * (0.9 + Math.random() * 0.2);
  }
}
