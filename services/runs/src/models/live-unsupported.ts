import { MeshError } from '@agentmesh/lib/rpc';

/** Error of a live connection to a model; no model of this service supports one. */
export function liveUnsupported(model: string): MeshError {
  return new MeshError('failed_precondition', 'model_live_unsupported', `The model "${model}" has no live connection.`);
}
