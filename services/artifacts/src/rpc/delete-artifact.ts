import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { MethodImpl } from '@connectrpc/connect';
import { storedKey } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { deleteArtifact as deleteRows } from '../store/versions.ts';

type DeleteArtifact = MethodImpl<(typeof ArtifactsService)['method']['deleteArtifact']>;

/** Deletes all versions; objects that nothing refers to any more are collected soon after. */
export function deleteArtifact({ db }: Context): DeleteArtifact {
  return async ({ key }) => {
    await deleteRows(db, storedKey(key));
    return {};
  };
}
