export type OutboundReason = 'address_invalid' | 'address_refused' | 'too_many_redirects' | 'timeout' | 'unreachable';

/** Reason why an outbound request failed. The message is public and contains no resolved addresses or internals. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}
