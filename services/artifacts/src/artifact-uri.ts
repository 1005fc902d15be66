import { isOfUser, type StoredKey, storedName } from './artifact-key.ts';
import { MeshError } from '@agentmesh/lib/rpc';
import { referenceForeign, referenceInvalid, referenceOfOtherSession } from './errors.ts';

const scheme = 'artifact://';
const form =
  /^artifact:\/\/apps\/([^/]+)\/users\/([^/]+)(?:\/sessions\/([^/]+))?\/artifacts\/(.+)\/versions\/(\d{1,10})$/s;
const maxVersion = 2 ** 31 - 1;

/**
 * URI of a version, e.g. `artifact://apps/echo/users/u1/sessions/s1/artifacts/a.txt/versions/0`. Another artifact in its scope may refer
 * to it with `fileData.fileUri`.
 */
export function canonicalUri([, appName, userId, sessionId, name]: StoredKey, version: number): string {
  const session = isOfUser(name) ? '' : `/sessions/${encode(sessionId)}`;
  const path = name.split('/').map(encode).join('/');
  return `${scheme}apps/${encode(appName)}/users/${encode(userId)}${session}/artifacts/${path}/versions/${version}`;
}

/** Like `encodeURIComponent`, but leaves `: @ $ + , ; =` as they are: a URI path segment may contain them. */
function encode(segment: string): string {
  return encodeURIComponent(segment).replaceAll(/%(?:3A|40|24|2B|2C|3B|3D)/g, decodeURIComponent);
}

/** True for a URI that claims to name an artifact; it may still be malformed. */
export function isReference(uri: string): boolean {
  return uri.startsWith(scheme);
}

export interface Reference {
  readonly key: StoredKey;
  readonly version: number;
}

/**
 * Parses a reference found in the artifact `from`. `sessionId` is the session in which `from` is read or saved, because an artifact of a user
 * has no session of its own. Throws `artifact_reference_invalid` when the URI is malformed, and `artifact_reference_foreign` when it
 * names another app, user or session.
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

/** Clients also send names without escaping them, so text that is not valid percent-encoding is taken literally. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
