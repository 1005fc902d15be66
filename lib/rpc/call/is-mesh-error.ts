import { MeshError } from './mesh-error.ts';

/** Whether a caught value is a MeshError, as everything is that a mesh client throws. */
export function isMeshError(error: unknown): error is MeshError {
  return error instanceof MeshError;
}
