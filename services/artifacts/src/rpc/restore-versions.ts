import type { ArtifactVersion, RestoreVersionsRequest } from '@agentmesh/proto/artifacts/v1';
import type { Context } from '../context.ts';
import { keyedVersions } from '../keyed-versions.ts';
import { countUses, restoreVersion } from '../store/copies.ts';
import type { Handlers } from './handlers.ts';

/** Adds versions with the content of earlier ones, all or none. */
export function restoreVersions({ db, usage }: Context): Handlers['restoreVersions'] {
  return async (request: RestoreVersionsRequest, call) => {
    const wanted = keyedVersions(request, request.artifacts);
    const restored = await db.within(call).transaction(async (tx) => {
      const added: { name: string; pk: bigint; version: number; size: bigint }[] = [];
      for (const { key, name, version } of wanted) {
        const saved = await restoreVersion(tx, key, version ?? null);
        if (saved !== undefined) added.push({ name, ...saved });
      }
      await countUses(tx, request.accountId, added);
      return added;
    });
    for (const { size } of restored) usage.add(request.accountId, { bytes: Number(size) });
    const artifacts: Pick<ArtifactVersion, 'name' | 'version'>[] = restored.map(({ name, version }) => ({
      name,
      version,
    }));
    return { artifacts };
  };
}
