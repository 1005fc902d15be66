import { MeshError } from '@agentmesh/lib/rpc';

/**
 * Abort reason of calls whose client has disconnected. It is one shared object, because an abort without a reason creates an
 * exception with a stack trace each time.
 */
export const clientLeft = new MeshError('canceled', 'client_left', 'The client has left.');
