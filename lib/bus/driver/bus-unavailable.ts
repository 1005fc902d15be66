import { MeshError } from '../../rpc/index.ts';

/** The error of a bus that cannot be reached or used: `unavailable` (reason `bus_unavailable`). */
export function busUnavailable(cause?: unknown, message = 'The bus cannot be reached.'): MeshError {
  return new MeshError('unavailable', 'bus_unavailable', message, { cause });
}
