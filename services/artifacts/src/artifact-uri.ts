import { isOfUser, type StoredKey, storedName } from './artifact-key.ts';
import { MeshError } from '@agentmesh/lib/rpc';
import { referenceForeign, referenceInvalid, referenceOfOtherSession } from './errors.ts';

const scheme = 'artifact://';
const form =
  /^artifact:\/\/apps\/([^/]+)\/users\/([^/]+)(?:\/sessions\/([^/]+))?\/artifacts\/(.+)\/versions\/(\d{1,10})$/s;
const maxVersion = 2 ** 31 - 1;

/** Where a version is, as a URI that other artifacts of its scope may refer to. */
export function canonicalUri([, appName, userId, sessionId, name]: StoredKey, version: number): string {
  const session = isOfUser(name) ? '' : `/sessions/${encode(sessionId)}`;
  const path = name.split('/').map(encode).join('/');
  return `${scheme}apps/${encode(appName)}/users/${encode(userId)}${session}/artifacts/${path}/versions/${version}`;
}

/** What a segment may hold stays readable. */
function encode(segment: string): string {
  return encodeURIComponent(segment).replaceAll(/%(?:3A|40|24|2B|2C|3B|3D)/g, decodeURIComponent);
}

/** Whether a URI means to name an artifact. */
export function isReference(uri: string): boolean {
  return uri.startsWith(scheme);
}

export interface Reference {
  readonly key: StoredKey;
  readonly version: number;
}

/**
 * Reads a reference that `from`, an artifact of the same account, holds. `sessionId` is the session through which `from` is used:
 * an artifact of a user has none of its own. Throws MeshError when it is malformed or leaves the scope.
 */
export function parseReference(uri: string, from: StoredKey, sessionId: string): Reference {
  const [, app = '', user = '', session, path = '', digits = ''] = form.exec(uri) ?? [];
  const version = Number(digits);
  if (digits === '' || version > maxVersion) throw referenceInvalid(uri);
  const [accountId, appName, userId] = from;
  if (decode(app) !== appName || decode(user) !== userId) throw referenceForeign();
  if (session !== undefined && decode(session).trim() !== sessionId) throw referenceOfOtherSession();
  const given = nameIn(path, uri);
  const name = session === undefined && !isOfUser(given) ? `user:${given}` : given;
  return { key: [accountId, appName, userId, isOfUser(name) ? '' : sessionId, name], version };
}

function nameIn(path: string, uri: string): string {
  try {
    return storedName(decode(path));
  } catch (error) {
    throw error instanceof MeshError ? referenceInvalid(uri) : error;
  }
}

/** Clients also write names as they are: what is no escape stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
