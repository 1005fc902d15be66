import type { Context } from './context.ts';
import { accountArtifactBytes, accountArtifacts } from './errors.ts';

interface Room {
  readonly accountId: string;
  /** Artifacts that are about to be stored. Those that exist count twice meanwhile. */
  readonly names: readonly string[];
}

/**
 * Room for artifacts, which is held until it is disposed. The size of what is saved is not known yet, so an account may exceed its bytes by one save at a time.
 *
 * @throws MeshError resource_exhausted `account_artifact_bytes`, `account_artifacts`
 */
export function takeRoom({ config, usage }: Pick<Context, 'config' | 'usage'>, { accountId, names }: Room): Disposable {
  if (usage.of(accountId, 'bytes') >= config.ARTIFACT_ACCOUNT_MAX_BYTES) throw accountArtifactBytes();
  const room = usage.take(accountId, { kind: 'artifacts', names, most: config.ARTIFACT_ACCOUNT_MAX_ARTIFACTS });
  if (room === undefined) throw accountArtifacts();
  return room;
}
