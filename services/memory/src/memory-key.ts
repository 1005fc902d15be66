import { checkAccountId } from '@agentmesh/lib/rpc';
import type { MemoryKey } from '@agentmesh/proto/memory/v1';
import { invalid } from './errors.ts';

/** A checked key as the first three parameters of a statement. */
export type KeyParameters = readonly [accountId: string, appName: string, userId: string];

type Key = Pick<MemoryKey, 'accountId' | 'appName' | 'userId'>;

const maxIdBytes = 512;

/** Returns whether an id can exist in storage: text without NUL, of 1 to 512 bytes. */
export function isStorableId(id: string): boolean {
  return id !== '' && !id.includes('\0') && Buffer.byteLength(id) <= maxIdBytes;
}

/** Returns the key as parameters; undefined for a key that cannot exist, whose memory is empty. */
export function keyParameters(key: Key | undefined): KeyParameters | undefined {
  if (key === undefined) throw invalid('A memory key is required.');
  const accountId = checkAccountId(key.accountId);
  return [key.appName, key.userId].every(isStorableId) ? [accountId, key.appName, key.userId] : undefined;
}

/** Checks the requested number of items; 0 means `standard`. */
export function limitOf(asked: number, { standard, most }: { standard: number; most: number }): number {
  if (asked < 0 || asked > most) throw invalid(`A limit is a number from 1 to ${most}.`);
  return asked === 0 ? standard : asked;
}
