import { checkAccountId } from '@agentmesh/lib/rpc';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import { invalid, sessionIdReserved } from './errors.ts';

/** A session key whose ids can be stored. Statements name their parameters like its fields. */
export interface CheckedKey {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}

const maxIdBytes = 512;

/** A session by its number, which is never used for another session of the account. Statements name their parameters like its fields. */
export interface NumberedSession {
  readonly accountId: string;
  readonly sessionPk: bigint;
}

/** A run of such a session. */
export interface RunOfSession extends NumberedSession {
  readonly invocationId: string;
}

/**
 * Checks a session key. App, user and session ids may be any text without NUL, of 1 to 512 bytes. Blanks around a session id are
 * removed.
 *
 * @throws MeshError invalid_argument `request_invalid`
 */
export function checkSessionKey(key: SessionKey | undefined): CheckedKey {
  if (key === undefined) throw invalid('A session key is required.');
  const { appName, userId } = key;
  const sessionId = key.sessionId.trim();
  checkId('app name', appName);
  checkId('user id', userId);
  checkId('session id', sessionId);
  return { accountId: checkAccountId(key.accountId), appName, userId, sessionId };
}

/**
 * Checks the key of a session that is to be created. `/sessions/s1:cancel` is the address that cancels the runs of `s1`, so no id ends like it.
 *
 * @throws MeshError invalid_argument `request_invalid`, `session_id_reserved`
 */
export function checkNewSessionKey(key: SessionKey | undefined): CheckedKey {
  const checked = checkSessionKey(key);
  if (checked.sessionId.endsWith(':cancel')) throw sessionIdReserved();
  return checked;
}

/** Whether a session can have this key. A key for which this is false is answered as not found. */
export function canExist(key: SessionKey | undefined): key is SessionKey {
  return key !== undefined && [key.appName, key.userId, key.sessionId.trim()].every(isId);
}

/** Whether a text can be an app name, a user id or a session id. */
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
  // A UTF-16 code unit is one to three bytes of UTF-8, so the bytes of a short id need not be counted.
  if (id.length > maxIdBytes || (id.length > maxIdBytes / 3 && Buffer.byteLength(id) > maxIdBytes)) {
    return `has at most ${maxIdBytes} bytes`;
  }
  return undefined;
}
