import type { Client } from '@grpc/grpc-js';

export interface RenewedConnectionOptions {
  readonly open: () => Client;
  /** Age in milliseconds at which the connection is replaced, plus or minus a tenth so that callers do not do it all at once. */
  readonly maxAgeMs: number;
}

/** Long enough for calls that still wait for their connection to be sent. */
const pickGraceMs = 10_000;
const connectTimeoutMs = 5_000;

/**
 * A connection that is replaced regularly, so that calls reach replicas that were started later. The caller replaces it, not the
 * server by its age limit: a server that closes a connection refuses calls which are on their way to it. Calls under way
 * end on the connection where they began.
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
    if (performance.now() >= this.#replaceAt) this.#replace();
    return this.#client;
  }

  /** Replaces the connection now, because its name leads to other addresses. */
  renew(): void {
    this.#replaceAt = Math.min(this.#replaceAt, performance.now());
  }

  /** Ends the connection. */
  close(): void {
    this.#closed = true;
    this.#client.close();
  }

  /** The next connection takes over when it is ready. When it cannot be opened, the present one stays for another period. */
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
    return performance.now() + this.#options.maxAgeMs * (0.9 + Math.random() * 0.2);
  }
}
