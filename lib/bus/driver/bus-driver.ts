import type { Sink } from './delivery.ts';
import type { Origin } from './origin.ts';
import type { DurableName, Stream, StreamPlan } from './stream.ts';

export type PayloadHandler = (payload: Uint8Array, origin: Origin) => void | Promise<void>;

export interface PublishOptions {
  /** The hint may arrive up to 50 ms later where others come at the same time, so that one statement takes them all: for hints of each run. Default false. */
  readonly mayWait?: boolean;
}

/** Carries bytes between processes for a Bus. Payloads have at most `maxPayloadBytes`. */
export interface BusDriver {
  /**
   * Resolves when the payload has been handed to the server. Throws `invalid_argument` (reason `bus_payload_too_large`) for a
   * larger payload, and `unavailable` (reason `bus_unavailable`) when the server cannot be reached.
   */
  publish(subject: string, payload: Uint8Array, origin: Origin, options?: PublishOptions): Promise<void>;
  /** Calls `handler` for each payload until the returned function is called. A handler that throws is logged, not retried. */
  subscribe(subject: string, handler: PayloadHandler): Promise<() => Promise<void>>;
  /** Opens the stream of a publishing service. It is created at the first append when the server cannot be reached now. */
  openStream(plan: StreamPlan): Promise<Stream>;
  /**
   * Delivers the messages of a durable consumer to `sink`, to one process at a time, until the returned function is called. Resolves before the
   * first delivery, and does not wait for the stream to exist.
   */
  consume(name: DurableName, sink: Sink): Promise<() => Promise<void>>;
  /** Delivers the dead letters of a durable consumer again, and returns their number. */
  replay(name: DurableName): Promise<number>;
  /** Number of the dead letters of a durable consumer that nobody has asked to deliver again; 0 while there is no such consumer. */
  deadLetters(name: DurableName): Promise<number>;
  /** Throws `unavailable` when the server cannot be reached. */
  ping(): Promise<void>;
}
