import { MeshError } from '@agentmesh/lib/rpc';

/** Undefined when what is read was deleted meanwhile. Rejects with other errors. */
export async function unlessGone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof MeshError && error.code === 'not_found') return undefined;
    throw error;
  }
}
