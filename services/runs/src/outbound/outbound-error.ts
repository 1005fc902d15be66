export type OutboundReason = 'address_invalid' | 'address_refused' | 'too_many_redirects' | 'timeout' | 'unreachable';

/** Why an outbound request has no response; the message is public and names neither resolved addresses nor internals. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}
