import { MeshError } from '@agentmesh/lib/rpc';

/** Why a call ends whose client reads no more. Made once: an abort without a reason makes an exception with a stack each time. */
export const clientLeft = new MeshError('canceled', 'client_left', 'The client has left.');
