import { MeshError } from '../../rpc/index.ts';

export function unavailable(cause: unknown): MeshError {
  return new MeshError('unavailable', 'bus_unavailable', 'The bus cannot be reached.', { cause });
}
