/**
 * Hints about facts that are already committed. Delivery is at most once to whoever listens now; nothing may depend on a hint
 * alone. Subjects are `agentmesh.<service>.v1.<past_tense_event>`; payloads are protobuf bytes of at most 5,000 bytes.
 */
export interface Bus {
  /** Resolves when the hint has been handed to the driver. */
  publish(subject: string, payload: Uint8Array): Promise<void>;
  /** Calls `handler` for each hint until the returned function is called. A handler that throws is logged, not retried. */
  subscribe(subject: string, handler: (payload: Uint8Array) => void | Promise<void>): Promise<() => Promise<void>>;
  /** Throws when the bus cannot be reached. */
  ping(): Promise<void>;
}
