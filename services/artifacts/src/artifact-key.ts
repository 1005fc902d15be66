import type { MeshError } from '@agentmesh/lib/rpc';
import type { ArtifactKey } from '@agentmesh/proto/artifacts/v1';
import { isUuid } from '@agentmesh/proto/uuid';
import { idInvalid, nameInvalid, requestInvalid } from './errors.ts';

/** An artifact's place, checked and in its one spelling: the values of the primary key, in order. */
export type StoredKey = readonly [accountId: string, appName: string, userId: string, sessionId: string, name: string];

type Scope = Pick<ArtifactKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;

const userPrefix = 'user:';
const reserved = new Set(['apps', 'users', 'sessions', 'artifacts', 'versions']);
const maxIdBytes = 512;
const maxNameBytes = 1024;
/** Of a name in any spelling. */
const maxSentBytes = 4096;

/** The values of the primary key. Throws MeshError by the rules of the contract (runtime.md 4). */
export function storedKey(key: ArtifactKey | undefined): StoredKey {
  const { accountId, appName, userId, sessionId } = checkScope(key);
  const name = storedName(key?.name ?? '');
  return [accountId, appName, userId, isOfUser(name) ? '' : sessionId, name];
}

/** The ids of a key, checked; the session's without the blanks around it, as sessions are stored. */
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

/** Throws unless it is an account's UUID in lower case. */
export function checkAccountId(accountId: string): void {
  if (!isUuid(accountId)) throw requestInvalid('The call names no account.');
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

/** Whether an artifact of this name belongs to its user rather than to a session. */
export function isOfUser(name: string): boolean {
  return name.startsWith(userPrefix);
}

/** The one spelling of a name. Throws MeshError when it cannot be one. */
export function storedName(sent: string): string {
  if (Buffer.byteLength(sent) > maxSentBytes) throw nameTooLong();
  let name = sent;
  // What a pass drops may leave blanks at an end, or `user:` at the beginning.
  for (let next = respelt(name); next !== name; next = respelt(name)) name = next;
  if (Buffer.byteLength(name) > maxNameBytes) throw nameTooLong();
  return name;
}

function respelt(name: string): string {
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
