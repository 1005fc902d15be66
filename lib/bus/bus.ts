import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { BusDriver } from './driver/index.ts';

/**
 * Hints about facts that are already committed. A hint reaches each current subscriber at most once, so nothing may depend on
 * a hint alone. The topic of a hint is the type of its message; `subjectOf` derives the subject that the drivers see:
 *
 *     await bus.publish(AccountDeletedSchema, { accountId });
 *     const unsubscribe = await bus.subscribe(AccountDeletedSchema, ({ accountId }) => forget(accountId));
 */
export interface Bus {
  /**
   * Resolves when the hint has been handed to the driver. Throws `invalid_argument` (reason `bus_payload_too_large`) for a
   * message of more than 5,000 bytes, and `unavailable` (reason `bus_unavailable`) when the bus cannot be reached.
   */
  publish<T extends DescMessage>(topic: T, message: MessageInitShape<T>): Promise<void>;
  /**
   * Calls `handler` for each hint until the returned function is called. A handler that throws is logged, not retried; a hint
   * that cannot be decoded is logged and dropped.
   */
  subscribe<T extends DescMessage>(topic: T, handler: HintHandler<T>): Promise<() => Promise<void>>;
  /** Throws `unavailable` when the bus cannot be reached. */
  ping(): Promise<void>;
  /** Sends and receives encoded messages. */
  readonly driver: BusDriver;
}

/** Handles one hint. It may be called with the same hint more than once, because publishers repeat what matters. */
export type HintHandler<T extends DescMessage> = (message: MessageShape<T>) => void | Promise<void>;
