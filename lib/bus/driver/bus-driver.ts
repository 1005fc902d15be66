/** Carries bytes between processes for a Bus. Payloads have at most 5,000 bytes. */
export interface BusDriver {
  /**
   * Resolves when the payload has been handed to the server. Throws `invalid_argument` (reason `bus_payload_too_large`) for a
   * larger payload, and `unavailable` (reason `bus_unavailable`) when the server cannot be reached.
   */
  publish(subject: string, payload: Uint8Array): Promise<void>;
  /** Calls `handler` for each payload until the returned function is called. A handler that throws is logged, not retried. */
  subscribe(subject: string, handler: (payload: Uint8Array) => void | Promise<void>): Promise<() => Promise<void>>;
  /** Throws `unavailable` when the server cannot be reached. */
  ping(): Promise<void>;
}
