import { MeshError } from './mesh-error.ts';

/** Whether a caught value is a MeshError. Mesh clients throw nothing else. */
export function isMeshError(error: unknown): error is MeshError {
  return error instanceof MeshError;
}
