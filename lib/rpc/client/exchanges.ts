import { Metadata } from '@grpc/grpc-js';
import { type ExchangeCall, ExchangeClient } from '../exchange/index.ts';
import type { Proof } from '../identity/index.ts';
import type { RenewedConnection } from './renewed-connection.ts';
import { withoutStack } from './without-stack.ts';

/** A stream stays with one server, so the shared one is replaced after this time: every replica gets its part of the calls. */
const maxAgeMs = 10_000;
/** A larger request would hold up the other calls of the stream, so it gets a stream of its own. */
const largestShared = 64 * 1024;

/** The streams that carry calls with one request: one shared stream for an address, and one for each large request. */
export class Exchanges {
  readonly #connection: RenewedConnection;
  readonly #proof: Proof;
  #shared: ExchangeClient | undefined;
  #replaceAt = 0;

  constructor(connection: RenewedConnection, proof: Proof) {
    this.#connection = connection;
    this.#proof = proof;
  }

  call(call: Parameters<ExchangeClient['call']>[0]): ExchangeCall {
    if (call.request.length <= largestShared) return this.#openShared().call(call);
    const own = this.#open();
    const running = own.call(call);
    own.retire();
    return running;
  }

  /** Takes no more calls on the shared stream. */
  close(): void {
    this.#shared?.retire();
  }

  #openShared(): ExchangeClient {
    const { client } = this.#connection;
    const shared = this.#shared;
    if (shared?.client === client && !shared.retired && Date.now() < this.#replaceAt) return shared;
    shared?.retire();
    this.#replaceAt = Date.now() + maxAgeMs;
    this.#shared = this.#open();
    return this.#shared;
  }

  #open(): ExchangeClient {
    const metadata = new Metadata();
    this.#proof.present(metadata);
    return withoutStack(() => new ExchangeClient(this.#connection.client, metadata));
  }
}
