/** A random `Idempotency-Key`. Pages of plain HTTP have no `crypto.randomUUID`, unless they are of this machine. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
