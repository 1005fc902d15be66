import { MeshError } from '@agentmesh/lib/rpc';
import type { ArtifactKey, ArtifactVersion } from '@agentmesh/proto/artifacts/v1';
import { isOfUser, type StoredKey, storedKey } from './artifact-key.ts';
import { requestInvalid } from './errors.ts';

const mostArtifacts = 10_000;

interface KeyedVersion {
  readonly key: StoredKey;
  /** Name of the artifact in the request. */
  readonly name: string;
  readonly version: number | undefined;
}

/**
 * Named versions of a session's artifacts, in the order of their keys, so that calls for the same artifacts lock them in the same order.
 *
 * @throws MeshError invalid_argument `request_invalid` for artifacts of the user, and for more than 10,000
 */
export function keyedVersions(
  scope: Pick<ArtifactKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>,
  artifacts: readonly ArtifactVersion[],
): KeyedVersion[] {
  if (artifacts.length > mostArtifacts) throw requestInvalid(`A call names at most ${mostArtifacts} artifacts.`);
  if (artifacts.some(({ name }) => isOfUser(name))) throw requestInvalid('Artifacts of a user are in all sessions.');
  const { accountId, appName, userId, sessionId } = scope;
  return artifacts
    .flatMap(({ name, version }) => {
      const key = keyOfSession({ accountId, appName, userId, sessionId, name });
      return key === undefined ? [] : [{ name, version, key }];
    })
    .toSorted((a, b) => (a.key[4] < b.key[4] ? -1 : 1));
}

/** Undefined for a name that no artifact of a session has: events that clients import tell any. */
function keyOfSession(given: Omit<ArtifactKey, '$typeName' | '$unknown'>): StoredKey | undefined {
  try {
    const key = storedKey({ ...given, $typeName: 'agentmesh.artifacts.v1.ArtifactKey' });
    return isOfUser(key[4]) ? undefined : key;
  } catch (error) {
    if (error instanceof MeshError && error.reason === 'artifact_name_invalid') return undefined;
    throw error;
  }
}
