import { checkAccountId } from '@agentmesh/lib/rpc';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import { invalid } from './errors.ts';

/** A checked session key as the first four parameters of a statement. */
export type KeyParameters = readonly [accountId: string, appName: string, userId: string, sessionId: string];

const maxIdBytes = 512;

/**
 * Checks a session key for writing. Ids are data: any text without NUL, of 1 to 512 bytes; surrounding blanks of a session
 * id are not part of it.
 */
export function keyParameters(key: SessionKey | undefined): KeyParameters {
  if (key === undefined) throw invalid('A session key is required.');
  const sessionId = key.sessionId.trim();
  checkId('app name', key.appName);
  checkId('user id', key.userId);
  checkId('session id', sessionId);
  return [checkAccountId(key.accountId), key.appName, key.userId, sessionId];
}

/** Whether a key can name anything at all; one that cannot is simply not found. */
export function canExist(key: SessionKey | undefined): key is SessionKey {
  return key !== undefined && [key.appName, key.userId, key.sessionId.trim()].every(isId);
}

/** Whether a text can be the id of anything. */
export function isId(id: string): boolean {
  return problemOf(id) === undefined;
}

function checkId(what: string, id: string): void {
  const problem = problemOf(id);
  if (problem !== undefined) throw invalid(`The ${what} ${problem}.`);
}

function problemOf(id: string): string | undefined {
  if (id === '') return 'must not be empty';
  if (id.includes('\0')) return 'must not contain a NUL character';
  // Length in UTF-16 units is a lower bound of bytes and an upper bound of a third of them.
  if (id.length > maxIdBytes || (id.length > maxIdBytes / 3 && Buffer.byteLength(id) > maxIdBytes)) {
    return `has at most ${maxIdBytes} bytes`;
  }
  return undefined;
}
