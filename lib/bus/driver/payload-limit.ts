import { MeshError } from '../../rpc/index.ts';

/** PostgreSQL refuses a NOTIFY of 8,000 bytes; base64 turns 5,000 into 6,668, which leaves room. */
export const MAX_PAYLOAD_BYTES = 5_000;

/** Throws `invalid_argument` (reason `bus_payload_too_large`) when a payload is too large for every driver to carry. */
export function checkPayload(subject: string, payload: Uint8Array): void {
  if (payload.byteLength <= MAX_PAYLOAD_BYTES) return;
  const message = `A hint on ${subject} has ${payload.byteLength} bytes, more than ${MAX_PAYLOAD_BYTES}.`;
  throw new MeshError('invalid_argument', 'bus_payload_too_large', message);
}
