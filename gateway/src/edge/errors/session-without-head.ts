import { MeshError } from '@agentmesh/lib/rpc';

/** The sessions service answered without the session, which its contract excludes. */
export function sessionWithoutHead(): MeshError {
  return new MeshError('internal', 'session_without_head', 'The session could not be read.');
}
