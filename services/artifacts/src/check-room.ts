import type { Context } from './context.ts';
import { accountArtifactBytes, accountArtifacts } from './errors.ts';

/**
 * Checks whether the account may save more. The size of what is saved is not known yet, so an account may exceed its bytes by one save at a time.
 *
 * @throws MeshError resource_exhausted `account_artifact_bytes`, `account_artifacts`
 */
export function checkRoom({ config, usage }: Pick<Context, 'config' | 'usage'>, accountId: string): void {
  if (usage.of(accountId, 'bytes') >= config.ARTIFACT_ACCOUNT_MAX_BYTES) throw accountArtifactBytes();
  if (usage.of(accountId, 'artifacts') >= config.ARTIFACT_ACCOUNT_MAX_ARTIFACTS) throw accountArtifacts();
}
