import { createHash } from 'node:crypto';

/** Name of an account in traces: the same for all its requests, and of no use to somebody who has the traces alone. */
export function accountHash(accountId: string): string {
  return createHash('sha256').update(accountId).digest('hex').slice(0, 16);
}
