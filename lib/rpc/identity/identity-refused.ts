import { MeshError } from '../call/index.ts';

/** The caller of another process did not prove which service it is. `problem` names no secret. */
export function identityRefused(problem: string): MeshError {
  return new MeshError('unauthenticated', 'mesh_identity', `The caller is refused: ${problem}`);
}
