import { storedKey } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { deleteArtifactRows } from '../store/artifacts.ts';
import type { Handlers } from './handlers.ts';

/** Deletes all versions of an artifact. The garbage collector removes objects that nothing refers to any more. */
export function deleteArtifact({ db }: Context): Handlers['deleteArtifact'] {
  return async (request) => {
    await deleteArtifactRows(db, storedKey(request.key));
    return {};
  };
}
