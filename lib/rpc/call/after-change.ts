import { isMeshError, MeshError } from './mesh-error.ts';

/**
 * Waits for work that follows a stored change, for example the read for its answer. Where a service or a database fails then, it rejects with
 * unavailable `change_stored`: the reason of the failure would say that nothing was stored.
 */
export async function afterChange<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!isMeshError(error) || (error.code !== 'unavailable' && error.code !== 'deadline_exceeded')) throw error;
    const message = 'The change is stored. It could not be read for the answer, or not be completed. Read it again.';
    throw new MeshError('unavailable', 'change_stored', message, { cause: error });
  });
}
