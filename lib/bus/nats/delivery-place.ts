/** Facts about a delivery, which JetStream puts into its reply subject. */
export interface DeliveryPlace {
  /** How often the message was delivered, with this time. */
  readonly delivered: number;
  readonly streamSequence: number;
  /** Number of this delivery among all of the consumer. */
  readonly consumerSequence: number;
}

/**
 * Reads `$JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer sequence>.<time>.<pending>`. Newer servers put domain and account before the
 * stream, and may add more at the end. Undefined for other subjects.
 */
export function deliveryPlace(reply: string): DeliveryPlace | undefined {
  const parts = reply.split('.');
  if (parts[0] !== '$JS' || parts[1] !== 'ACK' || parts.length < 9) return undefined;
  const [delivered, streamSequence, consumerSequence] = parts.slice(parts.length > 9 ? 6 : 4).map(Number);
  if (delivered === undefined || streamSequence === undefined || consumerSequence === undefined) return undefined;
  return { delivered, streamSequence, consumerSequence };
}
