import { MeshError } from '@agentmesh/lib/rpc';

/** The account has no subscription with this id. */
export function subscriptionNotFound(id: number): MeshError {
  return new MeshError('not_found', 'subscription_not_found', `Subscription ${id} not found.`);
}
