import { checkAccountId, type MeshError } from '@agentmesh/lib/rpc';
import type { ArtifactKey } from '@agentmesh/proto/artifacts/v1';
import { idInvalid, nameInvalid, requestInvalid } from './errors.ts';

/** The key of an artifact, checked and normalised: the values of the primary key, in the order of its columns. */
export type StoredKey = readonly [accountId: string, appName: string, userId: string, sessionId: string, name: string];

type Scope = Pick<ArtifactKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;

const userPrefix = 'user:';
const reserved = new Set(['apps', 'users', 'sessions', 'artifacts', 'versions']);
const maxIdBytes = 512;
const maxNameBytes = 1024;
/** Limit of a name before it is normalised. */
const maxSentBytes = 4096;

/**
 * Checks and normalises a key. An artifact of a user has an empty session id. Throws `artifact_id_invalid`, `artifact_name_invalid`, or
 * `request_invalid` when the account id is not a UUID.
 */
export function storedKey(key: ArtifactKey | undefined): StoredKey {
  const { accountId, appName, userId, sessionId } = checkScope(key);
  const name = storedName(key?.name ?? '');
  return [accountId, appName, userId, isOfUser(name) ? '' : sessionId, name];
}

/** Checks the ids of a key. The session id is returned without surrounding blanks, as the sessions service stores it. */
export function checkScope(scope: Scope | undefined): Scope {
  if (scope === undefined) throw requestInvalid('The call names no account.');
  const { accountId, appName, userId } = scope;
  checkAccountId(accountId);
  const sessionId = scope.sessionId.trim();
  checkId('app_name', appName);
  checkId('user_id', userId);
  checkId('session_id', sessionId);
  return { accountId, appName, userId, sessionId };
}

function checkId(field: string, id: string): void {
  const fault = faultOfId(id);
  if (fault !== undefined) throw idInvalid(`Invalid ${field}: it ${fault}.`);
}

function faultOfId(id: string): string | undefined {
  if (id.trim() === '') return 'must not be empty';
  if (id.includes('\0') || !id.isWellFormed()) return 'holds characters that cannot be stored';
  if (Buffer.byteLength(id) > maxIdBytes) return `is longer than ${maxIdBytes} bytes`;
  const segments = id.split(/[/\\]/);
  if (segments.includes('..')) return 'must not hold a ".." segment';
  if (segments.length === 1) return undefined;
  if (segments[0] === '') return 'must not begin with a slash';
  return segments.some((segment) => reserved.has(segment)) ? 'must not hold a reserved word' : undefined;
}

/** True for a name that begins with `user:`: the artifact belongs to the user, not to a session. */
export function isOfUser(name: string): boolean {
  return name.startsWith(userPrefix);
}

/**
 * Normalises a name, e.g. ` a\\b//./c.txt ` to `a/b/c.txt`. Normalising a result again does not change it. Throws `artifact_name_invalid`
 * for a name that is not allowed or longer than 1,024 bytes.
 */
export function storedName(sent: string): string {
  if (Buffer.byteLength(sent) > maxSentBytes) throw nameTooLong();
  let name = sent;
  // Removing a segment can leave blanks at an end, or `user:` at the beginning, which the next pass handles.
  for (let next = normalise(name); next !== name; next = normalise(name)) name = next;
  if (Buffer.byteLength(name) > maxNameBytes) throw nameTooLong();
  return name;
}

function normalise(name: string): string {
  const trimmed = name.trim();
  const prefix = isOfUser(trimmed) ? userPrefix : '';
  return prefix + pathOf(trimmed.slice(prefix.length).trim().replaceAll('\\', '/'));
}

function nameTooLong(): MeshError {
  return nameInvalid(`The filename is longer than ${maxNameBytes} bytes.`);
}

function pathOf(path: string): string {
  if (path.includes('\0') || !path.isWellFormed()) throw nameInvalid('The filename holds characters it must not.');
  if (path.startsWith('/')) throw nameInvalid('The filename must be relative, not rooted.');
  if (/^[a-z]:/i.test(path)) throw nameInvalid('The filename must not name a drive.');
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw nameInvalid('The filename must not hold a ".." segment.');
  if (segments.at(-1)?.toLowerCase() === 'metadata.json') throw nameInvalid('The filename metadata.json is reserved.');
  return segments.length === 0 ? 'artifact' : segments.join('/');
}
