import { checkAccountId } from '@agentmesh/lib/rpc';
import type { MemoryKey } from '@agentmesh/proto/memory/v1';
import { invalid } from './errors.ts';

/** A checked key as the first three parameters of a statement. */
export type KeyParameters = readonly [accountId: string, appName: string, userId: string];

type Key = Pick<MemoryKey, 'accountId' | 'appName' | 'userId'>;

const maxIdBytes = 512;

/** Whether an id can name anything that is stored: text without NUL, of 1 to 512 bytes. */
export function isStorableId(id: string): boolean {
  return id !== '' && !id.includes('\0') && Buffer.byteLength(id) <= maxIdBytes;
}

/** The key as parameters; undefined for one that can name nothing, whose memory is empty. */
export function keyParameters(key: Key | undefined): KeyParameters | undefined {
  if (key === undefined) throw invalid('A memory key is required.');
  const accountId = checkAccountId(key.accountId);
  return [key.appName, key.userId].every(isStorableId) ? [accountId, key.appName, key.userId] : undefined;
}

/** Checks how many of something are asked for; 0 is `standard`. */
export function limitOf(asked: number, { standard, most }: { standard: number; most: number }): number {
  if (asked < 0 || asked > most) throw invalid(`A limit is a number from 1 to ${most}.`);
  return asked === 0 ? standard : asked;
}
