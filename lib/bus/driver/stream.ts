import type { Origin } from './origin.ts';

/** A message that must be acted on: a row of an outbox. */
export interface StreamMessage extends Origin {
  /** `<service>:<id of the outbox row>`. The same message has the same id each time it is sent. */
  readonly id: string;
  readonly subject: string;
  readonly payload: Uint8Array;
}

/** The topics of a publishing service that are consumed, and by whom. */
export interface StreamPlan {
  /** Name of the publishing service. */
  readonly service: string;
  readonly topics: readonly {
    readonly subject: string;
    readonly durables: readonly string[];
    /** Durable consumers of an earlier release: those that are there go when nobody has taken messages for a day. */
    readonly former?: readonly string[];
  }[];
}

/** Keeps messages until every durable consumer of their subject has acknowledged them. */
export interface Stream {
  /**
   * Resolves when all messages are stored, in this order; subscribers of their subjects get them as hints. When it throws, some may be stored: append the
   * same messages again, in the same order. Throws `unavailable` (reason `bus_unavailable`).
   */
  append(messages: readonly StreamMessage[]): Promise<void>;
}

/** A durable consumer: its messages wait while no process takes them. */
export interface DurableName {
  readonly subject: string;
  /** Name among the consumers of the subject; by convention the consuming service. */
  readonly durable: string;
}
