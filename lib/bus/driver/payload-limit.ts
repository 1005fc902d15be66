import { MeshError } from '../../rpc/index.ts';

/** Largest payload in bytes that every driver carries. A message names facts; data is read by RPC. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

/** Throws `invalid_argument` (reason `bus_payload_too_large`) when a payload is too large for every driver to carry. */
export function checkPayload(subject: string, payload: Uint8Array): void {
  if (payload.byteLength <= MAX_PAYLOAD_BYTES) return;
  const message = `A message on ${subject} has ${payload.byteLength} bytes, more than ${MAX_PAYLOAD_BYTES}.`;
  throw new MeshError('invalid_argument', 'bus_payload_too_large', message);
}
