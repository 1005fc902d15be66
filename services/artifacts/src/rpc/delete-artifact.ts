import { storedKey } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { deleteArtifactRows } from '../store/artifacts.ts';
import type { Handlers } from './handlers.ts';

/** Deletes all versions of an artifact. The garbage collector removes objects that nothing refers to any more. */
export function deleteArtifact({ db, usage }: Context): Handlers['deleteArtifact'] {
  return async (request, call) => {
    const key = storedKey(request.key);
    const bytes = await deleteArtifactRows(db.within(call), key);
    if (bytes !== undefined) usage.add(key[0], { artifacts: -1, bytes: -bytes });
    return {};
  };
}
