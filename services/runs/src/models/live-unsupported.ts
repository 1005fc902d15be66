import { MeshError } from '@agentmesh/lib/rpc';

/** The error for a live connection, which no model of this service has. */
export function liveUnsupported(model: string): MeshError {
  return new MeshError('failed_precondition', 'model_live_unsupported', `The model "${model}" has no live connection.`);
}
